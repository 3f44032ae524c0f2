// Which view an address opens, and what it is called.

import type { ComponentType } from "preact";
import { lazy, type ViewProps } from "./lazy";

export type Route = {
  path: RegExp;
  title: string;
  /** The part of the UI it belongs to: the path of a link of the navigation. */
  part: string;
  /** Whether the view shows one thing; the others show a dataset. */
  isOne?: boolean;
  view: ComponentType<ViewProps>;
};

export const ROUTES: readonly Route[] = [
  { path: /^\/$/, title: "Overview", part: "/", view: lazy(() => import("../views/overview")) },
  { path: /^\/runs$/, title: "Runs", part: "/runs", view: lazy(() => import("../views/runs")) },
  { path: /^\/runs\/([^/]+)$/, title: "Run", part: "/runs", isOne: true, view: lazy(() => import("../views/run")) },
  {
    path: /^\/memories\/([^/]+)$/,
    title: "Memory",
    part: "/recall",
    isOne: true,
    view: lazy(() => import("../views/memory")),
  },
  { path: /^\/recall$/, title: "Recall", part: "/recall", view: lazy(() => import("../views/recall")) },
  { path: /^\/query$/, title: "Query", part: "/query", view: lazy(() => import("../views/query")) },
  { path: /^\/graph$/, title: "Graph", part: "/graph", view: lazy(() => import("../views/graph")) },
  {
    path: /^\/entities\/([^/]+)$/,
    title: "Entity",
    part: "/graph",
    isOne: true,
    view: lazy(() => import("../views/entity")),
  },
  {
    path: /^\/proposals$/,
    title: "Merge proposals",
    part: "/proposals",
    view: lazy(() => import("../views/proposals")),
  },
  { path: /^\/places$/, title: "Places", part: "/places", view: lazy(() => import("../views/places")) },
  { path: /^\/series$/, title: "Series", part: "/series", view: lazy(() => import("../views/series")) },
  {
    path: /^\/series\/([^/]+)$/,
    title: "Series",
    part: "/series",
    isOne: true,
    view: lazy(() => import("../views/seriespage")),
  },
  { path: /^\/documents$/, title: "Documents", part: "/documents", view: lazy(() => import("../views/documents")) },
  {
    path: /^\/documents\/([^/]+)$/,
    title: "Document",
    part: "/documents",
    isOne: true,
    view: lazy(() => import("../views/document")),
  },
  { path: /^\/settings$/, title: "Settings", part: "/settings", view: lazy(() => import("../views/settings")) },
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
