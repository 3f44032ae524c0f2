// The text of a memory, in which the words that carry a statement or name an entity are marked and lead there.
import { useEffect, useMemo, useState } from "preact/hooks";
import { count } from "../../parts/numbers";
import { Block, type Guide } from "./block";
import { sought } from "./pointing";
import { blocks, length, type Span } from "./spans";

const LONG = 6000; // units of a text shown at first
const STEP = 60_000; // units shown more at a time
const BLOCK = 4000; // units laid out at a time

type Given = { text: string; spans: readonly Span[]; guide: Guide };

export function Marked({ text, spans, guide }: Given) {
  const [until, show] = useState(text.length > LONG * 1.2 ? LONG : text.length);
  const shown = useMemo(() => blocks(text, until, BLOCK), [text, until]);
  const wanted = sought.value?.where === "text" ? sought.value.id : null;
  useEffect(() => {
    const first = spans.find((span) => span.of === wanted);
    if (first && first.start >= until) show(Math.min(text.length, first.end + LONG));
  }, [wanted, until]);
  return (
    <>
      <div class="pre reading">
        {shown.map(([from, to]) => (
          <Block key={from} text={text} spans={spans} from={from} until={to} guide={guide} />
        ))}
        {until < text.length && "…"}
      </div>
      <Cut text={text} until={until} show={show} />
    </>
  );
}

function Cut({ text, until, show }: { text: string; until: number; show: (until: number) => void }) {
  const all = useMemo(() => length(text), [text]);
  if (until >= text.length) return null;
  return (
    <p class="actions">
      <button type="button" onClick={() => show(text.length)}>
        Show all {count(all)} characters
      </button>
      {text.length - until > STEP && (
        <button type="button" onClick={() => show(until + STEP)}>
          {count(STEP)} more
        </button>
      )}
    </p>
  );
}
