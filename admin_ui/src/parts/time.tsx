// Instants and durations for people: short in the text, exact in the title.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const THIS_YEAR = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const OTHER_YEAR = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });

export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <>–</>;
  return (
    <time dateTime={at} title={at}>
      {short(at)}
    </time>
  );
}

/** The local time: only the clock today, only the day in another year. What is no instant stays as it is. */
export function short(at: string, now = new Date()): string {
  const instant = new Date(at);
  if (Number.isNaN(instant.getTime())) return at;
  if (instant.toDateString() === now.toDateString()) return CLOCK.format(instant);
  return (instant.getFullYear() === now.getFullYear() ? THIS_YEAR : OTHER_YEAR).format(instant);
}

/** How long something took, or has taken until now. */
export function Took({ from, to }: { from: string | null | undefined; to: string | null | undefined }) {
  if (!from) return <>–</>;
  const took = (to ? Date.parse(to) : Date.now()) - Date.parse(from);
  return <span title={`${from} – ${to ?? "now"}`}>{to ? duration(took) : `${duration(took)} so far`}</span>;
}

/** Milliseconds in the largest unit that says enough: 340 ms, 1.2 s, 3 min 5 s, 2 h 10 min, 4 d 3 h. */
export function duration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return "–";
  const ms = Math.max(0, milliseconds);
  if (ms < 1) return ms ? "<1 ms" : "0 ms";
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < HOUR) return both(ms, MINUTE, "min", SECOND, "s");
  if (ms < DAY) return both(ms, HOUR, "h", MINUTE, "min");
  return both(ms, DAY, "d", HOUR, "h");
}

function both(ms: number, large: number, name: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${name}${rest ? ` ${rest} ${smallName}` : ""}`;
}

export function ago(at: string): string {
  const passed = Date.now() - Date.parse(at);
  if (Number.isNaN(passed)) return at;
  return passed < SECOND ? "just now" : `${duration(passed)} ago`;
}
