// What a question is asked with: read from the address, shown in the form, sent to the API. Without a view.
import type { Schema } from "../../api/types";
import { numberIn } from "../recall/asked";

export const NAMES = ["question", "dataset", "session", "as_of", "limit", "stream"] as const;
export type Name = (typeof NAMES)[number];
/** As it is written: an empty text is not given. `stream`: `1` or `0`. */
export type Asked = Record<Name, string>;
export type Body = Schema<"QueryBody">;

const DEFAULTS: Partial<Asked> = { dataset: "default", stream: "1" };

export function parse(params: URLSearchParams): Asked {
  return Object.fromEntries(
    NAMES.map((name) => [name, params.get(name)?.trim() || (DEFAULTS[name] ?? "")] as const),
  ) as Asked;
}

/** The query string of the address that it is read from. The dataset stays in it: the frame shows it too. */
export function carried(asked: Asked): Record<string, string> {
  const given = NAMES.filter((name) => asked[name].trim() && (name === "dataset" || asked[name] !== DEFAULTS[name]));
  return Object.fromEntries(given.map((name) => [name, asked[name].trim()]));
}

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
