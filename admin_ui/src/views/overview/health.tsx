// Whether the server is well: every reason why not, and the numbers behind it.
import type { ComponentChildren } from "preact";
import { href } from "../../app/router";
import { Facts } from "../../parts/fields";
import { bytes, count } from "../../parts/numbers";
import { Status } from "../../parts/status";
import { duration } from "../../parts/time";
import type { Health } from "./loads";

type Fields = Record<string, unknown>;
const number = (of: Fields, field: string): number | null => (typeof of[field] === "number" ? of[field] : null);
// A server that cannot tell its numbers leaves them out: that is no zero.
const counted = (of: Fields, field: string): string => orDash(number(of, field), count);
const sized = (of: Fields, field: string): string => orDash(number(of, field), bytes);
const orDash = (n: number | null, words: (n: number) => string): string => (n === null ? "–" : words(n));
const text = (of: Fields, field: string): string => (typeof of[field] === "string" ? of[field] : "");

export function HealthPanel({ health }: { health: Health }) {
  return (
    <section class="panel" aria-labelledby="health">
      <h2 id="health">
        Health <span class="quiet">mindlog {health.version}</span>
      </h2>
      <Verdict health={health} />
      <div class="cards broad">
        <Work title="Derivation" operation="encode" of={health.derive} />
        <Work title="Remember" operation="remember" of={health.remember} />
        <Questions of={health.query} />
        <Model of={health.llm} />
        <Store of={health.store} />
        <Indexes health={health} />
      </div>
    </section>
  );
}

const VERDICTS = {
  ok: "Writes and recall work, and nothing is behind.",
  degraded: "Writes and recall work. To be looked at:",
  failed: "Writes or recall do not work:",
};

function Verdict({ health }: { health: Health }) {
  return (
    <div class={`verdict ${health.status}`} role="status">
      <p>
        <Status of={health.status} /> {VERDICTS[health.status]}
      </p>
      {health.reasons.length > 0 && (
        <ul class="reasons">
          {health.reasons.map((reason) => (
            <li key={reason} class="said">
              {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Card({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="card">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** A number that leads to the runs it counts; nothing leads to none. */
function Runs({ operation, status, n }: { operation: string; status: string; n: number | null }) {
  if (!n) return <>{n ?? "–"}</>;
  return (
    <a href={href("/runs", { operation, status })} aria-label={`${n} ${operation} runs that are ${status}`}>
      {count(n)}
    </a>
  );
}

function Work({ title, operation, of }: { title: string; operation: string; of: Fields }) {
  const runs = (status: string): ComponentChildren => (
    <Runs operation={operation} status={status} n={number(of, status)} />
  );
  const paused = text(of, "paused");
  return (
    <Card title={title}>
      <Facts
        pairs={[
          ["Backlog", counted(of, "pending")],
          ["Oldest waits", orDash(number(of, "oldest_seconds"), (seconds) => duration(seconds * 1000))],
          ["Running", runs("running")],
          ["Retrying", runs("retrying")],
          ["Failed", runs("failed")],
          ["Quarantined", runs("quarantined")],
        ]}
      />
      {paused && <p class="said warning">Paused: {paused}</p>}
    </Card>
  );
}

function Questions({ of }: { of: Fields }) {
  const runs = (status: string): ComponentChildren => <Runs operation="query" status={status} n={number(of, status)} />;
  return (
    <Card title="Questions">
      <Facts
        pairs={[
          ["Running", runs("running")],
          ["Answered", runs("succeeded")],
          ["Failed", runs("failed")],
          ["Not on record", counted(of, "unrecorded")],
        ]}
      />
    </Card>
  );
}

function Model({ of }: { of: Fields }) {
  return (
    <Card title="Language model">
      <Facts
        pairs={[
          ["State", <Status of={text(of, "state") || "none"} />],
          ["Provider", text(of, "provider") || "–"],
          ["Model", <bdi>{text(of, "model") || "–"}</bdi>],
        ]}
      />
      {text(of, "reason") && <p class="said quiet">{text(of, "reason")}</p>}
    </Card>
  );
}

function Store({ of }: { of: Fields }) {
  return (
    <Card title="Store">
      <Facts
        pairs={[
          ["Memories", counted(of, "memories")],
          ["Forgotten", counted(of, "forgotten")],
          ["Last log entry", counted(of, "last_lsn")],
          ["Writes waiting", counted(of, "queue")],
          ["Database", sized(of, "file_bytes")],
          ["Write-ahead log", sized(of, "wal_bytes")],
        ]}
      />
    </Card>
  );
}

function Indexes({ health }: { health: Health }) {
  return (
    <Card title="Indexes">
      <Facts
        pairs={health.indexes.map((index) => [
          text(index, "name"),
          <>
            <Status of={text(index, "state")} /> {counted(index, "rows")} rows
            {text(index, "detail") && <span class="said quiet"> {text(index, "detail")}</span>}
          </>,
        ])}
      />
      <p class="said quiet">
        {text(health.embedder, "name") || "No embedding model"}, {counted(health.embedder, "dimensions")} dimensions
      </p>
    </Card>
  );
}
