// The time that a graph is of: a slider from the first thing known of its middle until now, and steps from change to change.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { filter } from "../../app/router";
import { Field } from "../../parts/fields";

const STEPS = 400;
const REST = 200; // milliseconds without a move before the graph is asked for
const WORDS = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

type Props = { asOf: string | null; moments: readonly number[] | null };

/** `asOf` null: now. `moments`: the instants at which something changes, in their order; null while they are not known. */
export function Period({ asOf, moments }: Props) {
  const { at, now, slide } = useSliding(asOf);
  const past = (moments ?? []).filter((each) => each < now);
  const before = past.filter((each) => each < at).at(-1);
  const after = past.find((each) => each > at) ?? (at < now ? now : undefined);
  const noTime = moments && !past.length ? ": no earlier time is known" : "";
  const words = at >= now ? `now${noTime}` : WORDS.format(at);
  const label = (
    <>
      As of <strong title={at >= now ? undefined : new Date(at).toISOString()}>{words}</strong>
    </>
  );
  return (
    <div class="period">
      <Jump label="Change before" sign="‹" to={before} go={slide} />
      <Field label={label}>
        <Slider at={at} first={Math.min(past[0] ?? now - 1000, at)} now={now} words={words} slide={slide} past={past} />
      </Field>
      <Jump label="Change after" sign="›" to={after} go={slide} />
    </div>
  );
}

/** Where the slider is, at once; the address follows when it rests. */
function useSliding(asOf: string | null): { at: number; now: number; slide: (time: number) => void } {
  const now = useMemo(() => Date.now(), []);
  const [held, hold] = useState<number | null>(null);
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(waiting.current), []);
  function slide(time: number): void {
    hold(time);
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => {
      hold(null);
      filter({ as_of: time >= now ? null : new Date(time).toISOString() });
    }, REST);
  }
  return { at: held ?? (asOf ? Date.parse(asOf) : now), now, slide };
}

type SliderProps = {
  at: number;
  first: number;
  now: number;
  words: string;
  past: readonly number[];
  slide: (time: number) => void;
};

function Slider({ at, first, now, words, past, slide }: SliderProps) {
  return (
    <>
      <input
        type="range"
        min={0}
        max={STEPS}
        disabled={!past.length && at >= now}
        value={Math.round(((at - first) / (now - first)) * STEPS)}
        aria-valuetext={words}
        onInput={(event) => slide(first + ((now - first) * Number(event.currentTarget.value)) / STEPS)}
      />
      {past.length > 0 && <Ends first={first} moments={past} now={now} />}
    </>
  );
}

function Jump(props: { label: string; sign: string; to: number | undefined; go: (time: number) => void }) {
  const { label, sign, to, go } = props;
  return (
    <button
      type="button"
      aria-label={label}
      title={to ? `${label}: ${WORDS.format(to)}` : label}
      disabled={to === undefined}
      onClick={() => to !== undefined && go(to)}
    >
      {sign}
    </button>
  );
}

/** What the slider goes from and to, and where something changes. */
function Ends({ first, moments, now }: { first: number; moments: readonly number[]; now: number }) {
  const places = moments.slice(0, 200).map((each) => ((each - first) / (now - first)) * 100);
  return (
    <>
      <svg class="moments" aria-hidden="true">
        {places.map((place) => (
          <line key={place} x1={`${place}%`} x2={`${place}%`} y1="0" y2="6" />
        ))}
      </svg>
      <span class="ends">
        <span>{WORDS.format(first)}</span>
        <span>now</span>
      </span>
    </>
  );
}
