// A question and its answer with what it rests on. The question is the address; it is asked when it is told to.
import { useState } from "preact/hooks";
import { go, href, params } from "../app/router";
import { Empty } from "../parts/states";
import { Answer } from "./query/answer";
import { type Told, useAnswering } from "./query/answering";
import { type Asked, bodyOf, carried, NAMES, parse } from "./query/asked";
import { Form } from "./query/form";
import { faultOf } from "./recall/faults";

export default function Query() {
  const asked = parse(params.value);
  const of = nameOf(asked);
  const [told, tell] = useState<Told | null>(null);
  const answering = useAnswering(of, () => bodyOf(asked), told);
  const fault = faultOf(answering.problem, NAMES);
  function ask(next: Asked): void {
    const query = carried(next);
    tell({ of: nameOf(parse(new URLSearchParams(query))) });
    go(href("/query", query), !asked.question);
  }
  return (
    <>
      <header class="head">
        <h1>Query</h1>
        <span class="quiet">A question, answered from what is remembered.</span>
        {asked.question && (
          <a class="beside" href={href("/recall", { cue: asked.question, dataset: asked.dataset, as_of: asked.as_of })}>
            What recall finds for it
          </a>
        )}
      </header>
      <Form asked={asked} fault={fault} onAsk={ask} />
      {fault ? (
        <Empty>It was not asked: see the field above.</Empty>
      ) : (
        <div class="answer-page">
          <Answer of={answering}>
            <Empty>
              {asked.question
                ? "Not asked yet. Asking may cost a call of the language model, and the run is kept on record."
                : "Ask something: the answer says what it rests on."}
            </Empty>
          </Answer>
        </div>
      )}
    </>
  );
}

/** One text for equal questions. */
const nameOf = (asked: Asked): string => JSON.stringify(bodyOf(asked));
