// A document: where it came from, the run that read it, and its texts with the state and summary of each.
import { useState } from "preact/hooks";
import { get } from "../api/client";
import type { Page } from "../api/types";
import { useLoaded } from "../app/load";
import { usePages } from "../app/pages";
import { href, params } from "../app/router";
import { Facts } from "../parts/fields";
import { JsonLink, RunLink } from "../parts/link";
import { count } from "../parts/numbers";
import { Empty, Loading, Trouble } from "../parts/states";
import { More } from "../parts/table";
import { Time } from "../parts/time";
import { Forget } from "./document/forget";
import { DocumentRuns } from "./document/runs";
import { type DocumentText, TextCard, TextStates } from "./document/text";
import { DEFAULT_DATASET, type Document, titleOf } from "./documents";

const PAGE = 50;

export default function DocumentView({ id }: { id: string }) {
  const dataset = params.value.get("dataset") ?? DEFAULT_DATASET;
  const [round, next] = useState(0);
  const address = `/v1/documents/${encodeURIComponent(id)}`;
  const { value, problem, again } = useLoaded((asking) => get<Document>(address, { dataset }, asking), [id, dataset]);
  return (
    <>
      <p class="crumbs">
        <a href={href("/documents", { dataset })}>Documents</a> in <bdi>{dataset}</bdi>
      </p>
      <h1 class="said">{value ? titleOf(value) : id}</h1>
      {problem ? <Trouble problem={problem} again={again} /> : !value && <Loading />}
      {value && (
        <>
          <About document={value} address={address} changed={() => next((before) => before + 1)} />
          <DocumentRuns id={id} dataset={dataset} current={value.remember_run_id} />
          <Texts address={address} dataset={dataset} round={round} />
        </>
      )}
    </>
  );
}

type AboutProps = { document: Document; address: string; changed: () => void };

function About({ document, address, changed }: AboutProps) {
  return (
    <section class="panel" aria-label="About the document">
      <Facts
        pairs={[
          ["Id", <code class="id">{document.document_id}</code>],
          ["Run of its texts", document.remember_run_id ? <RunLink id={document.remember_run_id} /> : "–"],
          ["Kind", document.kind ?? "–"],
          ["File", <bdi class="said">{document.name ?? "–"}</bdi>],
          ["Address", <bdi class="said">{document.url ?? "–"}</bdi>],
          ["Characters", document.characters === null ? "–" : count(document.characters)],
          ["Chunks", count(document.chunks)],
          ["First remembered", <Time at={document.created_at} />],
          ["Changed", <Time at={document.updated_at} />],
        ]}
      />
      <p class="links">
        <JsonLink to={`${address}?${new URLSearchParams({ dataset: document.dataset })}`} />
      </p>
      <Forget address={address} dataset={document.dataset} title={titleOf(document)} changed={changed} />
    </section>
  );
}

/** `round` grows when texts were forgotten or brought back. */
function Texts({ address, dataset, round }: { address: string; dataset: string; round: number }) {
  const pages = usePages<DocumentText>(
    (cursor, asking) => get<Page<DocumentText>>(`${address}/texts`, { dataset, limit: PAGE, cursor }, asking),
    [address, dataset, round],
  );
  return (
    <section class="panel" aria-labelledby="texts">
      <h2 id="texts">Texts</h2>
      <p class="quiet">
        What the document is kept as: its chunks in order, then what was found on the web or in series.
      </p>
      {pages.items?.length === 0 && (
        <Empty>Nothing to show: its run has kept no text yet, or all of them were forgotten.</Empty>
      )}
      {pages.items && pages.items.length > 0 && <TextStates />}
      {pages.items && pages.items.length > 0 && (
        <ol class="texts">
          {pages.items.map((each) => (
            <TextCard key={each.memory_id} text={each} />
          ))}
        </ol>
      )}
      {pages.problem ? <Trouble problem={pages.problem} again={pages.again} /> : !pages.items && <Loading />}
      {!pages.problem && <More has={pages.hasMore} busy={pages.isLoading} load={pages.more} />}
    </section>
  );
}
