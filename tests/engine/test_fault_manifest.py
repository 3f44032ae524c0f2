"""Which test covers which of the faults that users of memory engines report. A name that is no test here fails."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

FAULTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "T01": (
        "a model's JSON wrapped in prose",
        (
            "engine/test_deriving_with_a_model.py::test_an_answer_wrapped_in_words_is_read_all_the_same",
            "engine/test_deriving_with_a_model.py::"
            "test_prose_alone_is_a_failure_with_what_was_said_and_never_an_empty_success",
        ),
    ),
    "T03": (
        "the model is down and the text is lost",
        (
            "engine/test_deriving_with_a_model.py::"
            "test_a_dead_model_loses_no_text_and_the_work_goes_on_after_a_restart",
            "engine/test_deriving_with_a_model.py::"
            "test_whatever_the_model_does_the_write_is_kept_the_rest_derived_and_the_record_true",
            "derive/test_with_a_model.py::test_what_the_offline_tiers_find_is_kept_whatever_the_model_says",
        ),
    ),
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
    "T08": (
        "merging loses what it merged (as far as reconciling does)",
        ("engine/test_reconcile_faults.py::test_a_model_that_answers_out_of_shape_costs_no_memory_and_no_statement",),
    ),
    "T09": (
        "one bad chunk fails the whole document",
        (
            "engine/test_remembering.py::test_a_chunk_that_the_model_refuses_costs_no_other_one_and_can_be_tried_again",
            "remember/test_pipeline.py::test_a_chunk_that_cannot_be_stored_is_named_and_the_others_are",
        ),
    ),
    "T10": (
        "one short memory is never derived",
        (
            "engine/test_deriving.py::test_a_write_that_waits_is_told_what_every_stage_did",
            "derive/test_pipeline.py::test_one_short_memory_is_derived_without_more_traffic",
        ),
    ),
    "T12": (
        "an error leaves work pending for ever",
        (
            "engine/test_deriving.py::test_a_stage_that_fails_five_times_is_quarantined_shown_and_can_be_started_again",
            "derive/test_crash.py::test_a_kill_in_a_stage_is_made_good_and_doubles_nothing",
            "runs/test_worker.py::test_a_run_that_another_process_held_when_it_died_is_taken_up_again",
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
    "T17": (
        "one fact said five ways is kept five times",
        (
            "engine/test_reconcile_faults.py::test_five_ways_to_say_one_thing_are_one_statement_with_five_pieces_of_evidence",
        ),
    ),
    "T18": (
        "an update does not supersede",
        (
            "engine/test_knowledge_faults.py::"
            "test_the_colour_a_car_was_painted_comes_before_the_one_it_had_which_is_history",
        ),
    ),
    "T21": (
        "a document remembered anew leaves stale facts",
        (
            "engine/test_remembering.py::test_a_document_remembered_anew_says_what_it_says_now_and_no_more",
            "remember/test_versions.py::test_what_the_new_version_does_not_say_is_forgotten_with_what_only_it_said",
        ),
    ),
    "T22": (
        "recalled text is extracted again",
        (
            "derive/test_extractor.py::test_recalled_text_written_again_twenty_times_makes_no_new_statement",
            "derive/test_extractor.py::test_a_text_that_says_it_was_recalled_is_not_read",
        ),
    ),
    "T23": (
        "an acronym becomes several entities",
        (
            "engine/test_knowledge_faults.py::test_an_acronym_of_four_memories_is_one_entity",
            "derive/test_extractor.py::test_four_memories_of_one_acronym_are_of_one_entity",
        ),
    ),
    "T25": (
        "aliases are not merged",
        (
            "engine/test_knowledge_faults.py::"
            "test_three_ways_to_call_a_colleague_are_one_entity_or_proposed_and_a_merge_is_taken_back",
            "knowledge/test_desk.py::test_proposals_are_decided_and_taken_back",
        ),
    ),
    "T26": (
        "one entity made twice at once",
        (
            "engine/test_knowledge_faults.py::test_twenty_writes_at_once_name_one_zed_and_one_yan",
            "derive/test_extractor.py::test_twenty_memories_derived_beside_each_other_name_one_zed_and_one_yan",
        ),
    ),
    "T27": (
        "self-loops, dangling and invented ids",
        (
            "engine/test_knowledge_faults.py::"
            "test_what_a_model_invents_is_counted_and_neither_in_the_graph_nor_in_any_recall",
            "derive/test_with_a_model.py::test_what_the_model_invents_is_counted_and_not_kept",
        ),
    ),
    "T30": (
        "invented people and facts",
        (
            "engine/test_knowledge_faults.py::"
            "test_what_a_model_invents_is_counted_and_neither_in_the_graph_nor_in_any_recall",
            "derive/test_with_a_model.py::test_what_the_model_invents_is_counted_and_not_kept",
        ),
    ),
    "T31": (
        "a forgotten memory leaves orphans (soft)",
        (
            "engine/test_knowledge_faults.py::"
            "test_what_only_a_forgotten_memory_named_is_nowhere_and_what_others_name_too_is_still_there",
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
    "T38": (
        "names of other scripts are no entities",
        (
            "engine/test_knowledge_faults.py::"
            "test_names_of_many_scripts_are_entities_by_patterns_alone_and_cyrillic_ones_stay_apart",
            "knowledge/test_scripts.py::test_two_different_cyrillic_names_never_share_a_key",
        ),
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
    "T47": (
        "a relative date without its anchor",
        (
            "engine/test_knowledge_faults.py::test_yesterday_is_kept_as_a_leap_day_with_the_phrase_and_found_by_it",
            "derive/test_extractor.py::test_yesterday_is_the_day_before_the_memory_in_its_datasets_zone",
        ),
    ),
    "T48": (
        "a relative time in a cue is no filter",
        (
            "engine/test_running_faults.py::"
            "test_a_time_in_a_cue_counts_from_the_engines_clock_and_nothing_old_passes_for_it",
            "recall/test_time_lane.py::test_what_lies_in_a_relative_window_comes_before_all_that_fits_better",
            "recall/test_time_lane.py::test_a_time_that_is_not_understood_is_told_and_narrows_nothing",
        ),
    ),
    "T50": (
        "as of an instant",
        (
            "engine/test_knowledge_faults.py::test_bonn_until_june_and_what_was_believed_before_berlin_was_heard_of",
            "knowledge/test_story.py::test_bonn_until_june_and_berlin_after",
        ),
    ),
    "T52": (
        "a write waits for the model",
        ("engine/test_deriving_with_a_model.py::test_two_hundred_writes_do_not_wait_for_a_model_that_hangs",),
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
    "T58": (
        "memory and open files grow",
        (
            "engine/test_running_faults.py::test_memory_and_open_files_stay_flat_over_writes_derivations_and_recalls",
            "engine/test_running_faults.py::test_memory_and_open_files_stay_flat_for_long",
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
    "T62": (
        "a backlog slows writers or is not seen",
        (
            "engine/test_running_faults.py::"
            "test_ten_thousand_writes_behind_a_model_that_hangs_are_kept_counted_and_not_held",
            "runs/test_worker.py::test_ten_thousand_waiting_memories_are_held_by_the_store_alone",
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
    "T71": (
        "a stored instruction hijacks the answer",
        (
            "engine/test_query_faults.py::test_a_memory_that_gives_orders_does_not_hijack_the_answer_nor_any_prompt",
            "engine/test_query_faults.py::test_without_a_model_an_order_is_no_answer_either",
            "query/test_with_a_model.py::"
            "test_a_memory_that_gives_orders_is_shown_as_data_alone_with_who_said_it_and_a_warning",
        ),
    ),
    "T72": (
        "what one user says becomes another's knowledge",
        (
            "engine/test_query_faults.py::test_what_another_says_of_somebody_is_told_as_their_word",
            "query/test_extractive.py::test_what_one_says_of_another_is_told_as_the_word_of_whoever_said_it",
        ),
    ),
    "T77": (
        "telemetry",
        (
            "engine/test_offline.py::test_the_whole_life_of_a_store_makes_no_connection",
            "engine/test_offline.py::test_the_hook_would_have_seen_a_connection",
        ),
    ),
    "T78": (
        "an address or a path reaches what it must not",
        (
            "engine/test_remembering.py::test_what_is_refused_at_setup_leaves_no_run_and_no_document",
            "engine/test_remembering.py::test_a_path_in_a_name_is_only_a_name",
            "remember/test_setup.py::test_what_cannot_be_got_or_read_is_refused",
            "remember/test_setup.py::test_a_path_in_a_name_opens_no_file",
        ),
    ),
    "T79": (
        "success is reported though the work failed",
        (
            "engine/test_deriving.py::test_the_failure_of_any_one_stage_is_told_and_is_that_stages_alone",
            "engine/test_deriving.py::test_a_run_that_fails_is_no_reason_to_hide_the_ack",
            "engine/test_writing_once.py::test_a_write_whose_embedding_failed_left_nothing_and_its_request_id_is_free",
            "engine/test_remembering.py::test_whichever_stage_fails_the_record_says_so_and_what_was_stored_stays",
            "engine/test_remembering.py::test_a_document_that_cannot_be_kept_is_no_success_and_is_tried_until_it_is_given_up",
        ),
    ),
    "T81": (
        "no way from a statement to its words",
        ("engine/test_knowledge_faults.py::test_every_statement_leads_to_memories_and_to_the_words_in_them",),
    ),
    "T83": (
        "a run is left open by a crash",
        (
            "derive/test_crash.py::test_a_kill_in_a_stage_is_made_good_and_doubles_nothing",
            "derive/test_crash.py::test_a_kill_between_the_last_stage_and_the_end_of_a_run_is_made_good",
            "engine/test_remembering_crash.py::test_a_killed_run_goes_on_where_it_broke_off_and_reads_every_chunk_once",
            "engine/test_querying.py::test_a_question_that_was_open_when_its_process_died_is_closed_when_the_next_one_opens",
        ),
    ),
    "T88": (
        "health says all is well when it is not",
        (
            "engine/test_running_faults.py::"
            "test_health_names_a_key_that_is_refused_a_queue_that_is_stuck_and_an_index_that_is_lost",
            "engine/test_deriving_with_a_model.py::test_an_invalid_key_is_shown_at_once",
            "engine/test_deriving.py::test_a_backlog_that_grows_old_is_shown",
        ),
    ),
    "T89": (
        "nothing is found and the model invents",
        (
            "engine/test_query_faults.py::test_nothing_found_is_no_information_and_no_model_is_asked",
            "engine/test_query_faults.py::test_a_dataset_about_other_things_has_no_information_either",
            "query/test_nothing_found.py::test_memories_about_other_things_are_no_information_about_it",
        ),
    ),
    "T91": (
        "an advisory stage is down",
        (
            "engine/test_remembering.py::test_providers_that_are_down_fail_their_stages_and_nothing_else",
            "engine/test_querying.py::test_a_stage_that_may_fail_costs_no_answer_and_is_flagged",
            "engine/test_query_faults.py::test_a_geocoder_that_is_down_is_a_failed_stage_and_the_answer_is_there",
            "query/test_geo.py::test_a_geocoder_that_is_down_fails_its_stage_and_no_more",
        ),
    ),
}

REQUIRED = ["T01", "T03", "T04", "T06", "T08", "T09", "T10", "T12", "T14", "T15", "T16", "T17", "T18", "T21", "T22", "T23", "T25", "T26", "T27", "T30", "T31", "T34", "T35", "T36", "T37", "T38", "T39", "T41", "T42", "T44", "T46", "T47", "T48", "T50", "T52", "T53", "T54", "T56", "T58", "T59", "T60", "T62", "T63", "T65", "T67", "T68", "T70", "T71", "T72", "T77", "T78", "T79", "T81", "T83", "T88", "T89", "T91"]  # fmt: skip


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
