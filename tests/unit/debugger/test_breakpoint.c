/* SPDX-License-Identifier: Apache-2.0 */
/* Breakpoints alone: what their arguments mean, what they count, when they stop, and
 * the table, whose lines are those that cuda-gdb writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "error.h"
#include "breakpoint_commands_state.h"
#include "fake_program.h"
#include "stops_state.h"

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

static struct cudasim_error *run(const char *name, const char *argument)
{
	for (const struct command *c = commands_breakpoints; c->name; c++)
		if (!strcmp(c->name, name))
			return c->run(argument);
	fail_msg("no command %s", name);
	return NULL;
}

static int fresh(void **state)
{
	(void)state;
	while (stops_state()->breakpoints)
		breakpoint_delete(stops_state()->breakpoints);
	stops_state()->next_number = 1;
	breakpoint_commands_state()->pending = 0;
	fake_later = false;
	fake_word = 0;
	memset(fake_thread.tid, 0, sizeof fake_thread.tid);
	memset(fake_block.ctaid, 0, sizeof fake_block.ctaid);
	fake_thread.lane = 0;
	fake_console();
	return 0;
}

/* A thread comes to site i; then, where it says yes, the grid has gathered. */
static bool arrive(int i, struct stop *stop)
{
	struct breaker *b = fake_breaker[i];
	*stop = (struct stop){.kind = STOP_BREAKPOINT};
	breakpoints_resume();
	return fake_armed[i] > 0 && b->hit(b, &fake_thread, &fake_sites[i]) &&
	       b->stopped(b, &fake_thread, stop);
}

/* ---- arguments -------------------------------------------------------------------- */

static void arguments_fall_apart_as_meant(void **state)
{
	struct breakpoint_spec s;
	(void)state;
	fine(spec_parse("f(int) thread (1,2,3) block 4 if a[i] > (b) && thread", &s));
	assert_string_equal(s.location, "f(int)");
	assert_string_equal(s.condition, "a[i] > (b) && thread");
	assert_true(s.filter.has_thread && s.filter.has_block);
	assert_int_equal(s.filter.thread[0], 1);
	assert_int_equal(s.filter.thread[1], 2);
	assert_int_equal(s.filter.thread[2], 3);
	assert_int_equal(s.filter.block[0], 4);
	assert_int_equal(s.filter.block[1], 0);
	spec_fini(&s);
	fine(spec_parse("tour.cu:28 if(i == 77)", &s));
	assert_string_equal(s.location, "tour.cu:28");
	assert_string_equal(s.condition, "(i == 77)");
	spec_fini(&s);
	fine(spec_parse("iffy", &s));
	assert_string_equal(s.location, "iffy");
	assert_null(s.condition);
	spec_fini(&s);
	fine(spec_parse("block", &s));
	assert_string_equal(s.location, "block");
	spec_fini(&s);
	fine(spec_parse("block (1,0,0) if yes", &s));
	assert_string_equal(s.location, "");
	assert_int_equal(s.filter.block[0], 1);
	spec_fini(&s);
}

static void wrong_filters_are_named(void **state)
{
	struct breakpoint_spec s;
	(void)state;
	refused(spec_parse("pull thread x", &s), "Invalid thread 'x': write thread (x,y,z).");
	refused(spec_parse("pull thread (1,2", &s), "Invalid thread '(1,2': write thread (x,y,z).");
	refused(spec_parse("pull block -1", &s), "Invalid block '-1': write block (x,y,z).");
	refused(spec_parse("pull thread 1024", &s), "No thread can ever be (1024,0,0).");
	refused(spec_parse("pull thread (0,0,64)", &s), "No thread can ever be (0,0,64).");
	refused(spec_parse("pull block (0,65535,0)", &s), "No block can ever be (0,65535,0).");
	refused(spec_parse("pull thread 99999999999999999999", &s),
		"No thread can ever be (4294967295,0,0).");
	refused(spec_parse("pull if", &s), "Argument required (a condition after `if').");
	refused(spec_parse("pull thread 1 junk", &s), "Junk at end of arguments: junk");
}

