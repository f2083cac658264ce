/* SPDX-License-Identifier: Apache-2.0 */
/* Every event of observer_events.def, before many observers: each hears it once and in its turn,
 * whoever of them comes and goes, and has a pointer of its own in each block. */
#include "one_thread.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cudasim/inspect.h"
#include "error.h"

enum { N_OBSERVERS = 40 };

enum event {
#define CUDASIM_EVENT(name, returns, about, wants, parameters, arguments) EVENT_##name,
#include "cudasim/observer_events.def"
	N_EVENTS,
};

static const char *const event_names[] = {
#define CUDASIM_EVENT(name, returns, about, wants, parameters, arguments) #name,
#include "cudasim/observer_events.def"
};

/* ---- observers that count ------------------------------------------------- */

static struct one_observer {
	struct cudasim_observer observer;
	char name[16];
	unsigned heard[N_EVENTS];
} observers[N_OBSERVERS];

/* Who has heard something, in that order. */
static const struct one_observer *turns[N_OBSERVERS * 4];
static size_t n_turns;

static void hear(void *tool, enum event event, ...)
{
	struct one_observer *o = tool;
	o->heard[event]++;
	if (n_turns < sizeof turns / sizeof *turns)
		turns[n_turns++] = o;
}

#define ANSWER_VERDICT CUDASIM_GO
#define ANSWER_NOTHING
#define ANSWER_LANES lanes
#define ANSWER_THREAD NULL
#define CUDASIM_EVENT(name, returns, about, wants, parameters, arguments)                          \
	static CUDASIM_RETURNS_##returns hear_##name(void *tool, CUDASIM_EVENT_LIST parameters)    \
	{                                                                                          \
		hear(tool, EVENT_##name, CUDASIM_EVENT_LIST arguments);                            \
		return ANSWER_##returns;                                                           \
	}
#include "cudasim/observer_events.def"

static void observer_fill(struct one_observer *o, size_t number)
{
	memset(o, 0, sizeof *o);
	snprintf(o->name, sizeof o->name, "o%zu", number);
	o->observer.version = CUDASIM_OBSERVER_VERSION;
	o->observer.name = o->name;
	o->observer.tool = o;
#define CUDASIM_EVENT(name, returns, about, wants, parameters, arguments)                          \
	o->observer.name = hear_##name;
#include "cudasim/observer_events.def"
}

/* ---- one of each event ---------------------------------------------------- */

/* The arguments of observer_events.def, under their names there. Nobody looks into most of them. */
static char anything[256];
static void *const memory = anything, *const copy = anything, *const order = anything,
		   *const call = anything, *const handle = anything, *const fault = anything,
		   *const barrier = anything, *const op = anything;
static const struct cudasim_module *const module = &module_of_sites;
static const struct cudasim_site *const site = sites;
static const struct cudasim_finding a_finding = {.tool = "t", .kind = "k", .text = "text"};
static const struct cudasim_finding *const finding = &a_finding;
static struct cudasim_launch *const launch = &one.launch.pub;
static struct cudasim_block *const block = &one.block;
static struct cudasim_thread *const thread = &one.thread.pub;
static const char *const text = anything;
static const uint32_t warp, lanes = 1;
static const struct cudasim_lanes *const accesses = (const struct cudasim_lanes *)anything;
static const size_t n = 1;
static const enum cudasim_stall why = CUDASIM_STALL_HELD;

/* As watched bodies report. */
static void code_access(void)
{
	__cudasim_on_access(window, 4, CUDASIM_ACCESS_LOAD, site);
}
static void code_bounds(void)
{
	__cudasim_on_bounds(window, 4, CUDASIM_ACCESS_LOAD, window, 4, site);
}
static void code_unwritten(void)
{
	__cudasim_on_unwritten(stack, 4, "x", site);
}
static void code_fence(void)
{
	__cudasim_on_fence(CUDASIM_SCOPE_DEVICE, CUDASIM_ORDER_SEQ_CST, site);
}
static void code_mbarrier(void)
{
	__cudasim_on_mbarrier(0, window, 1, 1, 1, 0, site);
}
static void code_line(void)
{
	__cudasim_on_line(site);
}
static void code_call_enter(void)
{
	__cudasim_on_call(site, stack);
}
static void code_call_leave(void)
{
	__cudasim_on_return(site, stack, NULL, 0);
}

#define REPORT_HOST(name, arguments) observe_##name arguments
#define REPORT_LAUNCH REPORT_HOST
#define REPORT_BLOCK REPORT_HOST
#define REPORT_THREAD REPORT_HOST
#define REPORT_CODE(name, arguments) code_##name()
#define REPORT_FINDING(name, arguments) cudasim_finding_tell arguments
#define CUDASIM_EVENT(name, returns, about, wants, parameters, arguments)                          \
	static void report_##name(void)                                                            \
	{                                                                                          \
		REPORT_##about(name, arguments);                                                   \
	}
#include "cudasim/observer_events.def"

static void (*const report[])(void) = {
#define CUDASIM_EVENT(name, returns, about, wants, parameters, arguments) report_##name,
#include "cudasim/observer_events.def"
};

/* Report each event: those of `here` hear it, once each and in this order, and nothing else. */
static void check_events(struct one_observer *const *here, size_t n_here)
{
	for (enum event event = 0; event < N_EVENTS; event++) {
		for (size_t i = 0; i < N_OBSERVERS; i++)
			memset(observers[i].heard, 0, sizeof observers[i].heard);
		n_turns = 0;
		report[event]();
		if (n_turns != n_here)
			fail_msg("%s: heard %zu times, not %zu", event_names[event], n_turns,
				 n_here);
		for (size_t i = 0; i < n_here; i++)
			if (turns[i] != here[i] || here[i]->heard[event] != 1)
				fail_msg("%s: %s, not %s, hears it as number %zu",
					 event_names[event], turns[i]->name, here[i]->name, i);
	}
}

static void add(struct one_observer *o)
{
	assert_null(cudasim_observer_add(&o->observer));
}

static void drop(struct one_observer *o)
{
	assert_null(cudasim_observer_remove(&o->observer));
}

/* ---- tests ---------------------------------------------------------------- */

static void each_hears_each_event_once(void **state)
{
	struct one_observer *here[N_OBSERVERS];
	size_t n_here = 0;
	(void)state;
	for (size_t i = 0; i < N_OBSERVERS; i++) {
		observer_fill(&observers[i], i);
		add(here[n_here++] = &observers[i]);
	}
	begin();
	check_events(here, n_here);
	end();

	/* Some go from the middle, the first and the last too, and two of them come again. */
	n_here = 0;
	for (size_t i = 0; i < N_OBSERVERS; i++)
		if (i % 3)
			here[n_here++] = &observers[i];
		else
			drop(&observers[i]);
	begin();
	check_events(here, n_here);
	end();
	add(here[n_here++] = &observers[39]);
	add(here[n_here++] = &observers[3]);
	begin();
	check_events(here, n_here);
	end();
	while (n_here > 0)
		drop(here[--n_here]);
	begin();
	check_events(here, 0);
	end();
}

/* An observer that comes while a launch is in flight hears of the next one, and has no data in the
 * blocks of this one. */
static void a_launch_keeps_its_observers(void **state)
{
	struct one_observer *first = &observers[0], *second = &observers[1];
	(void)state;
	observer_fill(first, 0);
	observer_fill(second, 1);
	add(first);
	begin();
	add(second);
	n_turns = 0;
	observe_print(thread, text, n, site);
	assert_int_equal(n_turns, 1);
	assert_ptr_equal(turns[0], first);
	assert_null(cudasim_block_data(block, &second->observer));
	end();
	drop(first);
	begin();
	n_turns = 0;
	observe_print(thread, text, n, site);
	assert_int_equal(n_turns, 1);
	assert_ptr_equal(turns[0], second);
	end();
	drop(second);
}

static void each_has_data_in_each_block(void **state)
{
	ptrdiff_t place[N_OBSERVERS];
	(void)state;
	for (size_t i = 0; i < N_OBSERVERS; i++) {
		observer_fill(&observers[i], i);
		add(&observers[i]);
	}
	begin();
	for (size_t i = 0; i < N_OBSERVERS; i++) {
		void **data = cudasim_block_data(block, &observers[i].observer);
		assert_non_null(data);
		assert_null(*data);
		*data = &observers[i];
		place[i] = data - block->tool;
	}
	for (size_t i = 0; i < N_OBSERVERS; i++)
		assert_ptr_equal(*cudasim_block_data(block, &observers[i].observer), &observers[i]);
	end();
	/* NULL again, and where it was; those who come later take what is free. */
	drop(&observers[17]);
	drop(&observers[4]);
	add(&observers[17]);
	begin();
	for (size_t i = 0; i < N_OBSERVERS; i++) {
		void **data = cudasim_block_data(block, &observers[i].observer);
		if (i == 4) {
			assert_null(data);
			continue;
		}
		assert_null(*data);
		assert_true(i == 17 ? data - block->tool == place[4]
				    : data - block->tool == place[i]);
	}
	end();
	for (size_t i = 0; i < N_OBSERVERS; i++)
		if (i != 4)
			drop(&observers[i]);
}

/* Without a want() a slot asks for what its event needs. */
static void slots_ask_for_what_they_need(void **state)
{
	struct one_observer *o = &observers[0];
	(void)state;
#define CUDASIM_EVENT(name_, returns, about, wants, parameters, arguments)                         \
	observer_fill(o, 0);                                                                       \
	o->observer = (struct cudasim_observer){.version = CUDASIM_OBSERVER_VERSION,               \
						.name = "o",                                       \
						.tool = o,                                         \
						.name_ = hear_##name_};                            \
	add(o);                                                                                    \
	begin();                                                                                   \
	if (observed(launch) != (uint32_t)(wants))                                                 \
		fail_msg("%s: wants %x, not %x", #name_, observed(launch), (uint32_t)(wants));     \
	end();                                                                                     \
	drop(o);
#include "cudasim/observer_events.def"
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_hears_each_event_once),
		cmocka_unit_test(a_launch_keeps_its_observers),
		cmocka_unit_test(each_has_data_in_each_block),
		cmocka_unit_test(slots_ask_for_what_they_need),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
