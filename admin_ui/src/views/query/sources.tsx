// What an answer rests on: a quote of each memory that it cites.
import type { ComponentChildren } from "preact";
import type { Schema } from "../../api/types";
import { MemoryLink } from "../../parts/link";
import { Time } from "../../parts/time";

type Citation = Schema<"CitationReply">;
type About = ((memory: string) => ComponentChildren) | undefined;

export function Sources({ citations, about }: { citations: readonly Citation[]; about: About }) {
  if (!citations.length) return null;
  return (
    <section class="panel" aria-labelledby="sources">
      <h2 id="sources">Sources</h2>
      <ol class="sources">
        {citations.map((each) => (
          <Source key={each.n} of={each} about={about} />
        ))}
      </ol>
    </section>
  );
}

const TRUST: Record<string, string> = {
  user: "told by a user",
  web: "read on the web",
  derived: "derived from other memories",
};

function Source({ of, about }: { of: Citation; about: About }) {
  return (
    <li data-row>
      <p class="links">
        <strong>[{of.n}]</strong>
        <MemoryLink id={of.memory_id} />
        {about?.(of.memory_id)}
        {of.flags.includes("instructions") && (
          <span class="flag" title="It was given to the model as data, never as an order">
            ⚑ reads like an order to a model
          </span>
        )}
      </p>
      <blockquote class="said pre">{of.quote}</blockquote>
      <p class="whence quiet">
        {of.agent && <bdi>{of.agent}</bdi>}
        {of.session && (
          <span>
            session <bdi>{of.session}</bdi>
          </span>
        )}
        {of.document_id && (
          <span>
            document <bdi>{of.document_id}</bdi>
          </span>
        )}
        {of.occurred_at && <Time at={of.occurred_at} />}
        <span>{TRUST[of.trust] ?? of.trust}</span>
        {of.source && <Address of={of.source} />}
      </p>
    </li>
  );
}

/** Only an address of the web becomes a link: any other may be made to run. */
function Address({ of }: { of: string }) {
  if (!/^https?:\/\//i.test(of)) return <bdi>{of}</bdi>;
  return (
    <a href={of} target="_blank" rel="noreferrer">
      <bdi>{of}</bdi>
    </a>
  );
}