static void numbers_and_ranges(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		fine(run("break", "pull"));
	fine(run("delete", "2-3 5"));
	assert_non_null(breakpoint_find(1));
	assert_null(breakpoint_find(2));
	assert_null(breakpoint_find(3));
	assert_non_null(breakpoint_find(4));
	assert_null(breakpoint_find(5));
	refused(run("delete", "7"), "No breakpoint number 7.");
	fake_console();
	refused(run("disable", "7-8 1 9-2000000"), "No breakpoint number 7.");
	assert_string_equal(fake_console(), "No breakpoint number 8.\n"
					    "No breakpoint number 9-2000000.\n");
	assert_false(stops_state()->breakpoints->enabled);
	fine(run("disable", "1-2000000"));
	refused(run("rbreak", "["), "Invalid regexp: [");
	refused(run("delete", "foo"), "Bad breakpoint number 'foo'");
	refused(run("delete", "0"), "Bad breakpoint number '0'");
	refused(run("delete", "4-1"), "Bad breakpoint number '4-1'");
	refused(run("delete", "99999999999999999999"),
		"Bad breakpoint number '99999999999999999999'");
	refused(run("disable", "1.9"), "Bad breakpoint location number '9'");
	refused(run("delete", "1.1"), "Locations cannot be deleted, only disabled: disable 1.1.");
	refused(run("condition", ""), "Argument required (a breakpoint number).");
	refused(run("condition", "9 yes"), "No breakpoint number 9.");
	refused(run("condition", "x"), "Bad breakpoint argument: 'x'");
	refused(run("ignore", "1"), "Second argument (specified ignore-count) is missing.");
}

/* ---- making ------------------------------------------------------------------------ */

static void places_are_told_in_gdbs_words(void **state)
{
	(void)state;
	fine(run("break", "pull"));
	assert_string_equal(fake_console(), "Breakpoint 1 at 0x1000: file tour.cu, line 8.\n");
	fine(run("tbreak", "many"));
	assert_string_equal(fake_console(),
			    "Temporary breakpoint 2 at 0x2000: many. (2 locations)\n");
	/* The host's stub of a kernel is no place. */
	assert_null(breakpoint_find(2)->locations->next->next);
	assert_int_equal(fake_armed[0], 1);
	assert_int_equal(fake_armed[1], 1);
	assert_int_equal(fake_armed[2], 1);
	fine(run("disable", "1"));
	fine(run("break", "pull"));
	fine(run("tbreak", "pull"));
	assert_string_equal(fake_console(),
			    "Note: breakpoint 1 (disabled) also set at pc 0x1000.\n"
			    "Breakpoint 3 at 0x1000: file tour.cu, line 8.\n"
			    "Note: breakpoints 1 (disabled) and 3 also set at pc 0x1000.\n"
			    "Temporary breakpoint 4 at 0x1000: file tour.cu, line 8.\n");
}

static void what_is_not_there_is_refused_or_waits(void **state)
{
	(void)state;
	refused(run("break", "nowhere"), "Function \"nowhere\" not defined.");
	assert_null(stops_state()->breakpoints);
	breakpoint_commands_state()->pending = 1;
	fine(run("break", "later if k == 3"));
	assert_string_equal(fake_console(), "Breakpoint 1 (later) pending.\n");
	fine(run("info breakpoints", ""));
	assert_string_equal(fake_console(),
			    "Num     Type           Disp Enb Address            What\n"
			    "1       breakpoint     keep y   <PENDING>          later\n"
			    "\tstop only if k == 3\n");
	fake_later = true;
	run_hooks()->module_registered(NULL);
	assert_non_null(stops_state()->breakpoints->locations);
	assert_int_equal(fake_armed[3], 1);
}

static void a_wrong_condition_makes_no_breakpoint(void **state)
{
	(void)state;
	refused(run("break", "pull if wrong"), "No symbol \"wrong\" in current context.");
	assert_null(stops_state()->breakpoints);
	fine(run("break", "pull"));
	assert_int_equal(stops_state()->breakpoints->number, 1);
	/* Nor does it change one that is there. */
	fine(run("condition", "1 lane == 3"));
	refused(run("condition", "1 wrong"), "No symbol \"wrong\" in current context.");
	assert_string_equal(stops_state()->breakpoints->condition, "lane == 3");
	struct stop stop;
	assert_false(arrive(0, &stop));
	fake_thread.lane = 3;
	assert_true(arrive(0, &stop));
	fake_console();
	fine(run("condition", "1"));
	assert_string_equal(fake_console(), "Breakpoint 1 now unconditional.\n");
	fake_thread.lane = 0;
	assert_true(arrive(0, &stop));
}

/* ---- stopping ------------------------------------------------------------------------- */

static void filters_choose_threads(void **state)
{
	struct stop stop;
	(void)state;
	fine(run("break", "pull thread (5,0,0) block 2"));
	assert_false(arrive(0, &stop));
	fake_thread.tid[0] = 5;
	assert_false(arrive(0, &stop));
	fake_block.ctaid[0] = 2;
	assert_true(arrive(0, &stop));
	fake_thread.tid[1] = 1;
	assert_false(arrive(0, &stop));
}

