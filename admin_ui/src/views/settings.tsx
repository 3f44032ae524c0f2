// Who may come in, and which datasets there are.
import { key } from "../api/client";
import { SignButton } from "../app/signin";
import { Datasets } from "./settings/datasets";
import { Keys } from "./settings/keys";

const SHOWN = 10; // characters of a secret that the server shows too

export default function Settings() {
  return (
    <>
      <h1>Settings</h1>
      <section class="panel" aria-labelledby="session">
        <h2 id="session">This tab</h2>
        {key.value ? (
          <p>
            Signed in with the key <code class="id">{key.value.slice(0, SHOWN)}…</code>, kept in this tab until it is
            closed or you sign out.
          </p>
        ) : (
          <p>No API key is used. Without one a server answers only its own machine, and only while it has no keys.</p>
        )}
        <SignButton />
      </section>
      <Datasets />
      <Keys />
    </>
  );
}
