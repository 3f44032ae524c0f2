// The mark of a kind in text, as the canvas draws it.
import { markOf } from "./kinds";

export function KindMark({ kind }: { kind: string }) {
  const { points, colour } = markOf(kind);
  const look = { fill: `var(${colour})` };
  return (
    <svg class="kind-mark" viewBox="-1.6 -1.6 3.2 3.2" aria-hidden="true">
      {points.length ? (
        <polygon points={points.map((each) => each.join(",")).join(" ")} style={look} />
      ) : (
        <circle r="1" style={look} />
      )}
    </svg>
  );
}

/** A kind by its mark and its word. */
export function Kind({ of }: { of: string }) {
  return (
    <span class="kind">
      <KindMark kind={of} /> {of}
    </span>
  );
}