static void hits_are_counted_once_a_stop(void **state)
{
	struct stop stop;
	(void)state;
	fine(run("break", "many"));
	assert_true(arrive(1, &stop));
	assert_int_equal(stop.numbers[0], 1);
	assert_int_equal(stop.numbers[1], 0);
	assert_int_equal(stop.location, 1);
	assert_false(stop.temporary);
	/* The other location in the same stop. */
	struct breaker *b = fake_breaker[2];
	assert_true(b->stopped(b, &fake_thread, &stop));
	assert_int_equal(stops_state()->breakpoints->hits, 1);
	assert_true(arrive(2, &stop));
	assert_int_equal(stop.location, 2);
	assert_int_equal(stops_state()->breakpoints->hits, 2);
}

static void ignored_crossings_count_but_do_not_stop(void **state)
{
	struct stop stop;
	(void)state;
	fine(run("break", "pull"));
	fake_console();
	fine(run("ignore", "1 2"));
	assert_string_equal(fake_console(), "Will ignore next 2 crossings of breakpoint 1.\n");
	assert_false(arrive(0, &stop));
	assert_int_equal(stop.numbers[0], 0);
	assert_false(arrive(0, &stop));
	assert_true(arrive(0, &stop));
	assert_int_equal(stops_state()->breakpoints->hits, 3);
	fine(run("ignore", "1 1"));
	fine(run("ignore", "1 0"));
	assert_string_equal(fake_console(), "Will ignore next crossing of breakpoint 1.\n"
					    "Will stop next time breakpoint 1 is reached.\n");
}

static void temporary_ones_go_with_their_first_stop(void **state)
{
	struct stop stop;
	(void)state;
	fine(run("tbreak", "pull"));
	assert_true(arrive(0, &stop));
	assert_true(stop.temporary);
	assert_non_null(stops_state()->breakpoints); /* the report may still ask for it */
	breakpoints_settle();
	assert_null(stops_state()->breakpoints);
	assert_int_equal(fake_armed[0], 0);
}

static void enable_once_and_count_disable_again(void **state)
{
	struct stop stop;
	(void)state;
	fine(run("break", "pull"));
	fine(run("disable", "1"));
	assert_false(arrive(0, &stop));
	fine(run("enable once", "1"));
	assert_true(arrive(0, &stop));
	breakpoints_settle();
	assert_false(stops_state()->breakpoints->enabled);
	assert_int_equal(fake_armed[0], 0);
	fine(run("enable count", "2 1"));
	fine(run("ignore", "1 3"));
	fake_console();
	fine(run("info breakpoints", ""));
	assert_string_equal(strstr(fake_console(), "\tbreakpoint"),
			    "\tbreakpoint already hit 1 time\n"
			    "\tignore next 3 hits\n"
			    "\tdisable after additional 2 hits\n");
	fine(run("ignore", "1 0"));
	assert_true(arrive(0, &stop));
	breakpoints_settle();
	assert_true(stops_state()->breakpoints->enabled);
	assert_true(arrive(0, &stop));
	breakpoints_settle();
	assert_false(stops_state()->breakpoints->enabled);
	fine(run("enable delete", "1"));
	assert_true(arrive(0, &stop));
	breakpoints_settle();
	assert_null(stops_state()->breakpoints);
	refused(run("enable count", "0 1"), "The hit count must be positive, not 0.");
	refused(run("enable count", ""), "Argument required (hit count).");
}

static void a_condition_that_fails_stops_and_says_so(void **state)
{
	struct stop stop;
	(void)state;
	fine(run("break", "pull if fails"));
	assert_true(arrive(0, &stop));
	assert_string_equal(stop.report, "Error in testing condition for breakpoint 1:\n"
					 "Cannot access memory at address 0x0\n");
	free(stop.report);
}

static void several_at_one_place_are_entered_in_order(void **state)
{
	struct stop stop;
	(void)state;
	fine(run("break", "pull"));
	struct breaker *first = fake_breaker[0];
	fine(run("tbreak", "pull"));
	assert_true(arrive(0, &stop)); /* the second */
	assert_true(stop.temporary);
	assert_true(first->stopped(first, &fake_thread, &stop));
	assert_int_equal(stop.numbers[0], 1);
	assert_int_equal(stop.numbers[1], 2);
	assert_false(stop.temporary);
}

/* ---- the table --------------------------------------------------------------------------- */

static void the_table_has_cuda_gdbs_lines(void **state)
{
	struct stop stop;
	(void)state;
	fine(run("info breakpoints", ""));
	assert_string_equal(fake_console(), "No breakpoints or watchpoints.\n");
	fine(run("break", "many"));
	fine(run("tbreak", "pull if lane == 0"));
	fine(run("disable", "1.1"));
	assert_true(arrive(2, &stop));
	fake_console();
	fine(run("info breakpoints", ""));
	assert_string_equal(
		fake_console(),
		"Num     Type           Disp Enb Address            What\n"
		"1       breakpoint     keep y   <MULTIPLE>         \n"
		"\tbreakpoint already hit 1 time\n"
		"1.1                         n   0x0000000000002000 in many<int>(int*, int) at "
		"multi.cu:4\n"
		"1.2                         y   0x0000000000003000 in many<float>(float*, "
		"int) at multi.cu:4\n"
		"2       breakpoint     del  y   0x0000000000001000 in pull(Particle const&) "
		"at tour.cu:8\n"
		"\tstop only if lane == 0\n");
	assert_int_equal(fake_armed[1], 0);
	fine(run("info watchpoints", ""));
	assert_string_equal(fake_console(), "No watchpoints.\n");
}

