// Which view an address opens, and what it is called.

import type { ComponentType } from "preact";
import { lazy, type ViewProps } from "./lazy";

/** `one`: always of one dataset, `default` if none is picked. `none`: of one thing, or of the whole server. */
export type Reach = "all" | "one" | "none";

export type Route = {
  path: RegExp;
  title: string;
  /** The part of the UI it belongs to: the path of a link of the navigation. */
  part: string;
  /** What the dataset that was picked is for it; all of them can be shown unless this says otherwise. */
  reach?: Reach;
  view: ComponentType<ViewProps>;
};

export const ROUTES: readonly Route[] = [
  { path: /^\/$/, title: "Overview", part: "/", view: lazy(() => import("../views/overview")) },
  { path: /^\/runs$/, title: "Runs", part: "/runs", view: lazy(() => import("../views/runs")) },
  { path: /^\/runs\/([^/]+)$/, title: "Run", part: "/runs", reach: "none", view: lazy(() => import("../views/run")) },
  {
    path: /^\/memories\/([^/]+)$/,
    title: "Memory",
    part: "/recall",
    reach: "none",
    view: lazy(() => import("../views/memory")),
  },
  { path: /^\/recall$/, title: "Recall", part: "/recall", reach: "one", view: lazy(() => import("../views/recall")) },
  { path: /^\/query$/, title: "Query", part: "/query", reach: "one", view: lazy(() => import("../views/query")) },
  { path: /^\/graph$/, title: "Graph", part: "/graph", reach: "one", view: lazy(() => import("../views/graph")) },
  {
    path: /^\/entities\/([^/]+)$/,
    title: "Entity",
    part: "/graph",
    reach: "none",
    view: lazy(() => import("../views/entity")),
  },
  {
    path: /^\/proposals$/,
    title: "Merge proposals",
    part: "/proposals",
    reach: "one",
    view: lazy(() => import("../views/proposals")),
  },
  { path: /^\/places$/, title: "Places", part: "/places", reach: "one", view: lazy(() => import("../views/places")) },
  { path: /^\/series$/, title: "Series", part: "/series", reach: "one", view: lazy(() => import("../views/series")) },
  {
    path: /^\/series\/([^/]+)$/,
    title: "Series",
    part: "/series",
    reach: "none",
    view: lazy(() => import("../views/seriespage")),
  },
  { path: /^\/documents$/, title: "Documents", part: "/documents", view: lazy(() => import("../views/documents")) },
  {
    path: /^\/documents\/([^/]+)$/,
    title: "Document",
    part: "/documents",
    reach: "none",
    view: lazy(() => import("../views/document")),
  },
  {
    path: /^\/settings$/,
    title: "Settings",
    part: "/settings",
    reach: "none",
    view: lazy(() => import("../views/settings")),
  },
];

export const PARTS: readonly (readonly [path: string, name: string])[] = [
  ["/", "Overview"],
  ["/runs", "Runs"],
  ["/recall", "Recall"],
  ["/query", "Query"],
  ["/graph", "Graph"],
  ["/proposals", "Proposals"],
  ["/places", "Places"],
  ["/series", "Series"],
  ["/documents", "Documents"],
  ["/settings", "Settings"],
];

/** The route of a path and the id in it, empty if it has none. */
export function match(path: string): { route: Route; id: string } | null {
  for (const route of ROUTES) {
    const found = route.path.exec(path);
    if (found) return { route, id: decoded(found[1] ?? "") };
  }
  return null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
