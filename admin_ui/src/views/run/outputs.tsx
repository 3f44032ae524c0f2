// What the stages of a run produced. It may be large, so it is asked for when somebody wants to see it.
import { useState } from "preact/hooks";
import { get } from "../../api/client";
import type { Schema } from "../../api/types";
import { useLoaded } from "../../app/load";
import { Tree } from "../../parts/json";
import { Empty, Loading, Trouble } from "../../parts/states";

export function Outputs({ path, isHidden }: { path: string; isHidden: boolean }) {
  const [isWanted, want] = useState(false);
  return (
    <section class="panel" aria-label="Outputs">
      <h2>Outputs</h2>
      {isHidden ? (
        <Empty>They are left out: a memory that the run is of or rests on is forgotten.</Empty>
      ) : isWanted ? (
        <Shown path={path} />
      ) : (
        <button type="button" onClick={() => want(true)}>
          Show outputs
        </button>
      )}
    </section>
  );
}

function Shown({ path }: { path: string }) {
  const { value, problem, again } = useLoaded(
    (signal) => get<Schema<"OutputsReply">>(`${path}/outputs`, {}, signal),
    [path],
  );
  if (problem) return <Trouble problem={problem} again={again} />;
  if (!value) return <Loading />;
  return Object.keys(value.outputs).length ? (
    <Tree value={value.outputs} />
  ) : (
    <Empty>No stage has produced anything.</Empty>
  );
}
