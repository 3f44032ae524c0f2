// The documents of a dataset, the one changed last first, each with the run that made it what it is.
import { get } from "../api/client";
import type { Page, Schema } from "../api/types";
import { useLoaded } from "../app/load";
import { usePages } from "../app/pages";
import { href, params } from "../app/router";
import { RunLink } from "../parts/link";
import { Empty, Loading, Trouble } from "../parts/states";
import { More, Table } from "../parts/table";
import { Time } from "../parts/time";
import { datasets } from "./overview/loads";
import { count } from "./overview/numbers";

type Document = Schema<"DocumentReply">;
const PAGE = 50;
const LISTS = 10; // datasets listed at once
export const DEFAULT_DATASET = "default";

export default function Documents() {
  const chosen = params.value.get("dataset");
  return (
    <>
      <h1>Documents</h1>
      {chosen ? <Of key={chosen} dataset={chosen} /> : <OfEvery />}
    </>
  );
}

/** The server lists the documents of one dataset at a time, so each has its own list. */
function OfEvery() {
  const { value, problem, again } = useLoaded(datasets, []);
  if (problem) return <Trouble problem={problem} again={again} />;
  if (!value) return <Loading />;
  if (!value.length) return <Empty>There is no dataset yet; the first document makes one.</Empty>;
  return (
    <>
      {value.slice(0, LISTS).map(({ name }) => (
        <section key={name} class="panel" aria-label={`Documents in ${name}`}>
          <h2>
            <bdi>{name}</bdi>
          </h2>
          <Of dataset={name} />
        </section>
      ))}
      {value.length > LISTS && (
        <p class="quiet">There are {count(value.length - LISTS)} datasets more: choose one above.</p>
      )}
    </>
  );
}

function Of({ dataset }: { dataset: string }) {
  const pages = usePages<Document>(
    (cursor, asking) => get<Page<Document>>("/v1/documents", { dataset, limit: PAGE, cursor }, asking),
    [dataset],
  );
  return (
    <>
      {pages.items && <List documents={pages.items} dataset={dataset} />}
      {pages.problem ? <Trouble problem={pages.problem} again={pages.again} /> : !pages.items && <Loading />}
      {!pages.problem && <More has={pages.hasMore} busy={pages.isLoading} load={pages.more} />}
    </>
  );
}

function List({ documents, dataset }: { documents: Document[]; dataset: string }) {
  if (!documents.length) {
    return (
      <Empty>
        No document was remembered in <bdi>{dataset}</bdi>.
      </Empty>
    );
  }
  const rows = documents.map((each) => [
    <a class="said" href={href(`/documents/${encodeURIComponent(each.document_id)}`, { dataset })}>
      {titleOf(each)}
    </a>,
    each.kind ?? "–",
    each.characters === null ? "–" : count(each.characters),
    count(each.chunks),
    each.remember_run_id ? <RunLink id={each.remember_run_id} /> : "–",
    <Time at={each.updated_at} />,
  ]);
  return <Table label="Documents" heads={["Document", "Kind", "Characters", "Chunks", "Run", "Changed"]} rows={rows} />;
}

/** What to call a document: the best name that it has. */
export function titleOf(document: Document): string {
  return document.title || document.name || document.url || document.document_id;
}
