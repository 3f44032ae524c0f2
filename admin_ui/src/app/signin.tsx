// Signing in with an API key, which is tried before it is kept: for this tab only, and never in an address.
import { useState } from "preact/hooks";
import { key, Problem, refusal, signIn } from "../api/client";
import { Dialog } from "../parts/dialog";
import { Field } from "../parts/fields";
import { isSigningIn } from "./session";

/** The form over the page, where a view has asked for it. */
export function SignIn() {
  if (!isSigningIn.value) return null;
  const close = (): void => void (isSigningIn.value = false);
  return (
    <Dialog title="Sign in" onClose={close}>
      <KeyForm done={close} />
    </Dialog>
  );
}

function KeyForm({ done }: { done: () => void }) {
  const [secret, type] = useState("");
  const [problem, tell] = useState("");
  const [isBusy, busy] = useState(false);
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    busy(true);
    try {
      await check(secret.trim());
      signIn(secret);
      done();
    } catch (error) {
      tell(
        error instanceof Problem && error.status === 401
          ? "This is not a valid key."
          : String((error as Error).message),
      );
      busy(false);
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Field label="API key">
        <input
          type="password"
          autoFocus
          required
          autocomplete="off"
          spellcheck={false}
          placeholder="ml_sk_…"
          value={secret}
          aria-invalid={problem !== ""}
          onInput={(event) => type(event.currentTarget.value)}
        />
      </Field>
      <p class="quiet">Kept in this tab until it is closed or you sign out.</p>
      {problem && (
        <p class="said bad" role="alert">
          {problem}
        </p>
      )}
      <p class="actions">
        <button type="submit" class="main" disabled={isBusy}>
          {isBusy ? "Checking…" : "Sign in"}
        </button>
      </p>
    </form>
  );
}

/** Asks for something that every key may see. Throws `Problem`. */
async function check(secret: string): Promise<void> {
  let response: Response;
  try {
    response = await fetch("/v1/datasets", { headers: { authorization: `Bearer ${secret}` } });
  } catch {
    // A key with a character that no header may have fails here too, before anything is sent.
    const isPlain = /^[\x21-\x7e]+$/.test(secret);
    throw isPlain ? new Problem(0, "unreachable", "The server does not answer.") : new Problem(401, "unauthorized", "");
  }
  if (!response.ok) throw await refusal(response);
}

/** Signs out, or in. */
export function SignButton() {
  if (key.value)
    return (
      <button type="button" onClick={() => signIn("")}>
        Sign out
      </button>
    );
  return (
    <button type="button" onClick={() => (isSigningIn.value = true)}>
      Sign in
    </button>
  );
}
