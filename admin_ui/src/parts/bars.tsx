// A number as a length beside its words.

export function Bar({ value, max, label }: { value: number; max: number; label: string }) {
  const share = max > 0 ? Math.min(1, Math.max(0, value / max)) : 0;
  return (
    <span class="bar">
      <span class="track" aria-hidden="true">
        <span class="fill" style={{ width: `${(share * 100).toFixed(1)}%` }} />
      </span>
      <span>{label}</span>
    </span>
  );
}
