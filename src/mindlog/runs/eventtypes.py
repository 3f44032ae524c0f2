"""The types of log entries that subscribers can hear of, each with what it tells. A test compares them with the store's."""

from __future__ import annotations

from collections.abc import Iterable

from mindlog.errors import InvalidInput

__all__ = ["EVENT_TYPES", "check_types"]

EVENT_TYPES = {
    "memory_encoded": "A memory was kept.",
    "memory_edited": "A memory has a new revision.",
    "memory_forgotten": "A memory is hidden from every read.",
    "memory_restored": "A forgotten memory is there again.",
    "remember_started": "A document is to be remembered: `run`, `document_id`.",
    "text_stored": "What a text of a document says is in the graph: `run`, `origin`, `position`, and of chunks `of` how many.",
    "stage_completed": "A stage of a derivation or a remember has ended: `run`, `stage`, `status`, and of a derivation how many rows "
    "of each sort it added.",
    "run_finished": "A derivation, a remember or a query has ended: `run`, `operation`, `status`, `state`, and the stages that failed.",
    "run_restarted": "A derivation or a remember that had ended was started again.",
    "statement_added": "A statement is believed that was not known.",
    "statement_superseded": "A statement has ended because a later one took its place.",
    "statement_contradicted": "Two statements cannot both hold.",
    "statement_retracted": "A statement is believed no longer: nothing carries it.",
    "link_added": "Two memories were linked by hand.",
    "link_removed": "A link between two memories was taken away.",
    "entity_merged": "An entity was made one with another.",
    "entity_unmerged": "A merge of two entities was taken back.",
    "proposal_made": "Two entities may be one: somebody is to decide.",
    "proposal_decided": "A proposal to make one entity of two was accepted or refused, or its merge taken back: `proposal`, `status`.",
    "dataset_created": "A dataset was created.",
    "dataset_updated": "A dataset's zone was set.",
    "model_changed": "The store's vectors are those of another embedding model.",
}
"""Event type -> what it tells."""


def check_types(types: Iterable[str]) -> tuple[str, ...]:
    """Return the types; `InvalidInput` names one that does not exist and all that do."""
    for each in types:
        if each not in EVENT_TYPES:
            known = ", ".join(EVENT_TYPES)
            raise InvalidInput(f"types: {str(each)[:64]!r} is no event type; there are {known}", field="types")
    return tuple(types)
