"""The addresses of the views over the full data, by name."""

from __future__ import annotations

VIEWS = {
    "overview": "/",
    "runs": "/runs",
    "remember-runs": "/runs?operation=remember",
    "query-runs": "/runs?operation=query",
    "run": "/runs/{remember_run}",
    "encode-run": "/runs/{encode_run}",
    "query-run": "/runs/{query_run}",
    "memory": "/memories/{memory}",
    "edited-memory": "/memories/{edited}",
    "recall": "/recall?cue=Where+does+Mara+Voss+live%3F",
    "query": "/query?question=Where+does+Tom+Weber+work%3F",
    "graph-start": "/graph",
    "graph": "/graph?entity={entity}&depth=2",
    "entity": "/entities/{entity}",
    "proposals": "/proposals",
    "places": "/places",
    "series": "/series",
    "one-series": "/series/{series}",
    "documents": "/documents",
    "document": "/documents/{document}",
    "settings": "/settings",
}
HOSTILE = {
    "runs": "/runs?dataset=hostile",
    "remember-runs": "/runs?operation=remember&dataset=hostile",
    "query-runs": "/runs?operation=query&dataset=hostile",
    "markup-run": "/runs/{hostile_markup}",
    "long-run": "/runs/{hostile_long}",
    "rtl-run": "/runs/{hostile_rtl}",
    "recall": "/recall?dataset=hostile&cue=Donaudampfschifffahrtselektrizitaeten",
    "memory": "/memories/{hostile_markup_memory}",
    "long-memory": "/memories/{hostile_long_memory}",
    "graph": "/graph?dataset=hostile",
    "proposals": "/proposals?dataset=hostile",
    "places": "/places?dataset=hostile",
    "series": "/series?dataset=hostile",
    "documents": "/documents?dataset=hostile",
    "document": "/documents/{hostile_markup_document}?dataset=hostile",
}
