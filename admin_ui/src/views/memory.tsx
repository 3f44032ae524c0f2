// A memory: its text with the words that carry what is known of it, and everything that was derived from it.
import { useEffect, useMemo } from "preact/hooks";
import { get } from "../api/client";
import { useLoaded } from "../app/load";
import { href } from "../app/router";
import { Tree } from "../parts/json";
import { JsonLink, MemoryLink } from "../parts/link";
import { Loading } from "../parts/states";
import { Status } from "../parts/status";
import { type Bundle, layOut, opening } from "./memory/bundle";
import { Claims, ordered } from "./memory/claims";
import { Recorded } from "./memory/facts";
import { Questions, Terms } from "./memory/finding";
import { Forget } from "./memory/forgetting";
import { Gone } from "./memory/gone";
import { Links } from "./memory/links";
import { Marked } from "./memory/marked";
import { Named } from "./memory/named";
import { Origin } from "./memory/origin";
import { lit, sought } from "./memory/pointing";
import { Runs } from "./memory/runs";
import { Section } from "./memory/section";
import { Versions } from "./memory/versions";
import { isAlive } from "./runs/operations";

const CUE = 160; // units of the text that it is looked for by

export default function MemoryView({ id }: { id: string }) {
  return <One key={id} id={id} />;
}

function One({ id }: { id: string }) {
  const path = `/v1/memories/${encodeURIComponent(id)}/inspect`;
  const { value, problem, again } = useLoaded((signal) => get<Bundle>(path, {}, signal), [path]);
  useEffect(() => {
    lit.value = [];
    sought.value = null;
  }, []);
  return (
    <article class="memory">
      <header class="head">
        <h1>
          Memory <code class="id said">{id}</code>
        </h1>
        {value && <Status of={value.memory.is_current ? "current" : "superseded"} />}
        {value && <Actions bundle={value} path={path} again={again} />}
      </header>
      {problem ? (
        <Gone id={id} problem={problem} again={again} />
      ) : value ? (
        <Shown bundle={value} again={again} />
      ) : (
        <Loading />
      )}
    </article>
  );
}

function Actions({ bundle, path, again }: { bundle: Bundle; path: string; again: () => void }) {
  const { text, dataset } = bundle.memory;
  return (
    <div class="actions">
      <a href={href("/recall", { cue: opening(text, CUE).replace(/…$/, ""), dataset })}>Find it by recall</a>
      <JsonLink to={path} />
      <Forget bundle={bundle} onDone={again} />
    </div>
  );
}

function Shown({ bundle, again }: { bundle: Bundle; again: () => void }) {
  const { memory, runs } = bundle;
  return (
    <>
      <Notices bundle={bundle} again={again} />
      <div class="memory-page">
        <div>
          <Text bundle={bundle} />
        </div>
        <aside aria-label="About the memory">
          <section class="panel" aria-label="Facts">
            <Recorded bundle={bundle} />
          </section>
          <Metadata of={memory.metadata} />
          {memory.document_id && <Origin id={memory.document_id} dataset={memory.dataset} />}
          {memory.is_current && <Questions questions={bundle.questions} dataset={memory.dataset} />}
          {memory.is_current && <Terms terms={bundle.terms} />}
        </aside>
      </div>
      {memory.is_current && <Links id={memory.memory_id} edges={bundle.edges} />}
      <Versions memory={memory} versions={bundle.versions} />
      <Runs runs={runs} />
    </>
  );
}

/** The text and what rests on its words, which point at each other. */
function Text({ bundle }: { bundle: Bundle }) {
  const { memory, statements, entities } = bundle;
  const { spans, here } = useMemo(() => layOut(bundle), [bundle]);
  const numbers = useMemo(
    () => new Map(ordered(statements).map((each, at) => [each.statement_id, at + 1])),
    [statements],
  );
  const words = useMemo(
    () =>
      new Map([
        ...statements.map((each) => [each.statement_id, each.text] as const),
        ...entities.map(({ entity, kind }) => [entity.entity_id, `${entity.name} (${kind})`] as const),
      ]),
    [bundle],
  );
  return (
    <>
      <section class="panel" aria-labelledby="text">
        <h2 id="text">Text</h2>
        <Marked text={memory.text} spans={spans} guide={{ words, numbers }} />
        {spans.length > 0 && (
          <p class="quiet keys-of-text">
            <span class="evidence">words that carry a statement</span>, with its number ·{" "}
            <span class="naming">name of an entity</span>
          </p>
        )}
      </section>
      {memory.is_current && <Claims bundle={bundle} numbers={numbers} here={here} />}
      {memory.is_current && <Named entities={entities} />}
    </>
  );
}

function Notices({ bundle: { memory, versions, runs }, again }: { bundle: Bundle; again: () => void }) {
  const current = versions.find((each) => each.is_current);
  return (
    <>
      {!memory.is_current && (
        <p class="notice">
          This is an earlier revision. What was derived is shown of the current one
          {current && (
            <>
              : <MemoryLink id={current.memory_id} />
            </>
          )}
          .
        </p>
      )}
      {runs[0] && isAlive(runs[0]) && (
        <p class="notice">
          It is still being read, so what is derived from it may be incomplete.{" "}
          <button type="button" onClick={again}>
            Load again
          </button>
        </p>
      )}
    </>
  );
}

function Metadata({ of }: { of: Bundle["memory"]["metadata"] }) {
  const size = Object.keys(of).length;
  return size ? (
    <Section title="Metadata" size={size}>
      <Tree value={of} />
    </Section>
  ) : null;
}
