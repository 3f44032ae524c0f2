// The land of the map as one path, in degrees east and south.
import { CELLS_PER_DEGREE, COLUMNS, NORTH, RUNS } from "./world";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const MOST = DIGITS.length - 1;

/** Calls back with every run of land: its first cell and its length. */
export function eachRun(runs: string, onRun: (start: number, length: number) => void): void {
  let at = 0;
  let length = 0;
  let isLand = false;
  for (const digit of runs) {
    const value = DIGITS.indexOf(digit);
    length += value;
    if (value === MOST) continue;
    if (isLand) onRun(at, length);
    at += length;
    length = 0;
    isLand = !isLand;
  }
}

/** The path, drawn with strokes as thick as a cell. */
export function landPath(): string {
  const parts: string[] = [];
  const size = 1 / CELLS_PER_DEGREE;
  eachRun(RUNS, (start, length) => {
    for (let from = start; from < start + length; ) {
      const row = Math.floor(from / COLUMNS);
      const to = Math.min(start + length, (row + 1) * COLUMNS);
      parts.push(`M${(from % COLUMNS) * size - 180} ${(row + 0.5) * size - NORTH}h${(to - from) * size}`);
      from = to;
    }
  });
  return parts.join("");
}