/* ---- commands ------------------------------------------------------------------------------ */

static void commands_run_after_the_stop(void **state)
{
	static const char *const lines[] = {"silent", "print k",  "if k", "print 1",
					    "end",    "continue", NULL};
	struct stop stop;
	(void)state;
	fine(run("break", "pull"));
	fake_block_lines = lines;
	fine(run("commands", ""));
	assert_true(arrive(0, &stop));
	assert_true(actions_silent(&stop));
	actions_queue(&stop);
	fake_console();
	fine(actions_run());
	assert_string_equal(fake_console(), "<print k>\n<<if k; print 1; end>>\n<continue>\n");
	fine(run("info breakpoints", ""));
	assert_string_equal(strstr(fake_console(), "        silent"),
			    "        silent\n        print k\n        if k\n          print 1\n"
			    "        end\n        continue\n");
	refused(run("commands", "8"), "No breakpoint number 8.");
}

static void save_writes_what_makes_them_again(void **state)
{
	char *text = NULL;
	size_t size;
	(void)state;
	static const char *const lines[] = {"print k", NULL};
	fine(run("tbreak", "pull thread 3 if k == 1"));
	fine(run("break", "many"));
	fake_block_lines = lines;
	fine(run("commands", "2"));
	fine(run("ignore", "2 4"));
	fine(run("disable", "2"));
	FILE *out = open_memstream(&text, &size);
	breakpoints_save(out, false);
	fclose(out);
	assert_string_equal(text, "tbreak pull thread (3,0,0) if k == 1\n"
				  "break many\n"
				  "ignore $bpnum 4\n"
				  "disable $bpnum\n"
				  "commands\n"
				  "  print k\n"
				  "end\n");
	free(text);
}

/* The observer is gone then, and nothing can be armed. */
static void after_the_end_they_wait_for_the_next_run(void **state)
{
	(void)state;
	stop_current()->kind = STOP_EXITED;
	int before = fake_armed[0];
	fine(run("break", "pull"));
	stop_current()->kind = STOP_START;
	assert_int_equal(fake_armed[0], before);
	assert_int_equal(stops_state()->breakpoints->number, 1);
}

static void clear_deletes_what_is_there(void **state)
{
	(void)state;
	fine(run("break", "pull"));
	fine(run("break", "many"));
	fine(run("break", "pull"));
	fake_console();
	fine(run("clear", "pull"));
	assert_string_equal(fake_console(), "Deleted breakpoints 1 3 \n");
	refused(run("clear", "pull"), "No breakpoint at pull.");
	assert_int_equal(stops_state()->breakpoints->number, 2);
	assert_null(stops_state()->breakpoints->next);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(arguments_fall_apart_as_meant, fresh),
		cmocka_unit_test_setup(wrong_filters_are_named, fresh),
		cmocka_unit_test_setup(numbers_and_ranges, fresh),
		cmocka_unit_test_setup(places_are_told_in_gdbs_words, fresh),
		cmocka_unit_test_setup(what_is_not_there_is_refused_or_waits, fresh),
		cmocka_unit_test_setup(a_wrong_condition_makes_no_breakpoint, fresh),
		cmocka_unit_test_setup(filters_choose_threads, fresh),
		cmocka_unit_test_setup(hits_are_counted_once_a_stop, fresh),
		cmocka_unit_test_setup(ignored_crossings_count_but_do_not_stop, fresh),
		cmocka_unit_test_setup(temporary_ones_go_with_their_first_stop, fresh),
		cmocka_unit_test_setup(enable_once_and_count_disable_again, fresh),
		cmocka_unit_test_setup(a_condition_that_fails_stops_and_says_so, fresh),
		cmocka_unit_test_setup(several_at_one_place_are_entered_in_order, fresh),
		cmocka_unit_test_setup(the_table_has_cuda_gdbs_lines, fresh),
		cmocka_unit_test_setup(commands_run_after_the_stop, fresh),
		cmocka_unit_test_setup(save_writes_what_makes_them_again, fresh),
		cmocka_unit_test_setup(after_the_end_they_wait_for_the_next_run, fresh),
		cmocka_unit_test_setup(clear_deletes_what_is_there, fresh),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
