// A block of a text with its marks. It is plain words until it comes near the window, so that a megabyte of text opens at once.
import { useComputed } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { bring, lit, pointing, sought } from "./pointing";
import { type Piece, pieces, type Span } from "./spans";

const NEAR = "1200px";

/** What the id of a mark stands for, and which number its statement has in the list. */
export type Guide = { words: Map<string, string>; numbers: Map<string, number> };
type Given = { text: string; spans: readonly Span[]; from: number; until: number; guide: Guide };

export function Block({ text, spans, from, until, guide }: Given) {
  const box = useRef<HTMLDivElement>(null);
  const [isNear, come] = useState(from === 0);
  const shown = useMemo(() => (isNear ? pieces(text, spans, from, until) : null), [isNear, text, spans, from, until]);
  useEffect(() => (isNear || !box.current ? undefined : whenNear(box.current, () => come(true))), [isNear]);
  useWanted(spans, from, until, (id) => {
    if (!isNear) return come(true);
    sought.value = null;
    bring(box.current?.querySelector<HTMLElement>(`[data-begins~="${CSS.escape(id)}"]`) ?? null);
  });
  return (
    <div ref={box} class="said block">
      {shown
        ? shown.map((piece, at) => (piece.of.length ? <Mark key={at} piece={piece} guide={guide} /> : piece.text))
        : text.slice(from, until)}
    </div>
  );
}

/** Calls back as long as what is sought in the text begins in this block. */
function useWanted(spans: readonly Span[], from: number, until: number, found: (id: string) => void): void {
  const wanted = sought.value?.where === "text" ? sought.value.id : null;
  useEffect(() => {
    const first = wanted === null ? undefined : spans.find((span) => span.of === wanted);
    if (first && first.start >= from && first.start < until) found(first.of);
  });
}

function whenNear(element: Element, then: () => void): () => void {
  const watching = new IntersectionObserver(([entry]) => entry?.isIntersecting && then(), { rootMargin: NEAR });
  watching.observe(element);
  return () => watching.disconnect();
}

// Only where something begins is a stop of the Tab key: the rest of its words lead to the same place.
function Mark({ piece, guide }: { piece: Piece; guide: Guide }) {
  const isLit = useComputed(() => piece.of.some((id) => lit.value.includes(id)));
  const isSaid = piece.of.some((id) => guide.numbers.has(id));
  const [first = ""] = piece.begins.length ? piece.begins : piece.of;
  const ended = piece.ends.flatMap((id) => guide.numbers.get(id) ?? []);
  return (
    <>
      <a
        href={`#${first}`}
        class={`${isSaid ? "evidence" : "naming"}${isLit.value ? " lit" : ""}`}
        data-begins={piece.begins.join(" ")}
        tabIndex={piece.begins.length ? 0 : -1}
        title={piece.of.map((id) => guide.words.get(id)).join("\n")}
        onClick={(event) => {
          event.preventDefault();
          sought.value = { id: first, where: "list" };
        }}
        {...pointing(piece.of)}
      >
        {piece.text}
      </a>
      {ended.length > 0 && <sup aria-hidden="true">{shortened(ended)}</sup>}
    </>
  );
}

const shortened = (numbers: number[]): string => numbers.slice(0, 3).join(",") + (numbers.length > 3 ? ",…" : "");
