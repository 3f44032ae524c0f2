"""The commands, their names and one line on each. Owns nothing else: what they do is imported when they are run."""

from __future__ import annotations

from cyclopts import App, Group, Parameter

from mindlog import __version__

__all__ = ["app"]


_MEMORIES = Group("Memories", sort_key=1)
_DOCUMENTS = Group("Documents and answers", sort_key=2)
_KNOWLEDGE = Group("Knowledge", sort_key=3)
_RUNS = Group("Runs", sort_key=4)
_STORE = Group("Store", sort_key=5)

app = App(
    name="mindlog",
    help="A durable memory engine for AI agents.",
    version=__version__,
    help_format="markdown",
    print_error=False,
    exit_on_error=False,
    suppress_keyboard_interrupt=False,
    result_action="return_value",
    default_parameter=Parameter(negative=(), show_default=False),
)

_COMMANDS: dict[Group, dict[str, tuple[str, str]]] = {
    _MEMORIES: {
        "encode": ("memories:encode", "Keep a text; prints its id once it is on disk."),
        "recall": ("memories:recall", "Find memories by meaning and by word."),
        "get": ("memories:get", "Show a memory."),
        "list": ("memories:list_", "List memories, newest first."),
        "edit": ("memories:edit", "Change a memory; the old revision stays readable."),
        "forget": ("memories:forget", "Hide memories from every read, or undo that."),
        "restore": ("memories:restore", "Undo a forget."),
        "import": ("importing:import_", "Keep the texts of a JSONL file; may be run again after an interruption."),
    },
    _DOCUMENTS: {
        "remember": ("remembering:remember", "Remember documents: files, standard input or addresses."),
        "query": ("asking:query", "Answer a question, with what the answer rests on."),
        "documents": ("documents:documents", "List remembered documents."),
        "document": ("documents:document", "Show a remembered document and what it is kept as."),
        "image": ("pictures:image", "Keep a picture with what can be read in it."),
    },
    _KNOWLEDGE: {
        "inspect": ("inspecting:inspect", "Show a memory with all that was derived from it."),
        "statements": ("knowledge:statements", "List statements with the words they rest on."),
        "entities": ("knowledge:entities", "List the things that memories name."),
        "entity": ("knowledge:entity", "Show an entity and what is said of it."),
        "graph": ("knowledge:graph", "Show what is around an entity."),
        "series": ("measured:series", "List series that memories hold, or the points of one."),
        "places": ("places:places", "List the places that memories speak of."),
        "near": ("places:near", "List places around a point that memories speak of."),
        "links": ("links:links", "List the links of a memory."),
        "link": ("links:link", "Link two memories."),
        "unlink": ("links:unlink", "Take a link away."),
        "proposals": ("proposals:app", "List, accept and refuse proposals to make one entity of two."),
        "merge": ("knowledge:merge", "Make an entity one with another."),
        "unmerge": ("knowledge:unmerge", "Take a merge back."),
    },
    _RUNS: {
        "watch": ("watching:watch", "Print events as they happen."),
        "runs": ("runs:app", "List runs of derive, remember or query, show one, retry, cancel."),
        "drain": ("watching:drain", "Wait until every memory is derived and every document read."),
    },
    _STORE: {
        "serve": ("serving:serve", "Serve the HTTP API."),
        "datasets": ("datasets:app", "List datasets, create one, set its time zone."),
        "keys": ("keys:app", "Create, list and revoke API keys."),
        "models": ("models:app", "Show the embedding models, build the default one."),
        "doctor": ("doctor:app", "Check a data directory, or the language model."),
        "reindex": ("reindexing:reindex", "Re-embed every memory with the configured model."),
        "bench": ("bench:app", "Measure recall on a file of conversations."),
    },
}

for _group, _commands in _COMMANDS.items():
    for _name, (_home, _help) in _commands.items():
        app.command(f"mindlog.cli.{_home}", name=_name, help=_help, group=_group)
