"""Which test covers which of the faults that users of memory engines report. A name that is no test here fails."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

FAULTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "T04": (
        "acknowledged, then lost",
        (
            "engine/test_crash.py::test_nothing_acknowledged_is_lost_by_kills_at_random_instants",
            "engine/test_crash.py::test_a_hundred_acknowledged_writes_are_there_after_a_kill",
        ),
    ),
    "T06": (
        "torn tail of the write-ahead log",
        (
            "store/test_torn_log.py::test_every_cut_through_the_last_commit_loses_that_commit_alone",
            "store/test_torn_log.py::test_a_flipped_bit_in_the_last_commit_loses_that_commit_alone",
        ),
    ),
    "T14": (
        "identical text stored twice",
        (
            "engine/test_writing_once.py::test_the_same_text_is_kept_once_and_the_second_writer_is_told",
            "engine/test_writing_once.py::test_twenty_racing_writers_of_one_text_make_one_memory",
            "encode/test_batches.py::test_repeats_inside_a_batch_are_one_memory",
        ),
    ),
    "T15": (
        "the same text deletes the old memory",
        ("engine/test_writing_once.py::test_a_text_written_again_is_still_found_exactly_once",),
    ),
    "T16": (
        "a retry after a timeout duplicates",
        (
            "engine/test_writing_once.py::"
            "test_a_retry_after_a_lost_answer_gets_the_same_memory_and_other_parameters_are_refused",
            "engine/test_writing_once.py::test_a_replay_is_the_first_answer_whatever_became_of_the_memory",
            "client/test_client_requests.py::test_a_write_whose_answer_was_lost_is_sent_again",
        ),
    ),
    "T34": (
        "a hit by keyword alone never surfaces",
        (
            "recall/test_lanes.py::test_an_identifier_whose_vector_says_nothing_is_first",
            "recall/test_lanes.py::test_a_name_deep_in_a_long_text_is_among_the_hits",
        ),
    ),
    "T35": (
        "reranking acts as a filter",
        (
            "recall/test_lanes.py::"
            "test_a_meaning_without_a_common_word_is_found_and_a_stuffed_decoy_is_not_always_first",
            "recall/test_measures.py::test_what_one_lane_alone_found_is_in_the_order",
        ),
    ),
    "T36": (
        "query syntax crashes the search",
        (
            "recall/test_lanes.py::test_no_cue_is_syntax_and_words_in_it_are_still_found",
            "recall/test_lanes.py::test_a_cue_of_ten_kilobytes_is_answered",
        ),
    ),
    "T37": (
        "scripts and accents are dead to the lexical lane",
        ("recall/test_lanes.py::test_every_script_is_found_by_the_lexical_lane_alone",),
    ),
    "T39": (
        "a filter is ignored",
        (
            "recall/test_exactness.py::test_recall_and_listing_return_exactly_what_passes",
            "recall/test_exactness.py::test_two_users_with_the_same_text_see_only_their_own",
            "core/test_filters.py::test_what_is_not_known_is_refused_by_name",
        ),
    ),
    "T41": (
        "a silent cap, no paging",
        (
            "recall/test_exactness.py::test_five_thousand_are_returned_when_asked_for",
            "engine/test_listing.py::test_pages_hold_everything_once_in_order_while_others_write",
            "api/test_memories.py::test_five_thousand_memories_are_paged_once_each_while_others_arrive",
        ),
    ),
    "T42": (
        "an update keeps the old vector, loses metadata",
        (
            "engine/test_editing.py::test_an_edited_text_is_found_by_its_new_words_and_not_first_by_its_old_ones",
            "engine/test_editing.py::test_metadata_is_changed_by_a_merge_patch",
        ),
    ),
    "T44": (
        "what was just written is invisible",
        (
            "engine/test_reading_ones_writes.py::test_a_write_is_the_first_hit_of_the_very_next_recall",
            "engine/test_reading_ones_writes.py::test_another_thread_finds_it_as_soon_as_the_ack_is_there",
            "engine/test_reading_ones_writes.py::"
            "test_a_repeated_write_is_acknowledged_only_when_the_memory_can_be_found",
        ),
    ),
    "T46": (
        "time zones",
        (
            "encode/test_times.py::test_an_instant_goes_in_with_any_offset_and_comes_out_in_utc",
            "encode/test_times.py::test_a_day_is_the_same_day_whatever_offset_its_times_were_written_with",
            "core/test_clock.py::test_the_machines_own_zone_plays_no_part",
        ),
    ),
    "T53": (
        "the event loop is blocked",
        (
            "engine/test_many_at_once.py::test_the_loop_goes_on_while_the_embedder_hangs",
            "engine/test_many_at_once.py::test_the_loop_goes_on_while_a_recall_searches",
            "api/test_health.py::test_health_answers_while_an_encode_hangs",
            "models/test_onnx_embedder.py::test_the_event_loop_turns_while_a_long_text_is_embedded",
        ),
    ),
    "T54": (
        "the database is locked",
        (
            "engine/test_many_at_once.py::test_eight_writers_and_eight_readers_meet_no_error_and_lose_nothing",
            "embedded/test_closing.py::test_another_process_is_refused_while_the_directory_is_open",
        ),
    ),
    "T56": (
        "several processes corrupt an index",
        (
            "engine/test_processes.py::test_of_four_processes_one_gets_in_and_three_are_told_who_has_it",
            "engine/test_processes.py::test_four_processes_write_through_one_server_and_everything_is_found",
        ),
    ),
    "T59": (
        "writing slows down as the store grows",
        ("engine/test_many_at_once.py::test_a_write_does_the_same_work_in_a_small_store_and_in_a_large_one",),
    ),
    "T60": (
        "too many calls of the embedder",
        (
            "engine/test_writing_once.py::test_one_new_text_is_one_embedding_call_and_a_known_one_none",
            "engine/test_writing_once.py::test_fifty_equal_texts_of_a_batch_are_embedded_once",
        ),
    ),
    "T63": (
        "a text longer than the model's window",
        (
            "engine/test_long_texts.py::test_a_megabyte_is_stored_whole_and_its_last_sentence_is_found",
            "engine/test_long_texts.py::test_the_last_sentence_of_a_long_text_is_found_by_its_meaning",
            "models/test_onnx_embedder.py::test_a_megabyte_is_embedded_whole",
        ),
    ),
    "T65": (
        "surrogates, NUL, emoji, directions",
        (
            "encode/test_validation.py::test_any_string_is_refused_with_its_field_or_kept_as_it_is",
            "api/test_bad_input.py::test_an_odd_text_that_can_be_kept_comes_back_as_it_was",
            "api/test_bad_input.py::test_lone_surrogates_are_refused_wherever_they_stand_and_never_echoed_into_an_error",
        ),
    ),
    "T67": (
        "empty, blank, one character, duplicate keys",
        (
            "encode/test_validation.py::test_each_refusal_names_its_field_and_keeps_nothing",
            "recall/test_lanes.py::test_a_cue_that_says_nothing_or_too_much_is_refused",
            "recall/test_lanes.py::test_an_empty_dataset_answers_with_nothing",
            "recall/test_lanes.py::test_punctuation_and_single_characters_are_memories_too",
            "api/test_bad_input.py::test_a_key_given_twice_is_refused_wherever_it_stands",
        ),
    ),
    "T68": (
        "other dimensions after a change of model",
        (
            "engine/test_another_model.py::test_other_dimensions_are_refused_with_both_fingerprints_and_the_command",
            "engine/test_another_model.py::"
            "test_after_reindexing_everything_is_found_edited_and_forgotten_with_the_new_model",
            "engine/test_another_model.py::test_reindexing_that_breaks_off_goes_on_where_it_was",
        ),
    ),
    "T70": (
        "the embedder needs the network to start",
        ("engine/test_offline.py::test_the_whole_life_of_a_store_makes_no_connection",),
    ),
    "T77": (
        "telemetry",
        (
            "engine/test_offline.py::test_the_whole_life_of_a_store_makes_no_connection",
            "engine/test_offline.py::test_the_hook_would_have_seen_a_connection",
        ),
    ),
}

REQUIRED = ["T04", "T06", "T14", "T15", "T16", "T34", "T35", "T36", "T37", "T39", "T41", "T42", "T44", "T46", "T53", "T54", "T56", "T59", "T60", "T63", "T65", "T67", "T68", "T70", "T77"]  # fmt: skip


def test_every_fault_that_must_be_impossible_here_has_its_tests() -> None:
    assert list(FAULTS) == REQUIRED
    assert all(tests for _, tests in FAULTS.values())


@pytest.mark.parametrize("fault", FAULTS)
def test_the_tests_named_for_a_fault_exist(fault: str) -> None:
    for node in FAULTS[fault][1]:
        path, _, name = node.partition("::")
        tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
        functions = {each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert name in functions, node
