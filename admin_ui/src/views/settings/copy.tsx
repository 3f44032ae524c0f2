// Copying a text, in words when the browser does not let a page do it (it needs HTTPS or this machine).
import { useRef, useState } from "preact/hooks";

export function Copyable({ text }: { text: string }) {
  const box = useRef<HTMLElement>(null);
  const [said, say] = useState("");
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      say("Copied.");
    } catch {
      if (box.current) getSelection()?.selectAllChildren(box.current);
      say("It is selected: copy it with the keys of your system.");
    }
  }
  return (
    <>
      <code ref={box} class="secret id">
        {text}
      </code>
      <p class="actions">
        <button type="button" onClick={() => void copy()}>
          Copy
        </button>
        <span role="status">{said}</span>
      </p>
    </>
  );
}
