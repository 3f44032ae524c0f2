// The documents of a dataset, each with how far it is read and the run that made it what it is.
import type { Schema } from "../api/types";
import { datasets } from "../app/datasets";
import { useLoaded } from "../app/load";
import { params } from "../app/router";
import { JsonLink } from "../parts/link";
import { count } from "../parts/numbers";
import { Empty, Loading, Trouble } from "../parts/states";
import { DocumentsOf } from "./documents/list";

export type Document = Schema<"DocumentReply">;
const LISTS = 10; // datasets listed at once
export const DEFAULT_DATASET = "default";

export default function Documents() {
  const chosen = params.value.get("dataset");
  if (!chosen) return <OfEvery />;
  return (
    <>
      <div class="head">
        <h1>Documents</h1>
        <span class="quiet">
          in <bdi>{chosen}</bdi>
        </span>
        <JsonLink to={`/v1/documents?${new URLSearchParams({ dataset: chosen })}`} />
      </div>
      <section class="panel documents" aria-label="Documents">
        <DocumentsOf key={chosen} dataset={chosen} />
      </section>
    </>
  );
}

/** The server lists the documents of one dataset at a time, so each has its own list. */
function OfEvery() {
  const { value, problem, again } = useLoaded(datasets, []);
  const full = value?.filter((each) => each.size?.documents !== 0) ?? [];
  const empty = value?.filter((each) => each.size?.documents === 0) ?? [];
  return (
    <>
      <div class="head">
        <h1>Documents</h1>
        <span class="quiet">in all datasets</span>
      </div>
      {problem ? <Trouble problem={problem} again={again} /> : !value && <Loading />}
      {value?.length === 0 && <Empty>There is no dataset yet; the first document makes one.</Empty>}
      {full.slice(0, LISTS).map(({ name, size }) => (
        <section key={name} class="panel documents" aria-label={`Dataset ${name}`}>
          <div class="head">
            <h2>
              <bdi>{name}</bdi>
            </h2>
            {size && (
              <span class="quiet">{size.documents === 1 ? "1 document" : `${count(size.documents)} documents`}</span>
            )}
          </div>
          <DocumentsOf dataset={name} />
        </section>
      ))}
      {full.length > LISTS && <p class="quiet">{count(full.length - LISTS)} more datasets: choose one above.</p>}
      {empty.length > 0 && (
        <p class="quiet">
          Without documents: <bdi>{empty.map((each) => each.name).join(", ")}</bdi>
        </p>
      )}
    </>
  );
}

/** What to call a document: the best name that it has. */
export function titleOf(document: Document): string {
  return document.title || document.name || document.url || document.document_id;
}
