// The values of a series as people read them.

/** With its unit, and as exact as it was recorded. */
export function amount(value: number, unit: string | null): string {
  return `${value.toLocaleString("en", { maximumFractionDigits: 20 })}${unit ? ` ${unit}` : ""}`;
}
