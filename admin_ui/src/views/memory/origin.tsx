// The document that a memory is a text of, and the run that read it.
import { get } from "../../api/client";
import type { Schema } from "../../api/types";
import { useLoaded } from "../../app/load";
import { href } from "../../app/router";
import { Facts } from "../../parts/fields";
import { RunLink } from "../../parts/link";
import { count } from "../../parts/numbers";
import { Loading, Trouble } from "../../parts/states";
import { Time } from "../../parts/time";
import { Section } from "./section";

type Document = Schema<"DocumentReply">;

export const documentHref = (id: string, dataset: string): string =>
  href(`/documents/${encodeURIComponent(id)}`, { dataset });

export function Origin({ id, dataset }: { id: string; dataset: string }) {
  const address = `/v1/documents/${encodeURIComponent(id)}`;
  const { value, problem, again } = useLoaded(
    (signal) => get<Document>(address, { dataset }, signal),
    [address, dataset],
  );
  return (
    <Section title="Document">
      {problem?.status === 404 ? (
        <p>
          It carries the id <code class="id said">{id}</code>, under which no document was remembered.
        </p>
      ) : problem ? (
        <Trouble problem={problem} again={again} />
      ) : value ? (
        <About document={value} />
      ) : (
        <Loading />
      )}
    </Section>
  );
}

function About({ document }: { document: Document }) {
  const { document_id: id, dataset, remember_run_id: run } = document;
  return (
    <>
      <p>
        <a href={documentHref(id, dataset)}>
          <span class="said">{document.title || document.name || id}</span>
        </a>
      </p>
      <Facts
        pairs={[
          ["Kind", document.kind ?? "–"],
          ["File", <bdi class="said">{document.name ?? "–"}</bdi>],
          ["Chunks", count(document.chunks)],
          ["Read by", run ? <RunLink id={run} /> : "no run yet"],
          ["Changed", <Time at={document.updated_at} />],
        ]}
      />
      <p class="links">
        <a href={href("/runs", { operation: "remember", dataset, document_id: id })}>every run of the document</a>
      </p>
    </>
  );
}
