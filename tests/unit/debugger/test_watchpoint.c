/* SPDX-License-Identifier: Apache-2.0 */
/* Watchpoints and catchpoints alone: which accesses stop, and what is said of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "error.h"
#include "fake_program.h"
#include "watchpoint.h"
#include "stops_state.h"

static struct stop stop;

static void fine(struct cudasim_error *error)
{
	if (error)
		fail_msg("%s", error->message);
}

static void refused(struct cudasim_error *error, const char *message)
{
	assert_non_null(error);
	assert_string_equal(error->message, message);
	cudasim_error_free(error);
}

static int fresh(void **state)
{
	(void)state;
	while (stops_state()->breakpoints)
		breakpoint_delete(stops_state()->breakpoints);
	stops_state()->next_number = 1;
	fake_word = 5;
	memset(fake_thread.tid, 0, sizeof fake_thread.tid);
	fake_thread.tid[0] = 13;
	fake_block.ctaid[0] = 2;
	fake_console();
	return 0;
}

static const struct cudasim_site here = {"tour.cu", "advance<32>", 19, 4, CUDASIM_SITE_ACCESS, 0};

static struct cudasim_access access_of(uint32_t what)
{
	return (struct cudasim_access){
		.address = &fake_word, .size = 4, .what = what, .site = &here};
}

/* The thread stores value: told before, made, told after. */
static bool store(int value)
{
	struct cudasim_access access = access_of(CUDASIM_ACCESS_STORE);
	free(stop.report);
	stop = (struct stop){.kind = STOP_WATCHPOINT};
	breakpoints_resume();
	bool early = fake_watcher->hit(fake_watcher, &fake_thread, &access, false, &stop);
	assert_false(early);
	fake_word = value;
	return fake_watcher->hit(fake_watcher, &fake_thread, &access, true, &stop);
}

static bool load(void)
{
	struct cudasim_access access = access_of(CUDASIM_ACCESS_LOAD);
	free(stop.report);
	stop = (struct stop){.kind = STOP_WATCHPOINT};
	breakpoints_resume();
	return fake_watcher->hit(fake_watcher, &fake_thread, &access, false, &stop);
}

static void a_change_stops_and_names_who(void **state)
{
	(void)state;
	fine(command_watch("word"));
	assert_string_equal(fake_console(), "Hardware watchpoint 1: word\n");
	assert_int_equal(fake_watcher->low, (uint64_t)&fake_word);
	assert_int_equal(fake_watcher->high, (uint64_t)(&fake_word + 1));
	assert_null(fake_watcher->thread);
	assert_true(store(32));
	assert_int_equal(stop.numbers[0], 1);
	assert_string_equal(stop.report,
			    "\nCUDA thread hit Hardware watchpoint 1: word\n\n"
			    "Old value = 5\nNew value = 32\n"
			    "Stored by block (2,0,0), thread (13,0,0) in advance<32> at "
			    "tour.cu:19\n");
	assert_int_equal(stops_state()->breakpoints->hits, 1);
}

static void the_same_value_again_is_no_change(void **state)
{
	(void)state;
	fine(command_watch("word"));
	assert_false(store(5));
	assert_int_equal(stops_state()->breakpoints->hits, 0);
	assert_true(store(6));
}

/* What the host wrote between launches is not the kernel's doing. */
static void the_old_value_is_what_was_there_before_the_store(void **state)
{
	(void)state;
	fine(command_watch("word"));
	fake_word = 70;
	assert_true(store(71));
	assert_non_null(strstr(stop.report, "Old value = 70\nNew value = 71\n"));
}

static void other_bits_of_a_bitfields_word_do_not_count(void **state)
{
	(void)state;
	fine(command_watch("half"));
	assert_false(store(0xff00ffff & 0x7f00ffff));
	assert_true(store(0x30000));
	assert_non_null(strstr(stop.report, "Old value = 0\nNew value = 3\n"));
}

static void reads_and_writes_tell_the_value(void **state)
{
	(void)state;
	fine(command_rwatch("word"));
	assert_string_equal(fake_console(), "Hardware read watchpoint 1: word\n");
	assert_true(load());
	assert_string_equal(stop.report, "\nCUDA thread hit Hardware read watchpoint 1: word\n\n"
					 "Value = 5\n"
					 "Read by block (2,0,0), thread (13,0,0) in advance<32> at "
					 "tour.cu:19\n");
	assert_false(store(9));
	fresh(NULL);
	fine(command_awatch("word"));
	assert_string_equal(fake_console(), "Hardware access (read/write) watchpoint 1: word\n");
	assert_true(load());
	assert_true(store(5));
	assert_non_null(strstr(stop.report, "\nValue = 5\nStored by"));
	assert_true(store(6));
	assert_non_null(strstr(stop.report, "\nOld value = 5\nNew value = 6\n"));
}

