// A statement in words, its entities as links, and the time in which it holds.
import type { Schema } from "../../api/types";
import { EntityLink } from "../../parts/link";
import { Time } from "../../parts/time";

type Statement = Schema<"StatementReply">;

export function Said({ of }: { of: Statement }) {
  const { subject, predicate, object, value } = of;
  return (
    <span class="said">
      <EntityLink id={subject.entity_id} name={subject.name} /> {predicate.replaceAll("_", " ")}{" "}
      {object ? <EntityLink id={object.entity_id} name={object.name} /> : <bdi>{value}</bdi>}
    </span>
  );
}

export function Holds({ of }: { of: Statement }) {
  if (!of.validities.length) return <>not believed any more</>;
  return (
    <>
      {of.validities.map((held, at) => (
        <Span key={at} {...held} />
      ))}
    </>
  );
}

function Span({ valid_from, valid_to, invalidated_at }: Schema<"ValidityReply">) {
  return (
    <div class="held">
      {valid_from ? <Time at={valid_from} /> : "begin unknown"} – {valid_to ? <Time at={valid_to} /> : "open"}
      {invalidated_at && (
        <span class="quiet">
          {" "}
          (believed until <Time at={invalidated_at} />)
        </span>
      )}
    </div>
  );
}
