// How far a document is read and how often it was remembered: its run log, asked for by each row that is seen.
import { get } from "../../api/client";
import type { Page, Schema } from "../../api/types";
import { useLoaded } from "../../app/load";
import { href } from "../../app/router";
import { count } from "../../parts/numbers";
import { Status } from "../../parts/status";
import type { Document } from "../documents";

type Run = Schema<"RunReply">;
const MOST = 100; // runs counted; more are told as "more than"

/** The newest run says where the document stands; each run is a version of it. */
export function Standing({ of }: { of: Document }) {
  const { dataset, document_id } = of;
  const { value, problem } = useLoaded(
    (asking) => get<Page<Run>>("/v1/admin/api/remember-runs", { dataset, document_id, limit: MOST }, asking),
    [dataset, document_id],
  );
  if (problem) return <Unknown status={problem.status} />;
  if (!value) return <>…</>;
  const [newest] = value.data;
  if (!newest) return <span class="quiet">no run on record</span>;
  return (
    <span class="standing">
      <Status of={newest.state} />
      {newest.has_failed_stage && newest.state === "succeeded" && <span class="flag">⚑ a stage failed</span>}
      <Versions of={of} n={value.data.length} hasMore={value.has_more} />
    </span>
  );
}

function Versions({ of, n, hasMore }: { of: Document; n: number; hasMore: boolean }) {
  const words = n === 1 && !hasMore ? "1 version" : `${hasMore ? "more than " : ""}${count(n)} versions`;
  const to = href("/runs", { operation: "remember", dataset: of.dataset, document_id: of.document_id });
  return <a href={to}>{words}</a>;
}

function Unknown({ status }: { status: number }) {
  return <span class="quiet">{status === 403 ? "only for the scope admin" : "not loaded"}</span>;
}
