// JSON as a tree that opens where it is looked at: what is closed is not on the page, so a large value costs little.
import { useState } from "preact/hooks";

const CUT = 300; // characters of a string shown at first
const CHILDREN = 100; // shown at a time
const OPEN_DEPTH = 1;

export function Tree({ value }: { value: unknown }) {
  return (
    <div class="tree">
      <Node value={value} name={null} depth={0} />
    </div>
  );
}

type NodeProps = { value: unknown; name: string | null; depth: number };

function Node({ value, name, depth }: NodeProps) {
  if (value !== null && typeof value === "object") return <Branch value={value} name={name} depth={depth} />;
  return (
    <div class="leaf">
      <Name of={name} />
      {typeof value === "string" ? <Text of={value} /> : <span class="literal">{String(value)}</span>}
    </div>
  );
}

function Name({ of }: { of: string | null }) {
  return of === null ? null : (
    <>
      <bdi class="name">{of}</bdi>:{" "}
    </>
  );
}

function Branch({ value, name, depth }: { value: object; name: string | null; depth: number }) {
  const [isOpen, open] = useState(depth < OPEN_DEPTH);
  const [shown, show] = useState(CHILDREN);
  const isList = Array.isArray(value);
  const size = isList ? value.length : Object.keys(value).length;
  const kind = isList ? `list of ${size}` : `${size} ${size === 1 ? "field" : "fields"}`;
  if (!size)
    return (
      <div class="leaf">
        <Name of={name} />
        <span class="literal">{isList ? "[]" : "{}"}</span>
      </div>
    );
  return (
    <div class="branch">
      <button type="button" class="twist" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span> {name !== null && <bdi class="name">{name}</bdi>}{" "}
        <span class="quiet">{kind}</span>
      </button>
      {isOpen && (
        <div class="children">
          {Object.entries(value)
            .slice(0, shown)
            .map(([key, child]) => (
              <Node key={key} name={key} value={child} depth={depth + 1} />
            ))}
          {size > shown && (
            <button type="button" class="plain" onClick={() => show(shown + CHILDREN * 5)}>
              show more of {size - shown}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function Text({ of }: { of: string }) {
  const [isWhole, whole] = useState(of.length <= CUT);
  return (
    <>
      <span class="said text">{isWhole ? of : `${of.slice(0, CUT)}…`}</span>
      {!isWhole && (
        <button type="button" class="plain" onClick={() => whole(true)}>
          show all {of.length} characters
        </button>
      )}
    </>
  );
}
