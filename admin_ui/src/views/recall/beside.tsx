// The cue asked as a question, its answer beside the hits.
import { href } from "../../app/router";
import { Answer } from "../query/answer";
import type { Answering } from "../query/answering";
import type { Body } from "../query/asked";
import { type Asked, filtersOf } from "./asked";
import { slotOf } from "./trace";

type Given = { of: Answering; asked: Asked; places: ReadonlyMap<string, number>; onClose: () => void };

/** `places`: of the hits, by what an id keeps. */
export function Beside({ of, asked, places, onClose }: Given) {
  const about = (id: string) => {
    const place = places.get(slotOf(id));
    return <span class="chip">{place ? `hit ${place}` : "not among the hits"}</span>;
  };
  return (
    <section aria-label="The cue as a question" class="beside-hits">
      <header class="head">
        <h2>As a question</h2>
        <a href={href("/query", { question: asked.cue, dataset: asked.dataset, as_of: asked.as_of })}>
          In its own view
        </a>
        <button type="button" class="plain" onClick={onClose}>
          Close
        </button>
      </header>
      <Answer of={of} about={about}>
        <section class="panel">
          <p>The same cue, dataset, time and filters, answered in words.</p>
          <p class="quiet">It may cost a call of the language model, and the run is kept on record.</p>
          <p class="actions">
            <button type="button" class="main" onClick={of.ask}>
              Ask
            </button>
          </p>
        </section>
      </Answer>
    </section>
  );
}

/** How many memories it answers from is the query's own measure, not the number of hits. */
export function questionOf(asked: Asked): Body {
  const filters = filtersOf(asked);
  return {
    question: asked.cue,
    dataset: asked.dataset,
    stream: true,
    ...(asked.as_of && { as_of: asked.as_of }),
    ...(filters && { filters }),
  };
}