static void conditions_and_threads_are_asked(void **state)
{
	(void)state;
	fine(command_watch("word if k == 3"));
	fake_k = 2;
	assert_false(store(6));
	fake_k = 3;
	assert_true(store(7));
	assert_non_null(strstr(stop.report, "Old value = 6\nNew value = 7\n"));
	fresh(NULL);
	fine(command_watch("word thread (1,0,0)"));
	assert_false(store(8));
	fake_thread.tid[0] = 1;
	assert_true(store(9));
	assert_non_null(strstr(stop.report, "Old value = 8\nNew value = 9\n"));
	refused(command_watch("word if wrong"), "No symbol \"wrong\" in current context.");
}

static void a_local_goes_with_its_frame(void **state)
{
	(void)state;
	fine(command_watch("mine"));
	assert_ptr_equal(fake_watcher->thread, &fake_thread);
	free(stop.report);
	stop = (struct stop){.kind = STOP_WATCHPOINT};
	assert_true(fake_watcher->gone(fake_watcher, &fake_thread, &stop));
	assert_string_equal(stop.report,
			    "\nWatchpoint 1 deleted because the program has left the block in\n"
			    "which its expression is valid.\n");
	breakpoints_settle();
	assert_null(stops_state()->breakpoints);
}

static void what_cannot_be_watched_is_refused(void **state)
{
	(void)state;
	int before = fake_watchers;
	refused(command_watch("yes"), "Cannot watch constant value `yes'.");
	refused(command_watch(""), "Argument required (expression to compute).");
	refused(command_watch("wrong"), "No symbol \"wrong\" in current context.");
	refused(command_watch("fails"), "Cannot access memory at address 0x0");
	refused(command_watch("-all-blocks word"),
		"-all-blocks needs an object in the shared memory of the focused block.");
	assert_null(stops_state()->breakpoints);
	assert_int_equal(stops_state()->next_number, 1);
	assert_int_equal(fake_watchers, before);
}

static void the_table_shows_them(void **state)
{
	(void)state;
	fine(command_watch("word if k == 3"));
	fine(command_rwatch("word"));
	fine(command_awatch("-l word"));
	fine(command_catch("launch pull"));
	assert_string_equal(fake_console(),
			    "Hardware watchpoint 1: word\n"
			    "Hardware read watchpoint 2: word\n"
			    "Hardware access (read/write) watchpoint 3: -location word\n"
			    "Catchpoint 4 (launch pull)\n");
	fine(command_info_watchpoints(""));
	assert_string_equal(fake_console(),
			    "Num     Type            Disp Enb Address            What\n"
			    "1       hw watchpoint   keep y                      word\n"
			    "\tstop only if k == 3\n"
			    "2       read watchpoint keep y                      word\n"
			    "3       acc watchpoint  keep y                      -location word\n");
}

static void disabled_ones_are_not_registered(void **state)
{
	(void)state;
	int before = fake_watchers;
	fine(command_watch("word"));
	assert_int_equal(fake_watchers, before + 1);
	stops_state()->breakpoints->enabled = false;
	fine(breakpoint_arm(stops_state()->breakpoints));
	assert_int_equal(fake_watchers, before);
	stops_state()->breakpoints->enabled = true;
	fine(breakpoint_arm(stops_state()->breakpoints));
	assert_int_equal(fake_watchers, before + 1);
}

