// Recall to play with: a cue, what it finds and why, and beside it the answer to the same cue as a question.
import { useState } from "preact/hooks";
import { ask } from "../api/client";
import type { Schema } from "../api/types";
import { useLoaded } from "../app/load";
import { filter, go, href, params } from "../app/router";
import { Tree } from "../parts/json";
import { count } from "../parts/numbers";
import { Empty, Loading, Trouble } from "../parts/states";
import { type Told, useAnswering } from "./query/answering";
import { citedBy } from "./query/slices";
import { type Asked, bodyOf, carried, NAMES, namedBy, parse } from "./recall/asked";
import { Beside, questionOf } from "./recall/beside";
import { type Fault, faultOf } from "./recall/faults";
import { Fold } from "./recall/fold";
import { Form } from "./recall/form";
import { Hits } from "./recall/hits";
import { Lanes } from "./recall/lanes";
import { Dropped, Understood } from "./recall/narrowed";
import { fine, Steps, tookOf } from "./recall/steps";
import { placesOf, slotOf, type Trace } from "./recall/trace";
import { Why } from "./recall/why";

type Reply = Schema<"RecallReply">;

export default function Recall() {
  const asked = parse(params.value);
  const isBeside = params.value.get("beside") === "1";
  const { value, problem, isLoading, again } = useLoaded((signal) => recall(asked, signal), [JSON.stringify(asked)]);
  const [isBlank, tellBlank] = useState(false);
  const fault = isBlank && !asked.cue ? BLANK : faultOf(problem, NAMES);
  function onAsk(next: Asked): void {
    tellBlank(!next.cue.trim());
    const query = { ...carried(next), ...(isBeside && { beside: "1" }) };
    if (href("/recall", query) === location.pathname + location.search) again();
    else go(href("/recall", query), !asked.cue);
  }
  return (
    <>
      <header class="head">
        <h1>Recall</h1>
        <span class="quiet">What a cue finds, and why. No language model is asked.</span>
      </header>
      <Form asked={asked} fault={fault} isBusy={isLoading && asked.cue !== ""} onAsk={onAsk} />
      {problem && !fault && <Trouble problem={problem} again={again} />}
      {fault && <Empty>It was not asked: see the field that is marked.</Empty>}
      {!asked.cue && !fault && <Empty>Ask with a cue: the hits say which lane found them, at which rank.</Empty>}
      {asked.cue && !problem && !value && <Loading />}
      {value && <Found asked={asked} reply={value} isBeside={isBeside} />}
      {fault?.name === "explain" && <Why asked={asked} fault={fault} trace={null} hits={0} />}
    </>
  );
}

const BLANK: Fault = { name: "cue", words: "is needed: nothing is found without one" };

/** Nothing is asked without a cue. */
async function recall(asked: Asked, signal: AbortSignal): Promise<Reply | null> {
  if (!asked.cue) return null;
  const init = { method: "POST", headers: { "content-type": "application/json" }, signal };
  return ask<Reply>("/v1/recall", { ...init, body: JSON.stringify(bodyOf(asked)) });
}

type FoundGiven = { asked: Asked; reply: Reply; isBeside: boolean };

function Found({ asked, reply, isBeside }: FoundGiven) {
  const { hits } = reply;
  const trace = reply.trace as unknown as Trace;
  const [told, tell] = useState<Told | null>(null);
  const of = namedBy(asked);
  const answering = useAnswering(of, () => questionOf(asked), told);
  const places = placesOf(hits);
  const cited = citedBy((isBeside && answering.answered?.result.citations) || [], slotOf);
  function askBeside(): void {
    tell({ of });
    filter({ beside: "1" });
  }
  return (
    <>
      <p class="actions found-line">
        <strong role="status">
          {count(hits.length)} {hits.length === 1 ? "hit" : "hits"}
        </strong>
        <span class="quiet">
          of {count(trace.fusion.pool)} candidates, in {fine(tookOf(trace.stages))} on the server
        </span>
        {!isBeside && (
          <button type="button" onClick={askBeside}>
            Ask it as a question, beside the hits
          </button>
        )}
      </p>
      <div class="recall-page">
        {isBeside && <Beside of={answering} asked={asked} places={places} onClose={() => filter({ beside: null })} />}
        <section aria-labelledby="hits" class="hits-part">
          <h2 id="hits" class="unseen">
            Hits
          </h2>
          <Hits key={of} hits={hits} trace={trace} cited={cited} />
        </section>
        <aside aria-label="How they were found">
          <Why asked={asked} fault={null} trace={trace} hits={hits.length} />
          <Lanes trace={trace} places={places} />
          <Dropped trace={trace} />
          <Understood trace={trace} />
          <Steps stages={trace.stages} />
          <section class="panel" aria-label="As JSON">
            <Fold title="The reply of the API" facts="JSON">
              <Tree value={reply} />
            </Fold>
          </section>
        </aside>
      </div>
    </>
  );
}
