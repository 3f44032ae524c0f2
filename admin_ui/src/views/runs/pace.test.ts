import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { paced } from "./pace";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("works once for many askings, and once more for those that came meanwhile", async () => {
  const work = vi.fn(() => Promise.resolve());
  const pace = paced(work, () => 1000);
  for (let at = 0; at < 200; at++) pace.ask();
  await vi.advanceTimersByTimeAsync(999);
  expect(work).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(5000);
  expect(work).toHaveBeenCalledTimes(2);
});

it("never works twice at once and not after it was stopped", async () => {
  let done = (): void => undefined;
  const work = vi.fn(() => new Promise<void>((resolve) => (done = resolve)));
  const pace = paced(work, () => 10);
  pace.ask();
  pace.ask();
  await vi.advanceTimersByTimeAsync(1000);
  expect(work).toHaveBeenCalledTimes(1);
  pace.stop();
  done();
  await vi.advanceTimersByTimeAsync(1000);
  expect(work).toHaveBeenCalledTimes(1);
});
