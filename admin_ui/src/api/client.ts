// Every call of the server, with the key of this tab and its problems as errors. Knows no view.
import { signal } from "@preact/signals";

const KEY = "mindlog.key";

/** The API key of this tab; empty where none is needed or given. Never in an address. */
export const key = signal(sessionStorage.getItem(KEY) ?? "");

export function signIn(secret: string): void {
  key.value = secret.trim();
  if (key.value) sessionStorage.setItem(KEY, key.value);
  else sessionStorage.removeItem(KEY);
}

/** A call that the server refused, or that did not reach it (`status` 0). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly requestId: string | null = null,
    /** What of the request is at fault, as the API calls it: `filters.after`. */
    readonly field: string | null = null,
  ) {
    super(detail);
    this.name = "Problem";
  }
}

/** What went wrong in a call, as a problem whatever was thrown. */
export const problemOf = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem(0, "failed", String(error));

export type Params = Record<string, string | number | boolean | null | undefined>;

export function query(params: Params): string {
  const given = Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text ? `?${text}` : "";
}

export function headers(): Record<string, string> {
  return key.value ? { authorization: `Bearer ${key.value}` } : {};
}

/** Asks the server and returns the JSON of its answer. Throws `Problem`. */
export async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers: { ...headers(), ...init.headers } });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem(0, "unreachable", "The server does not answer.");
  }
  if (!response.ok) throw await refusal(response);
  return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
}

export const get = <T>(path: string, params: Params = {}, signal?: AbortSignal): Promise<T> =>
  ask<T>(path + query(params), signal ? { signal } : {});

export const send = <T>(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T> =>
  ask<T>(
    path,
    body === undefined
      ? { method }
      : { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
  );

type Refused = { code?: string; detail?: string; title?: string; request_id?: string; field?: string };

/** The problem that a refusing answer tells of. */
export async function refusal(response: Response): Promise<Problem> {
  try {
    const body = (await response.json()) as Refused;
    const detail = body.detail ?? body.title ?? response.statusText;
    return new Problem(response.status, body.code ?? "unknown", detail, body.request_id ?? null, body.field ?? null);
  } catch {
    return new Problem(response.status, "unknown", `The server answered ${response.status}.`);
  }
}
