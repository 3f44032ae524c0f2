// The model calls of a run: what was said to the model, what it said, what it took.
import { useState } from "preact/hooks";
import { get } from "../../api/client";
import type { Page, Schema } from "../../api/types";
import { usePages } from "../../app/pages";
import { Drawer } from "../../parts/dialog";
import { Facts } from "../../parts/fields";
import { Tree } from "../../parts/json";
import { Empty, Loading, Trouble } from "../../parts/states";
import { Status } from "../../parts/status";
import { More } from "../../parts/table";
import { duration, Time } from "../../parts/time";
import { money, tokensOf } from "./spent";

type Call = Schema<"InferenceReply">;

const PAGE = 50;
const CUT = 4000; // characters of a prompt or an output shown at first

const read = (path: string, stage: string | null, cursor: string | null, signal: AbortSignal): Promise<Page<Call>> =>
  get<Page<Call>>(`${path}/inferences`, { stage, cursor, limit: PAGE }, signal);

/** `stage` empty: of every stage. */
export function Calls({ path, stage, onClose }: { path: string; stage: string; onClose: () => void }) {
  const pages = usePages((cursor, signal) => read(path, stage || null, cursor, signal), [path, stage]);
  return (
    <Drawer title={stage ? `Model calls of ${stage}` : "Model calls"} onClose={onClose}>
      {pages.items?.length ? <p class="quiet">{spent(pages.items, pages.hasMore)}</p> : null}
      {pages.items?.map((call) => (
        <OneCall key={call.inference_id} call={call} isOpen={pages.items?.length === 1} />
      ))}
      {pages.items?.length === 0 && !pages.hasMore && <Empty>No call is on record.</Empty>}
      {pages.problem && <Trouble problem={pages.problem} again={pages.again} />}
      {pages.isLoading && !pages.items && <Loading />}
      <More has={pages.hasMore} busy={pages.isLoading} load={pages.more} />
    </Drawer>
  );
}

/** One line about calls; what no call tells of is left out. */
export function spent(calls: readonly Call[], hasMore: boolean): string {
  const sum = (of: (call: Call) => number | null): number | null =>
    calls.reduce<number | null>((total, call) => {
      const one = of(call);
      return one === null ? total : (total ?? 0) + one;
    }, null);
  const cost = sum((call) => call.cost);
  const parts = [
    tokensOf({ input_tokens: sum((call) => call.input_tokens), output_tokens: sum((call) => call.output_tokens) }),
    cost === null ? null : `cost ${money(cost)}`,
    `${duration((sum((call) => call.latency_us) ?? 0) / 1000)} of model time`,
    hasMore ? `the newest ${calls.length} calls only` : `${calls.length} ${calls.length === 1 ? "call" : "calls"}`,
  ];
  return parts.filter(Boolean).join(" · ");
}

function OneCall({ call, isOpen }: { call: Call; isOpen: boolean }) {
  const [isShown, show] = useState(isOpen);
  return (
    <details class="call" open={isShown} onToggle={(event) => show(event.currentTarget.open)}>
      <summary>
        <Status of={call.error ? "failed" : "succeeded"} /> <code class="id">{call.inference_id}</code>{" "}
        <span class="quiet">
          {call.stage} · {call.model} · {duration(call.latency_us / 1000)}
          {call.attempt > 1 && ` · attempt ${call.attempt}`}
        </span>
      </summary>
      {isShown && <Inside call={call} />}
    </details>
  );
}

function Inside({ call }: { call: Call }) {
  const count = (tokens: number | null): string => tokens?.toLocaleString() ?? "–";
  return (
    <>
      <Facts
        pairs={[
          ["Model", <span class="said">{`${call.provider} · ${call.model}`}</span>],
          ["Mode", call.mode],
          ["Tokens", `${count(call.input_tokens)} in, ${count(call.output_tokens)} out`],
          ["Cost", call.cost === null ? "–" : money(call.cost)],
          ["Latency", duration(call.latency_us / 1000)],
          ["Attempt", call.attempt],
          ["Started", <Time at={call.started_at} />],
        ]}
      />
      {call.error && <p class="said bad">{call.error}</p>}
      {call.is_hidden && <p class="warn">What was said is left out: it rests on a memory that is forgotten.</p>}
      {Object.keys(call.parameters).length > 0 && <Tree value={call.parameters} />}
      <h3>Prompt</h3>
      {call.prompt?.map((message, at) => (
        <figure class="message" key={at}>
          <figcaption>{message["role"]}</figcaption>
          <Long text={message["content"] ?? ""} />
        </figure>
      )) ?? <Hash of={call.prompt_hash} />}
      <h3>Output</h3>
      {call.output === null ? <Hash of={call.output_hash} /> : <Output text={call.output} />}
    </>
  );
}

function Hash({ of }: { of: string | null }) {
  return (
    <p class="quiet">
      {of ? (
        <>
          Only its hash is kept: <code class="id">{of}</code>
        </>
      ) : (
        "None."
      )}
    </p>
  );
}

/** An output that is JSON as a tree, any other as it is. */
function Output({ text }: { text: string }) {
  const value = parsed(text);
  return value === undefined ? <Long text={text} /> : <Tree value={value} />;
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function Long({ text }: { text: string }) {
  const [isWhole, whole] = useState(text.length <= CUT);
  return (
    <>
      <pre class="said">{isWhole ? text : `${text.slice(0, CUT)}…`}</pre>
      {!isWhole && (
        <button type="button" class="plain" onClick={() => whole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </>
  );
}
