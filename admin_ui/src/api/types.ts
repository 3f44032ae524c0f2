// Short names for the shapes of the OpenAPI document. `schema.ts` is generated; run `npm run types` after a change of the API.
import type { components } from "./schema";

type Schemas = components["schemas"];
export type Schema<Name extends keyof Schemas> = Schemas[Name];
export type Page<T> = { data: T[]; has_more: boolean; next_cursor: string | null };