/* struct { struct { float x, y; } pos[2]; int id; } list[3]: 20 bytes each. */
static void the_part_that_changed_is_named(void **state)
{
	static const struct type real = {.kind = TYPE_FLOAT, .size = 4};
	static const struct member xy[] = {{.name = "x", .type = &real},
					   {.name = "y", .type = &real, .offset = 4}};
	static const struct type point = {
		.kind = TYPE_STRUCT, .size = 8, .members = xy, .n_members = 2};
	static const struct type points = {
		.kind = TYPE_ARRAY, .size = 16, .target = &point, .n = 2};
	static const struct type integer = {.kind = TYPE_INTEGER, .size = 4};
	static const struct member members[] = {{.name = "pos", .type = &points},
						{.name = "id", .type = &integer, .offset = 16}};
	static const struct type item = {
		.kind = TYPE_STRUCT, .size = 20, .members = members, .n_members = 2};
	static const struct type list = {.kind = TYPE_ARRAY, .size = 60, .target = &item, .n = 3};
	static const struct {
		uint64_t low, high, offset;
		const char *path;
		const struct type *type;
	} cases[] = {
		{0, 60, 0, "", &list},
		{20, 40, 20, "[1]", &item},
		{18, 22, 0, "", &list},
		{36, 40, 36, "[1].id", &integer},
		{40, 56, 40, "[2].pos", &points},
		{48, 56, 48, "[2].pos[1]", &point},
		{52, 56, 52, "[2].pos[1].y", &real},
		{53, 54, 52, "[2].pos[1].y", &real},
	};
	const struct watchpoint watch = {.object = {.type = &list, .n_bytes = 60}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct watch_part part;
		watch_part_find(&watch, cases[i].low, cases[i].high, &part);
		assert_string_equal(part.path, cases[i].path);
		assert_int_equal(part.offset, cases[i].offset);
		assert_ptr_equal(part.type, cases[i].type);
		free(part.path);
	}
}

/* ---- catchpoints -------------------------------------------------------------------- */

static void launches_are_caught_by_name(void **state)
{
	(void)state;
	free(stop.report);
	stop = (struct stop){.kind = STOP_CATCH};
	assert_null(catchers()->launch);
	fine(command_catch("launch other"));
	breakpoints_resume();
	assert_false(catchers()->launch(fake_block.launch, &stop));
	fine(command_tcatch("launch pull"));
	assert_true(catchers()->launch(fake_block.launch, &stop));
	assert_int_equal(stop.numbers[0], 2);
	assert_true(stop.temporary);
	assert_string_equal(stop.report, "\nTemporary catchpoint 2 (launch of pull<32>)\n");
	breakpoints_settle();
	assert_null(breakpoint_find(2));
	breakpoint_delete(stops_state()->breakpoints);
	assert_null(catchers()->launch);
	refused(command_catch("fork"),
		"Undefined catch command: \"fork\".  Events are launch, exit, "
		"barrier, printf, assert, fault, finding and race.");
	refused(command_catch(""),
		"Argument required (launch, exit, barrier, printf, assert, fault, finding or race).");
}

static void a_barrier_is_caught_once_for_all_its_threads(void **state)
{
	struct cudasim_barrier barrier = {.n_expected = 64};
	(void)state;
	free(stop.report);
	stop = (struct stop){.kind = STOP_CATCH};
	fine(command_catch("barrier"));
	breakpoints_resume();
	assert_true(catchers()->barrier(&fake_thread, &barrier, &stop));
	assert_string_equal(stop.report, "\nCatchpoint 1 (barrier 0, 64 threads expected), ");
	barrier.n_arrived = 1;
	assert_false(catchers()->barrier(&fake_thread, &barrier, &stop));
}

static void a_printfs_text_is_told(void **state)
{
	(void)state;
	free(stop.report);
	stop = (struct stop){.kind = STOP_CATCH};
	fine(command_catch("printf"));
	breakpoints_resume();
	assert_true(catchers()->print(&fake_thread, "k \"0\"\n", 6, &stop));
	assert_string_equal(stop.report, "\nCatchpoint 1 (printf of \"k \\\"0\\\"\\n\"), ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_change_stops_and_names_who, fresh),
		cmocka_unit_test_setup(the_same_value_again_is_no_change, fresh),
		cmocka_unit_test_setup(the_old_value_is_what_was_there_before_the_store, fresh),
		cmocka_unit_test_setup(other_bits_of_a_bitfields_word_do_not_count, fresh),
		cmocka_unit_test_setup(reads_and_writes_tell_the_value, fresh),
		cmocka_unit_test_setup(conditions_and_threads_are_asked, fresh),
		cmocka_unit_test_setup(a_local_goes_with_its_frame, fresh),
		cmocka_unit_test_setup(what_cannot_be_watched_is_refused, fresh),
		cmocka_unit_test_setup(the_table_shows_them, fresh),
		cmocka_unit_test_setup(disabled_ones_are_not_registered, fresh),
		cmocka_unit_test_setup(the_part_that_changed_is_named, fresh),
		cmocka_unit_test_setup(launches_are_caught_by_name, fresh),
		cmocka_unit_test_setup(a_barrier_is_caught_once_for_all_its_threads, fresh),
		cmocka_unit_test_setup(a_printfs_text_is_told, fresh),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
