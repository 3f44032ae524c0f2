// Asks a question and hands its answer over: piece by piece as it is made, or at once. Knows no view.
import { createParser } from "eventsource-parser";
import { ask, headers, Problem, refusal } from "../../api/client";
import type { Schema } from "../../api/types";
import type { Body } from "./asked";

export type Result = Schema<"QueryReply">;

/** `onText` is given the pieces of a streamed answer, which is not checked yet. Throws `Problem`. */
export async function askQuestion(body: Body, onText: (piece: string) => void, signal: AbortSignal): Promise<Result> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", accept: body.stream ? "text/event-stream" : "application/json" },
    body: JSON.stringify(body),
    signal,
  };
  return body.stream ? streamed(init, onText) : ask<Result>("/v1/query", init);
}

type Init = RequestInit & { headers: Record<string, string> };

async function streamed(init: Init, onText: (piece: string) => void): Promise<Result> {
  try {
    const response = await fetch("/v1/query", { ...init, headers: { ...headers(), ...init.headers } });
    if (!response.ok || !response.body) throw await refusal(response);
    return await heard(response.body, onText);
  } catch (error) {
    if (error instanceof Problem || (error instanceof DOMException && error.name === "AbortError")) throw error;
    throw new Problem(0, "unreachable", "The connection to the server was lost.");
  }
}

async function heard(stream: ReadableStream<Uint8Array>, onText: (piece: string) => void): Promise<Result> {
  const told: { result: Result | null; problem: Problem | null } = { result: null, problem: null };
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (event === "text") onText((JSON.parse(data) as { text: string }).text);
      else if (event === "result") told.result = JSON.parse(data) as Result;
      else if (event === "error") told.problem = problemIn(data);
    },
  });
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  for (let part = await reader.read(); !part.done; part = await reader.read())
    parser.feed(decoder.decode(part.value, { stream: true }));
  if (told.problem) throw told.problem;
  if (!told.result) throw new Problem(200, "cut_off", "The answer broke off before its end.");
  return told.result;
}

function problemIn(data: string): Problem {
  const { status, code, detail, request_id } = JSON.parse(data) as Schema<"Problem">;
  return new Problem(status, code, detail, request_id);
}
