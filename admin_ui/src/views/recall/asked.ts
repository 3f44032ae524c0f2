// What a recall is asked: read from the address, shown in the form, sent to the API. Without a view.
import { Problem } from "../../api/client";
import type { Schema } from "../../api/types";
import { queryOf, type Written, written } from "../../app/asked";

export const FILTERS = ["session", "agent", "kind", "document_id", "metadata", "after", "before"] as const;
export const NAMES = ["cue", "dataset", "limit", ...FILTERS, "as_of", "explain"] as const;
export type Name = (typeof NAMES)[number];
/** As it is written: an empty text is not given. */
export type Asked = Written<Name>;
type Body = Schema<"RecallBody">;
type Narrowed = Schema<"FiltersBody">;

const DEFAULTS: Partial<Asked> = { dataset: "default", limit: "10" };

export const parse = (params: URLSearchParams): Asked => written(NAMES, DEFAULTS, params);

/** The query string of the address that it is read from. */
export const carried = (asked: Asked): Record<string, string> => queryOf(NAMES, DEFAULTS, asked);

/** One text for the same cue under the same filters, however many hits and whatever is explained. */
export const namedBy = (asked: Asked): string =>
  JSON.stringify([asked.cue, asked.dataset, asked.as_of, ...FILTERS.map((name) => asked[name])]);

export const isNarrow = (asked: Asked): boolean => FILTERS.some((name) => asked[name] !== "");

/** The body of the call. Throws `Problem` for what the API could not even be told. */
export function bodyOf(asked: Asked): Body {
  const filters = filtersOf(asked);
  const ids = idsIn(asked.explain);
  return {
    cue: asked.cue,
    dataset: asked.dataset,
    limit: numberIn(asked.limit),
    trace: true,
    ...(filters && { filters }),
    ...(asked.as_of && { as_of: asked.as_of }),
    ...(ids.length && { explain_ids: ids }),
  };
}

export function filtersOf(asked: Asked): Narrowed | null {
  if (!isNarrow(asked)) return null;
  const texts = FILTERS.filter((name) => name !== "metadata" && asked[name]).map((name) => [name, asked[name]]);
  return { ...Object.fromEntries(texts), ...(asked.metadata && { metadata: metadataIn(asked.metadata) }) };
}

/** Memory ids, however they are parted. */
export const idsIn = (text: string): string[] => [...new Set(text.split(/[\s,;]+/).filter(Boolean))];

/** What is no number goes as it is: the API says what it takes. */
export const numberIn = (text: string): number => (/^-?\d+$/.test(text) ? Number(text) : (text as unknown as number));

/** `key=value` a line. A value that is JSON is that; any other is a text. */
export function metadataIn(text: string): Record<string, unknown> {
  const lines = text.split("\n").filter((line) => line.trim());
  return Object.fromEntries(lines.map((line) => [keyIn(line), valueIn(line.slice(line.indexOf("=") + 1).trim())]));
}

function keyIn(line: string): string {
  const key = line.slice(0, Math.max(0, line.indexOf("="))).trim();
  if (!key) {
    const words = `filters.metadata: ‘${line.trim()}’ is not of the form key=value`;
    throw new Problem(400, "invalid_input", words, null, "filters.metadata");
  }
  return key;
}

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
