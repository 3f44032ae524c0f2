// An answer: what is said so far, then the checked text with its citations as links, and what it rests on.
import type { ComponentChildren } from "preact";
import { MemoryLink, RunLink } from "../../parts/link";
import { Trouble } from "../../parts/states";
import { duration } from "../../parts/time";
import type { Answering, Times } from "./answering";
import type { Result } from "./ask";
import { Doubts } from "./doubts";
import { slices } from "./slices";
import { Sources } from "./sources";

type Given = {
  of: Answering;
  /** What is said where nothing was asked yet. */
  children: ComponentChildren;
  /** What is known of a memory beside the answer, such as its place among hits. */
  about?: (memory: string) => ComponentChildren;
};

export function Answer({ of, children, about }: Given) {
  const { isAsking, text, answered, problem, ask, stop } = of;
  if (answered) return <Whole result={answered.result} times={answered.times} about={about} />;
  if (problem) return <Trouble problem={problem} again={ask} />;
  if (!isAsking && !text) return children;
  return (
    <section class="panel" aria-labelledby="answer" aria-busy={isAsking}>
      <h2 id="answer">Answer</h2>
      {text && <p class="answer said pre">{text}</p>}
      {isAsking ? (
        <p class="actions" role="status">
          <span class="quiet">
            <span class="spinner" aria-hidden="true" /> {text ? "Being written; not checked yet." : "Asking…"}
          </span>
          <button type="button" onClick={stop}>
            Stop
          </button>
        </p>
      ) : (
        <p class="quiet" role="status">
          Stopped before its end: nothing of it was checked.
        </p>
      )}
    </section>
  );
}

const BY: Record<Result["answered_by"], string> = {
  llm: "Written by the language model from the sources below; every citation was checked against its source.",
  extractive: "Put together from the best statements and sentences, word for word: no language model wrote it.",
  none: "Nothing was found that answers it.",
};

type WholeGiven = { result: Result; times: Times; about: Given["about"] };

function Whole({ result, times, about }: WholeGiven) {
  return (
    <>
      <section class="panel" aria-labelledby="answer">
        <h2 id="answer">Answer</h2>
        <Cited result={result} />
        <p class="quiet">{BY[result.answered_by]}</p>
        <p class="whence quiet">
          <span>
            Run <RunLink id={result.query_run_id} />
          </span>
          <span title="As measured by this page">
            {times.first !== null && `first words after ${duration(times.first)}, `}whole after {duration(times.whole)}
          </span>
        </p>
      </section>
      <Sources citations={result.citations} about={about} />
      <Doubts result={result} />
    </>
  );
}

function Cited({ result }: { result: Result }) {
  const of = new Map(result.citations.map((each) => [each.n, each]));
  return (
    <p class="answer said pre">
      {slices(result.answer, new Set(of.keys())).map(({ text, n }, at) => {
        const source = n === null ? undefined : of.get(n);
        if (!source) return text;
        return (
          <span key={at} class="cite" title={source.quote}>
            <MemoryLink id={source.memory_id} text={text} />
          </span>
        );
      })}
    </p>
  );
}
