// Ways to the views of single things, and to the API's own JSON.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ask } from "../api/client";
import { href } from "../app/router";

const at = (view: string, id: string): string => href(`/${view}/${encodeURIComponent(id)}`);

export function MemoryLink({ id, text }: { id: string; text?: ComponentChildren }) {
  return <a href={at("memories", id)}>{text ? <span class="said">{text}</span> : <code class="id">{id}</code>}</a>;
}

export function RunLink({ id }: { id: string }) {
  return (
    <a href={at("runs", id)}>
      <code class="id">{id}</code>
    </a>
  );
}

export function EntityLink({ id, name }: { id: string; name: string }) {
  return (
    <a href={at("entities", id)}>
      <bdi>{name}</bdi>
    </a>
  );
}

/** Opens the API's JSON in a new tab. An address alone would not carry the key, so the text is fetched first. */
export function JsonLink({ to }: { to: string }) {
  const [problem, tell] = useState("");
  async function open(event: MouseEvent): Promise<void> {
    event.preventDefault();
    const tab = window.open("about:blank"); // now, while it is the click that opens it
    try {
      const text = JSON.stringify(await ask<unknown>(to), null, 2);
      const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
      if (tab) tab.location.href = address;
    } catch (error) {
      tab?.close();
      tell(String(error instanceof Error ? error.message : error));
    }
  }
  return (
    <>
      <a href={to} target="_blank" rel="noreferrer" onClick={(event) => void open(event)}>
        JSON
      </a>
      {problem && (
        <span class="said bad" role="alert">
          {" "}
          {problem}
        </span>
      )}
    </>
  );
}
