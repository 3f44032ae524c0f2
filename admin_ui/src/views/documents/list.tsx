// The documents of one dataset, the one remembered last first.
import { get } from "../../api/client";
import type { Page } from "../../api/types";
import { usePages } from "../../app/pages";
import { href } from "../../app/router";
import { RunLink } from "../../parts/link";
import { count } from "../../parts/numbers";
import { Seen } from "../../parts/seen";
import { Empty, Loading, Trouble } from "../../parts/states";
import { More, Table } from "../../parts/table";
import { Time } from "../../parts/time";
import { type Document, titleOf } from "../documents";
import { Standing } from "./standing";

const PAGE = 50;
const HEADS = ["Document", "Kind", "Characters", "Chunks", "State and versions", "Run of its texts", "Changed"];

export function DocumentsOf({ dataset }: { dataset: string }) {
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
    <Name of={each} />,
    each.kind ?? "–",
    each.characters === null ? "–" : count(each.characters),
    count(each.chunks),
    <Seen key={each.document_id}>{() => <Standing of={each} />}</Seen>,
    each.remember_run_id ? <RunLink id={each.remember_run_id} /> : "–",
    <Time at={each.updated_at} />,
  ]);
  return <Table label={`Documents in ${dataset}`} heads={HEADS} rows={rows} />;
}

function Name({ of }: { of: Document }) {
  const title = titleOf(of);
  return (
    <>
      <a class="said" href={href(`/documents/${encodeURIComponent(of.document_id)}`, { dataset: of.dataset })}>
        {title}
      </a>
      {title !== of.document_id && <small class="id quiet">{of.document_id}</small>}
    </>
  );
}
