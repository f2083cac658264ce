/* SPDX-License-Identifier: Apache-2.0 */
/* catchpoint.c - stops at events: launches, kernels' ends, barriers, printf, faults. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "breakpoint.h"
#include "cudasim/check.h"
#include "error.h"
#include "setting.h"
#include "stack.h"
#include "stops_state.h"
#include "text.h"

enum event {
	EVENT_LAUNCH,
	EVENT_EXIT,
	EVENT_BARRIER,
	EVENT_PRINTF,
	EVENT_ASSERT,
	EVENT_FAULT,
	EVENT_FINDING,
	EVENT_RACE,
	N_EVENTS
};
static const char *const events[N_EVENTS] = {"launch", "exit",  "barrier", "printf",
					     "assert", "fault", "finding", "race"};

struct catchpoint {
	enum event event;
	char *kernel; /* NULL: any; of findings: the checker's name */
};

/* ---- asked by the run control ------------------------------------------------------ */

/* Does the kernel's name, with or without template arguments, fit? */
static bool is_kernel(const struct cudasim_launch *launch, const char *name)
{
	const char *display = launch->kernel->display;
	size_t n = strlen(name);
	return !strcmp(display, name) || !strcmp(launch->kernel->name, name) ||
	       (!strncmp(display, name, n) && display[n] == '<');
}

/* thread is NULL for events of a launch. */
static bool condition_holds(struct breakpoint *b, struct cudasim_launch *launch,
			    struct cudasim_thread *thread, struct stop *stop)
{
	struct expression *expression = NULL;
	struct value value = {0};
	struct context context = {.thread = thread, .launch = launch};
	struct frame *frames = NULL;
	size_t n = 0;
	char *text = NULL;
	int result = 1;
	if (!b->condition)
		return true;
	/* An event is rare enough to read its condition anew, in the scope it has there. */
	struct cudasim_error *error = thread ? frames_of_thread(thread, &frames, &n) : NULL;
	context.frame = n ? frames : NULL;
	if (!error && asprintf(&text, "(%s) ? 1 : 0", b->condition) < 0) {
		text = NULL;
		error = &cudasim_error_nomem;
	}
	if (!error)
		error = expression_parse(text, n ? frames[0].lookup : 0, &expression);
	if (!error)
		error = expression_evaluate(expression, &context, &value);
	if (!error) {
		memcpy(&result, value_bytes(&value), sizeof result);
		value_fini(&value);
	} else {
		breakpoint_condition_failed(b, error, stop);
	}
	expression_free(expression);
	free(frames);
	free(text);
	return result != 0;
}

static void say(struct stop *stop, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct stop *stop, const char *format, ...)
{
	char *report = NULL;
	size_t size;
	va_list list;
	FILE *out = open_memstream(&report, &size);
	if (!out)
		return;
	if (stop->report)
		fputs(stop->report, out);
	va_start(list, format);
	vfprintf(out, format, list);
	va_end(list);
	fclose(out);
	free(stop->report);
	stop->report = report;
}

/* Ask all catchpoints of an event; text is what happened, in words, NULL where the stop
 * says it by itself. */
static bool ask(enum event event, struct cudasim_launch *launch, struct cudasim_thread *thread,
		const char *text, struct stop *stop)
{
	bool stops = false;
	for (struct breakpoint *b = stops_state()->breakpoints; b; b = b->next) {
		const struct catchpoint *c = b->catch;
		if (!c || c->event != event || !b->enabled ||
		    (c->kernel && event != EVENT_FINDING &&
		     (!launch || !is_kernel(launch, c->kernel))) ||
		    (c->kernel && event == EVENT_FINDING &&
		     strcmp(c->kernel, stops_state()->asked.tool)) ||
		    (thread && !filter_accepts(&b->filter, thread)) ||
		    (!thread && (b->filter.has_thread || b->filter.has_block)) ||
		    !condition_holds(b, launch, thread, stop) || !breakpoint_counts(b, 0, stop))
			continue;
		/* The frame follows where there is one. */
		if (text && !stops)
			say(stop, "\n%satchpoint %d (%s)%s",
			    b->disposition == DELETE ? "Temporary c" : "C", b->number, text,
			    thread ? ", " : "\n");
		stops = true;
	}
	return stops;
}

