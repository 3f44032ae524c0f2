// The verdict on one memory: at which step of the recall it fell out, or where it came to be.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { get, Problem } from "../../api/client";
import type { Schema } from "../../api/types";
import { Bar } from "../../parts/bars";
import { MemoryLink } from "../../parts/link";
import { Table } from "../../parts/table";
import { Time } from "../../parts/time";
import type { Asked } from "./asked";
import { best, type Explained, figure, type Trace } from "./trace";

type Memory = Schema<"MemoryReply">;
type Given = { of: Explained; trace: Trace; hits: number; asked: Asked };

export function Verdict({ of, trace, hits, asked }: Given) {
  return (
    <li class="verdict-of">
      <p>
        <MemoryLink id={of.memory_id} />
      </p>
      <p>
        <strong>{headline(of, hits)}</strong> <span class="said">{of.why}.</span>
      </p>
      {of.outcome === "out_of_reach" ? (
        <Whereabouts id={of.memory_id} asked={asked} />
      ) : (
        <InLanes of={of} trace={trace} />
      )}
    </li>
  );
}

function headline({ outcome, score }: Explained, hits: number): string {
  const scored = score === undefined ? "" : ` with a score of ${figure(score)}`;
  const SAID: Record<string, string> = {
    hit: `✓ It is a hit${scored}:`,
    below_limit: `↓ It was found${scored}, but only ${hits} hits are shown:`,
    filtered: "⊘ The filters exclude it:",
    not_a_candidate: "– It was not found:",
    out_of_reach: "✕ It is not there to be found:",
  };
  return SAID[outcome] ?? `${outcome.replaceAll("_", " ")}:`;
}

/** The ranks of what lanes found, or how far it was from being found. */
function InLanes({ of: { lanes = {} }, trace }: { of: Explained; trace: Trace }) {
  const rows = Object.entries(lanes);
  if (!rows.length) return null;
  const isMissed = rows.some(([, each]) => each.rank === undefined);
  return (
    <Table
      label="In each lane"
      heads={isMissed ? ["Lane", "Its score", "Last candidate's"] : ["Lane", "Rank", "Score"]}
      rows={rows.map(([name, each]) => {
        const bar = <Bar value={each.score} max={best(trace.lanes[name])} label={figure(each.score)} />;
        const last = each.last_candidate ?? null;
        return isMissed ? [name, bar, last === null ? "none" : figure(last)] : [name, each.rank, bar];
      })}
    />
  );
}

/** The server does not say whether it is elsewhere, later or gone: the memory itself does, if it is looked for. */
function Whereabouts({ id, asked }: { id: string; asked: Asked }) {
  const [words, say] = useState<ComponentChildren>(null);
  async function look(): Promise<void> {
    try {
      say(placed(await get<Memory>(`/v1/memories/${encodeURIComponent(id)}`), asked));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say(error.status === 404 ? "No memory has this id, or it is forgotten." : error.message);
    }
  }
  return (
    <p role="status">
      {words ?? (
        <button type="button" class="plain" onClick={() => void look()}>
          Look for it elsewhere
        </button>
      )}
    </p>
  );
}

function placed({ dataset, created_at }: Memory, asked: Asked): ComponentChildren {
  if (dataset !== asked.dataset)
    return (
      <>
        It is in the dataset <bdi>{dataset}</bdi>.
      </>
    );
  return (
    <>
      It was kept on <Time at={created_at} />
      {asked.as_of && ", after the time that is asked about"}.
    </>
  );
}
