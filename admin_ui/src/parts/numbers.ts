// Numbers as people read them.
const WHOLE = new Intl.NumberFormat("en");
const SHORT = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const UNITS = ["B", "kB", "MB", "GB", "TB"];

export const count = (n: number): string => WHOLE.format(n);

/** A dash for what was not counted. */
export const countIfKnown = (n: number | undefined): string => (n === undefined ? "–" : count(n));

export function bytes(n: number): string {
  const power = n < 1 ? 0 : Math.min(Math.floor(Math.log10(n) / 3), UNITS.length - 1);
  return `${SHORT.format(n / 1000 ** power)} ${UNITS[power]}`;
}