static bool on_launch(struct cudasim_launch *launch, struct stop *stop)
{
	char text[512];
	snprintf(text, sizeof text, "launch of %.400s", launch->kernel->display);
	return ask(EVENT_LAUNCH, launch, NULL, text, stop);
}

static bool on_exit_of(struct cudasim_launch *launch, struct stop *stop)
{
	char text[512] = "exit";
	if (launch)
		snprintf(text, sizeof text, "exit of %.400s", launch->kernel->display);
	return ask(EVENT_EXIT, launch, NULL, text, stop);
}

static bool on_barrier(struct cudasim_thread *thread, const struct cudasim_barrier *barrier,
		       struct stop *stop)
{
	char text[128];
	/* Once for each time that the block comes to it, not for each of its threads. */
	if (barrier->n_arrived)
		return false;
	if (barrier->kind == CUDASIM_BARRIER_CLUSTER)
		snprintf(text, sizeof text, "barrier of the cluster");
	else
		snprintf(text, sizeof text, "barrier %" PRIu32 ", %" PRIu32 " threads expected",
			 barrier->id, barrier->n_expected);
	return ask(EVENT_BARRIER, thread->block->launch, thread, text, stop);
}

static bool on_print(struct cudasim_thread *thread, const char *text, size_t n, struct stop *stop)
{
	char shown[600];
	size_t length = 0;
	length += (size_t)snprintf(shown, sizeof shown, "printf of \"");
	for (size_t i = 0; i < n && length < sizeof shown - 16; i++) {
		if (text[i] == '\n')
			length += (size_t)sprintf(shown + length, "\\n");
		else if (text[i] == '"' || text[i] == '\\')
			length += (size_t)sprintf(shown + length, "\\%c", text[i]);
		else
			shown[length++] = text[i];
	}
	snprintf(shown + length, sizeof shown - length, "\"");
	return ask(EVENT_PRINTF, thread->block->launch, thread, shown, stop);
}

/* Faults stop in any case; a catchpoint counts them and brings its commands. */
static bool on_fault(struct cudasim_launch *launch, struct cudasim_thread *thread,
		     const struct cudasim_fault *fault, struct stop *stop)
{
	bool caught = fault->kind == CUDASIM_FAULT_ASSERT &&
		      ask(EVENT_ASSERT, launch, thread, NULL, stop);
	return ask(EVENT_FAULT, launch, thread, NULL, stop) || caught;
}

static bool on_finding(struct cudasim_thread *thread, const struct cudasim_finding *finding,
		       struct stop *stop)
{
	char text[600];
	struct cudasim_launch *launch = thread->block->launch;
	if (finding->severity == CUDASIM_FINDING_INFO)
		return false;
	snprintf(text, sizeof text, "%s: %.*s", finding->tool, (int)strcspn(finding->text, "\n"),
		 finding->text);
	stops_state()->asked.tool = finding->tool;
	bool caught = ask(EVENT_FINDING, launch, thread, text, stop);
	return (!strcmp(finding->tool, "racecheck") &&
		ask(EVENT_RACE, launch, thread, caught ? NULL : text, stop)) ||
	       caught;
}

/* ---- making ----------------------------------------------------------------------------- */

