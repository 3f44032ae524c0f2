// Making an API key. Its secret is on the page until it is closed, and nowhere else.
import { useState } from "preact/hooks";
import { key, Problem, send, signIn } from "../../api/client";
import type { Schema } from "../../api/types";
import { datasets } from "../../app/datasets";
import { useLoaded } from "../../app/load";
import { Dialog } from "../../parts/dialog";
import { Field, Select } from "../../parts/fields";
import { Trouble } from "../../parts/states";
import { Copyable } from "./copy";
import { datasetsOf, EVERYTHING, ReachOf } from "./reach";
import { SCOPES } from "./scopes";

type Made = Schema<"NewKeyReply">;
type Given = {
  made: () => void;
  /** From this key on the server answers nobody without one, this page included. */
  isFirst: boolean;
};

export function NewKey({ made, isFirst }: Given) {
  const { value } = useLoaded(datasets, []);
  const [name, setName] = useState("");
  const [scope, setScope] = useState<string>(isFirst ? "admin" : "read");
  const [reach, setReach] = useState(EVERYTHING);
  const [shown, show] = useState<Made | null>(null);
  const [problem, tell] = useState<Problem | null>(null);
  const [isBusy, work] = useState(false);
  const names = datasetsOf(reach);

  async function create(event: Event): Promise<void> {
    event.preventDefault();
    work(true);
    try {
      show(await send<Made>("POST", "/v1/keys", { name, scopes: [scope], datasets: names }));
      tell(null);
      setName("");
      setReach(EVERYTHING);
    } catch (error) {
      if (error instanceof Problem) tell(error);
    }
    work(false);
  }
  function close(): void {
    // Signing in makes the view anew, so the secret stays until it was closed.
    if (isFirst && shown && !key.value) signIn(shown.secret);
    show(null);
    made();
  }
  return (
    <form onSubmit={(event) => void create(event)}>
      <h3>A new key</h3>
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
        <Select label="Scope" value={scope} options={SCOPES.map(([each]) => each)} onChange={setScope} />
        <ReachOf datasets={value ?? []} value={reach} onChange={setReach} />
        <button type="submit" class="main" disabled={isBusy || names?.length === 0}>
          Create a key
        </button>
      </div>
      <p class="quiet">It may: {SCOPES.find(([each]) => each === scope)?.[1]}.</p>
      {isFirst && <First isAdmin={scope === "admin"} />}
      {problem && <Trouble problem={problem} />}
      {shown && <Secret made={shown} close={close} />}
    </form>
  );
}

function First({ isAdmin }: { isAdmin: boolean }) {
  return (
    <p class="quiet">
      From the first key on every request needs one; this tab will use it.
      {!isAdmin && <strong class="warn"> Without an admin key nobody can make another one here.</strong>}
    </p>
  );
}

function Secret({ made, close }: { made: Made; close: () => void }) {
  return (
    <Dialog title="Copy the key now" onClose={close}>
      <p>
        The secret of <bdi class="said">{made.name}</bdi> is shown this once. Whoever has it may do what the key may.
      </p>
      <Copyable text={made.secret} />
      <p class="actions">
        <button type="button" class="main" onClick={close}>
          I have it
        </button>
      </p>
    </Dialog>
  );
}
