// A new dataset, or another time zone for one: the same call does both.
import { useEffect, useRef, useState } from "preact/hooks";
import { Problem, send } from "../../api/client";
import type { Dataset } from "../../app/datasets";
import { Field } from "../../parts/fields";
import { Trouble } from "../../parts/states";

const ZONES = Intl.supportedValuesOf("timeZone");

/** `of` is the one to change, if it was asked for; the zone is what has the focus then. */
export function Making({ of, saved }: { of: Dataset | null; saved: () => void }) {
  const [name, setName] = useState(of?.name ?? "");
  const [zone, setZone] = useState(of?.timezone ?? "");
  const [problem, tell] = useState<Problem | null>(null);
  const [done, say] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (of) field.current?.focus();
  }, []);
  async function save(event: Event): Promise<void> {
    event.preventDefault();
    say("");
    try {
      await send("POST", "/v1/datasets", { name, timezone: zone || null });
      tell(null);
      say(`Saved ${name}.`);
      setName("");
      setZone("");
      saved();
    } catch (error) {
      if (error instanceof Problem) tell(error);
    }
  }
  return (
    <form onSubmit={(event) => void save(event)}>
      <div class="making">
        <Field label="Dataset, new or not">
          <input
            type="text"
            required
            maxLength={128}
            autocomplete="off"
            spellcheck={false}
            value={name}
            aria-invalid={problem?.field === "name"}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </Field>
        <Field label="Time zone">
          <input
            ref={field}
            type="text"
            list="zones"
            placeholder="Europe/Lisbon"
            autocomplete="off"
            spellcheck={false}
            value={zone}
            aria-invalid={problem?.field === "timezone"}
            onInput={(event) => setZone(event.currentTarget.value)}
          />
        </Field>
        <datalist id="zones">
          {ZONES.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <button type="submit">Save the dataset</button>
        <span role="status">{done}</span>
      </div>
      <p class="quiet">
        Times that name no zone are taken in this one; without it in UTC. A zone that is set can be changed, not taken
        away.
      </p>
      {problem && <Trouble problem={problem} />}
    </form>
  );
}
