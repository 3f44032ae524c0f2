// How something went, as a sign and a word: never by colour alone.

export type Tone = "good" | "bad" | "warn" | "busy" | "idle";

/** The sign of every status the server tells of. */
export const STATUS_SIGNS: Record<string, [sign: string, tone: Tone]> = {
  succeeded: ["✓", "good"],
  ok: ["✓", "good"],
  ready: ["✓", "good"],
  current: ["✓", "good"],
  accepted: ["✓", "good"],
  done: ["✓", "good"],
  derived: ["✓", "good"],
  failed: ["✕", "bad"],
  quarantined: ["⚑", "bad"],
  contradicted: ["≠", "bad"],
  retracted: ["✕", "idle"],
  unavailable: ["✕", "bad"],
  degraded: ["!", "warn"],
  retrying: ["↻", "warn"],
  rebuilding: ["↻", "warn"],
  building: ["↻", "busy"],
  running: ["▸", "busy"],
  started: ["▸", "busy"],
  pending: ["…", "idle"],
  waiting: ["…", "idle"],
  not_started: ["·", "idle"],
  skipped: ["○", "idle"],
  refused: ["⊘", "idle"],
  cancelled: ["⊘", "idle"],
  canceled: ["⊘", "idle"],
  undone: ["↶", "idle"],
  open: ["?", "warn"],
  superseded: ["↷", "idle"],
  ended: ["⊣", "idle"],
  future: ["→", "idle"],
  forgotten: ["⌫", "idle"],
  active: ["✓", "good"],
  revoked: ["⊘", "idle"],
  paused: ["‖", "warn"],
  failing: ["!", "warn"],
  none: ["–", "idle"],
};

function faceOf(status: string): [string, Tone] {
  return STATUS_SIGNS[status] ?? ["·", "idle"];
}

/** `isAdvisory`: it failed, and what it belongs to succeeded all the same. */
export function Status({ of, isAdvisory }: { of: string; isAdvisory?: boolean }) {
  const [sign, tone] = faceOf(of);
  return (
    <span class={`status ${isAdvisory ? "warn" : tone}`}>
      <span aria-hidden="true">{sign}</span> {of.replaceAll("_", " ")}
      {isAdvisory && ", advisory"}
    </span>
  );
}

export type StripStage = { name: string; status: string; advisory?: boolean; error?: string | null };

/** One cell a stage, in their order. */
export function Strip({ stages }: { stages: readonly StripStage[] }) {
  const summary = stages.map((each) => `${each.name} ${each.status}`).join(", ");
  return (
    <span class="strip" role="img" aria-label={summary || "no stages"}>
      {stages.map((each) => (
        <Cell key={each.name} {...each} />
      ))}
    </span>
  );
}

/** The stages of a run; those that failed though it succeeded were not needed for it. */
export function RunStrip({ run }: { run: { status: string; stages: readonly StripStage[] } }) {
  const advisory = run.status === "succeeded";
  return <Strip stages={run.stages.map((stage) => ({ ...stage, advisory }))} />;
}

function Cell({ name, status, advisory, error }: StripStage) {
  const [sign, tone] = faceOf(status);
  const shown = status === "failed" && advisory ? "warn" : tone;
  return (
    <span class={`cell ${shown}`} title={`${name}: ${status}${error ? `\n${error}` : ""}`}>
      {sign}
    </span>
  );
}
