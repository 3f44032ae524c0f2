// Making an API key. Its secret is on the page until it is closed, and nowhere else.
import { useState } from "preact/hooks";
import { key, Problem, send, signIn } from "../../api/client";
import type { Schema } from "../../api/types";
import { Dialog } from "../../parts/dialog";
import { Field, Select } from "../../parts/fields";
import { Trouble } from "../../parts/states";

type Made = Schema<"NewKeyReply">;
const SCOPES = [
  ["read", "read"],
  ["write", "write (and read)"],
  ["admin", "admin (and all else)"],
] as const;

/** `isFirst`: from this key on the server answers nobody without one, this page included. */
export function NewKey({ made, isFirst }: { made: () => void; isFirst: boolean }) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<string>(isFirst ? "admin" : "read");
  const [datasets, setDatasets] = useState("");
  const [shown, show] = useState<Made | null>(null);
  const [problem, tell] = useState<Problem | null>(null);
  async function create(event: Event): Promise<void> {
    event.preventDefault();
    const names = datasets.split(/[\s,]+/).filter(Boolean);
    try {
      show(await send<Made>("POST", "/v1/keys", { name, scopes: [scope], datasets: names.length ? names : null }));
      tell(null);
      setName("");
    } catch (error) {
      if (error instanceof Problem) tell(error);
    }
  }
  function close(): void {
    // Signing in makes the view anew, so the secret stays until it was closed.
    if (isFirst && shown && !key.value) signIn(shown.secret);
    show(null);
    made();
  }
  return (
    <form onSubmit={(event) => void create(event)}>
      <div class="making">
        <Field label="What the key is for">
          <input
            type="text"
            required
            maxLength={256}
            autocomplete="off"
            dir="auto"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </Field>
        <Select label="Scope" value={scope} options={SCOPES} onChange={setScope} />
        <Field label="Datasets (all if empty)">
          <input
            type="text"
            autocomplete="off"
            placeholder="support, notes"
            value={datasets}
            onInput={(event) => setDatasets(event.currentTarget.value)}
          />
        </Field>
        <button type="submit">Create a key</button>
      </div>
      {isFirst && <p class="quiet">From the first key on every request needs one; this tab will use it.</p>}
      {problem && <Trouble problem={problem} />}
      {shown && <Secret made={shown} close={close} />}
    </form>
  );
}

function Secret({ made, close }: { made: Made; close: () => void }) {
  const [isCopied, copied] = useState(false);
  return (
    <Dialog title="Copy the key now" onClose={close}>
      <p>
        The secret of <bdi>{made.name}</bdi> is shown this once.
      </p>
      <code class="secret id">{made.secret}</code>
      <p class="actions">
        <button type="button" onClick={() => void navigator.clipboard?.writeText(made.secret).then(() => copied(true))}>
          {isCopied ? "Copied" : "Copy"}
        </button>
        <button type="button" class="main" onClick={close}>
          I have it
        </button>
      </p>
    </Dialog>
  );
}
