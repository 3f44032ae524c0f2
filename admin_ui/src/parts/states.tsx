// What a view shows while it has nothing to show: it waits, there is nothing, or something went wrong.
import type { ComponentChildren } from "preact";
import type { Problem } from "../api/client";
import { askToSignIn } from "../app/session";

export function Loading() {
  return (
    <p class="state" role="status">
      <span class="spinner" aria-hidden="true" /> Loading…
    </p>
  );
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="state">{children}</p>;
}

const SAYINGS: Record<number, string> = {
  0: "The server cannot be reached.",
  401: "A valid API key is needed.",
  403: "This key may not do that.",
  404: "This is not here, or no longer.",
  410: "This is too old: the log begins later.",
  503: "The server is busy or closing.",
};

/** A refused call in words, with what can be done about it. */
export function Trouble({ problem, again }: { problem: Problem; again?: (() => void) | undefined }) {
  return (
    <div class="trouble" role="alert">
      <p>
        <strong>{SAYINGS[problem.status] ?? "That did not work."}</strong> <span class="said">{problem.message}</span>
      </p>
      <p class="actions">
        {(problem.status === 401 || problem.status === 403) && (
          <button type="button" class="main" onClick={askToSignIn}>
            Sign in
          </button>
        )}
        {again && (
          <button type="button" onClick={again}>
            Try again
          </button>
        )}
        {problem.requestId && (
          <span class="quiet">
            Request <code class="id">{problem.requestId}</code>
          </span>
        )}
      </p>
    </div>
  );
}