/* Events that nobody waits for cost nothing. */
static void install(void)
{
	bool wanted[N_EVENTS] = {false};
	for (const struct breakpoint *b = stops_state()->breakpoints; b; b = b->next)
		if (b->catch && b->enabled)
			wanted[b->catch->event] = true;
	catchers()->launch = wanted[EVENT_LAUNCH] ? on_launch : NULL;
	catchers()->exit = wanted[EVENT_EXIT] ? on_exit_of : NULL;
	catchers()->barrier = wanted[EVENT_BARRIER] ? on_barrier : NULL;
	catchers()->print = wanted[EVENT_PRINTF] ? on_print : NULL;
	catchers()->finding = wanted[EVENT_FINDING] || wanted[EVENT_RACE] ? on_finding : NULL;
	catchers()->fault = wanted[EVENT_FAULT] || wanted[EVENT_ASSERT] ? on_fault : NULL;
}

void catchpoint_arm(struct breakpoint *b)
{
	(void)b;
	install();
}

void catchpoint_free(struct breakpoint *b)
{
	if (!b->catch)
		return;
	free(b->catch->kernel);
	free(b->catch);
	b->catch = NULL;
	install();
}

struct cudasim_error *catchpoint_condition(struct breakpoint *b, const char *condition)
{
	/* Read where the event happens, since that is its scope. */
	(void)b, (void)condition;
	return NULL;
}

static struct cudasim_error *event_of(const char *word, enum event *ret)
{
	for (int i = 0; i < N_EVENTS; i++)
		if (!strcmp(word, events[i])) {
			*ret = (enum event)i;
			return NULL;
		}
	return cudasim_error_new(
		CUDASIM_E_ARGUMENT,
		"Undefined catch command: \"%s\".  Events are launch, exit, barrier, "
		"printf, assert, fault, finding and race.",
		word);
}

/* "launch" or "launch KERNEL" */
static struct cudasim_error *make(struct breakpoint *b, const char *text)
{
	char word[32];
	enum event event = EVENT_LAUNCH;
	const char *at = text;
	if (!text_word(&at, word, sizeof word))
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"Argument required (launch, exit, barrier, printf, assert, fault, "
			"finding or race).");
	struct cudasim_error *error = event_of(word, &event);
	if (error)
		return error;
	at = text_skip(at);
	if ((event == EVENT_FINDING || event == EVENT_RACE) && !cudasim_check_running())
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"catch %s needs checkers, and none is loaded: start with CUDASIM_CHECK=all.",
			word);
	b->catch = calloc(1, sizeof *b->catch);
	if (!b->catch)
		return &cudasim_error_nomem;
	b->catch->event = event;
	if (*at && !(b->catch->kernel = strdup(at)))
		return &cudasim_error_nomem;
	return NULL;
}

struct cudasim_error *catchpoint_set(const char *argument, bool temporary, struct breakpoint **ret)
{
	struct breakpoint_spec spec;
	struct breakpoint *b = NULL;
	struct cudasim_error *error = spec_parse(argument, &spec);
	if (error)
		return error;
	error = breakpoint_new(KIND_CATCHPOINT, spec.location, &b);
	if (!error)
		error = make(b, spec.location);
	if (error) {
		if (b) {
			breakpoint_discard(b);
		}
		spec_fini(&spec);
		return error;
	}
	b->condition = spec.condition;
	spec.condition = NULL;
	b->filter = spec.filter;
	b->disposition = temporary ? DELETE : KEEP;
	install();
	breakpoint_number_tell(b);
	*ret = b;
	spec_fini(&spec);
	return NULL;
}

static const char *const launch_choices[] = {
	[BREAK_ON_LAUNCH_NONE] = "none",
	[BREAK_ON_LAUNCH_APPLICATION] = "application",
	[BREAK_ON_LAUNCH_SYSTEM] = "system",
	[BREAK_ON_LAUNCH_ALL] = "all",
	NULL,
};
__attribute__((constructor)) static void start(void)
{
	const struct setting settings[] = {
		{.name = "cuda break_on_launch",
		 .kind = SETTING_CHOICE,
		 .value = &run_settings()->break_on_launch,
		 .choices = launch_choices,
		 .show = "Break on every kernel launch is set to '%s'.",
		 .summary = "Stop at the first line of each kernel"},
	};
	settings_add(settings, sizeof settings / sizeof *settings);
}
