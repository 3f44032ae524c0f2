// The frame around every view: the way to the others, the dataset, the theme, the keys.
import { useEffect, useRef, useState } from "preact/hooks";
import { key } from "../api/client";
import { Dialog } from "../parts/dialog";
import { Empty } from "../parts/states";
import { KEYS, listenToKeys } from "./keyboard";
import { Picker } from "./picker";
import { href, path } from "./router";
import { match, PARTS } from "./routes";
import { dataset, THEMES, theme } from "./session";
import { SignButton, SignIn } from "./signin";

export function Shell() {
  const [isHelping, help] = useState(false);
  const found = match(path.value);
  useEffect(() => listenToKeys(() => help(true)), []);
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href={href("/")}>
          <img src={href("/icon.svg")} alt="" width="20" height="20" /> mindlog
        </a>
        <Parts open={found?.route.part ?? ""} />
        <div class="tools">
          <Picker reach={found ? (found.route.reach ?? "all") : "none"} />
          <ThemeButton />
          <button type="button" aria-label="Keyboard help" title="Keys (?)" onClick={() => help(true)}>
            ?
          </button>
          <SignButton />
        </div>
      </header>
      <Main />
      <SignIn />
      {isHelping && <Help close={() => help(false)} />}
    </>
  );
}

/** On a narrow page the links are behind a button, which says where one is. */
function Parts({ open }: { open: string }) {
  const [isShown, show] = useState(false);
  const kept = dataset.value ? { dataset: dataset.value } : {};
  const here = PARTS.find(([to]) => to === open);
  useEffect(() => show(false), [path.value]);
  function close(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !isShown) return;
    show(false);
    (event.currentTarget as Element).querySelector("button")?.focus();
  }
  return (
    <nav aria-label="Views" class={isShown ? "shown" : undefined} onKeyDown={close}>
      <button type="button" aria-expanded={isShown} aria-controls="parts" onClick={() => show(!isShown)}>
        <span aria-hidden="true">☰</span> Menu{here && `: ${here[1]}`}
      </button>
      <div id="parts">
        {PARTS.map(([to, name]) => (
          <a key={to} href={href(to, kept)} aria-current={to === open ? "page" : undefined}>
            {name}
          </a>
        ))}
      </div>
    </nav>
  );
}

/** The open view. A new path moves the focus to it, as a new page would; a new key makes it anew. */
function Main() {
  const found = match(path.value);
  const box = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${found?.route.title ?? "Not found"} · mindlog`;
    if (!isFirst.current) box.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path.value]);
  const View = found?.route.view;
  return (
    <main id="main" ref={box} tabIndex={-1}>
      {View ? <View key={`${path.value} ${key.value}`} id={found.id} /> : <NotFound />}
    </main>
  );
}

function NotFound() {
  return (
    <>
      <h1>Not found</h1>
      <Empty>
        There is no view at this address. <a href={href("/")}>To the overview</a>
      </Empty>
    </>
  );
}

const THEME_SIGNS = { auto: "◐", light: "☀", dark: "☾" };

function ThemeButton() {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "auto";
  const words = `Theme: ${theme.value}; change to ${next}`;
  return (
    <button type="button" aria-label={words} title={words} onClick={() => (theme.value = next)}>
      {THEME_SIGNS[theme.value]}
    </button>
  );
}

function Help({ close }: { close: () => void }) {
  return (
    <Dialog title="Keys" onClose={close}>
      {KEYS.map(([where, keys]) => (
        <section key={where} class="keys">
          <h3>{where}</h3>
          <dl>
            {keys.map(([names, does]) => (
              <div key={does}>
                <dt>
                  {names.split(" ").map((name) => (
                    <kbd key={name}>{name}</kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}

/** The router must not see the fragment as a place of its own. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
