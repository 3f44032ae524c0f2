// Who may come in, and which datasets there are.
import { key } from "../api/client";
import { SignButton } from "../app/signin";
import { Datasets } from "./settings/datasets";
import { Keys } from "./settings/keys";

export default function Settings() {
  return (
    <>
      <h1>Settings</h1>
      <section class="panel" aria-labelledby="session">
        <h2 id="session">This tab</h2>
        <p>
          {key.value
            ? "Signed in with an API key, kept in this tab only."
            : "No API key is used. Without one a server answers only its own machine, and only while it has no keys."}
        </p>
        <SignButton />
      </section>
      <Datasets />
      <Keys />
    </>
  );
}
