// What a question is asked with: read from the address, shown in the form, sent to the API. Without a view.
import type { Schema } from "../../api/types";
import { queryOf, type Written, written } from "../../app/asked";
import { numberIn } from "../recall/asked";

export const NAMES = ["question", "dataset", "session", "as_of", "limit", "stream"] as const;
export type Name = (typeof NAMES)[number];
/** As it is written: an empty text is not given. `stream`: `1` or `0`. */
export type Asked = Written<Name>;
export type Body = Schema<"QueryBody">;

const DEFAULTS: Partial<Asked> = { dataset: "default", stream: "1" };

export const parse = (params: URLSearchParams): Asked => written(NAMES, DEFAULTS, params);

/** The query string of the address that it is read from. */
export const carried = (asked: Asked): Record<string, string> => queryOf(NAMES, DEFAULTS, asked);

export function bodyOf(asked: Asked): Body {
  return {
    question: asked.question,
    dataset: asked.dataset,
    stream: asked.stream !== "0",
    ...(asked.session && { session: asked.session }),
    ...(asked.as_of && { as_of: asked.as_of }),
    ...(asked.limit && { limit: numberIn(asked.limit) }),
  };
}
