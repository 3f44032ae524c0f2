// A line as high as the text beside it.
const [WIDTH, HEIGHT, EDGE] = [96, 18, 3];

/** Values at equal distances. One alone is a dot. */
export function Spark({ values }: { values: readonly number[] }) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const step = (WIDTH - 2 * EDGE) / Math.max(1, values.length - 1);
  const spots = values.map((value, at) => {
    const share = high > low ? (value - low) / (high - low) : 0.5;
    return `${(EDGE + at * step).toFixed(1)} ${(HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE)).toFixed(1)}`;
  });
  return (
    <svg class="spark" width={WIDTH} height={HEIGHT} aria-hidden="true">
      {spots.length > 1 && <path class="line" d={`M${spots.join(" L")}`} />}
      {spots.length > 0 && <path class="dots" d={`M${spots.at(-1)} l0.01 0`} />}
    </svg>
  );
}
