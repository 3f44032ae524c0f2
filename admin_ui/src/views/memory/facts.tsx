// What is recorded with the text of a memory.
import { Facts } from "../../parts/fields";
import { count } from "../../parts/numbers";
import { Time } from "../../parts/time";
import type { Bundle, Memory } from "./bundle";
import { documentHref } from "./origin";
import { length } from "./spans";

const KINDS: Record<Memory["kind"], string> = {
  episodic: "something that happened",
  semantic: "something that is so",
  consolidated: "drawn together from others",
};

export function Recorded({ bundle: { memory, vector } }: { bundle: Bundle }) {
  return (
    <Facts
      pairs={[
        ["Id", <code class="id">{memory.memory_id}</code>],
        ["Dataset", <bdi>{memory.dataset}</bdi>],
        ["Agent", <bdi class="said">{memory.agent ?? "–"}</bdi>],
        ["Session", <bdi class="said">{memory.session ?? "–"}</bdi>],
        ["Document", <DocumentLink of={memory} />],
        [
          "Kind",
          <>
            {memory.kind} <span class="quiet">{KINDS[memory.kind]}</span>
          </>,
        ],
        [
          "Salience",
          <>
            {memory.salience} <span class="quiet">of 1, how much it matters</span>
          </>,
        ],
        ["Happened", <Time at={memory.occurred_at} />],
        ["First written", <Time at={memory.created_at} />],
        ["This revision", <Time at={memory.recorded_at} />],
        ["Length", `${count(length(memory.text))} characters`],
        [
          "Log position",
          <>
            {count(memory.lsn)} <span class="quiet">in the store's log</span>
          </>,
        ],
        ["Vector", <Vector of={vector} />],
      ]}
    />
  );
}

function DocumentLink({ of }: { of: Memory }) {
  if (!of.document_id) return <>–</>;
  return (
    <a href={documentHref(of.document_id, of.dataset)}>
      <code class="id">{of.document_id}</code>
    </a>
  );
}

function Vector({ of }: { of: Bundle["vector"] }) {
  const windows = of["windows"];
  if (typeof windows !== "number") return <>not shown of an earlier revision</>;
  return (
    <>
      {windows === 1 ? "one vector" : `${count(windows)} vectors, one for each window of the text`} of{" "}
      {String(of["dimensions"])} numbers by the model <bdi>{String(of["model"])}</bdi>{" "}
      <code class="id quiet" title={`Fingerprint of the model: ${String(of["fingerprint"])}`}>
        {String(of["fingerprint"]).slice(0, 12)}…
      </code>
    </>
  );
}
