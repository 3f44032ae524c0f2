// What this tab remembers beside its key: the theme, the dataset last picked, whether the sign-in is open.
import { effect, signal } from "@preact/signals";

const THEME = "mindlog.theme";
const DATASET = "mindlog.dataset";

export type Theme = "auto" | "light" | "dark";
export const THEMES: readonly Theme[] = ["auto", "light", "dark"];

export const isSigningIn = signal(false);
export const theme = signal<Theme>(THEMES.find((each) => each === localStorage.getItem(THEME)) ?? "auto");
/** The dataset last picked; empty for all. */
export const dataset = signal(sessionStorage.getItem(DATASET) ?? "");

export function askToSignIn(): void {
  isSigningIn.value = true;
}

/** Keeps the page and the browser's memory in step with the signals. Call it once. */
export function keep(root: HTMLElement): void {
  effect(() => {
    if (theme.value === "auto") delete root.dataset["theme"];
    else root.dataset["theme"] = theme.value;
    localStorage.setItem(THEME, theme.value);
  });
  effect(() => sessionStorage.setItem(DATASET, dataset.value));
}
