/* SPDX-License-Identifier: Apache-2.0 */
/* symbols.h on device code: an observer that looks around where device_symbols.cu
 * calls __brkpt(). Expected values follow from that program's text. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cudasim/inspect.h"
#include "symbols.h"
#include "symbols_state.h"

struct symbols_state *symbols_state(void)
{
	static struct symbols_state state;
	return &state;
}

static struct cudasim_frame frames[4];
static size_t n_frames;
static unsigned char *window;
static int result = 1;

static const struct variable *variable(uint64_t pc, const char *name, size_t skip)
{
	const struct scope *scopes;
	size_t n = symbols_scopes(pc, &scopes);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < scopes[i].n_variables; j++)
			if (!strcmp(scopes[i].variables[j].name, name) && !skip--)
				return &scopes[i].variables[j];
	fail_msg("no variable %s", name);
	return NULL;
}

static const void *object(const struct variable *v, const struct cudasim_frame *frame, int kind)
{
	struct location location;
	struct registers registers = {.known = 1 << 6};
	uint64_t address = 0;
	registers.value[6] = frame->frame;
	assert_null(symbols_location(v, frame->pc, &location));
	assert_int_equal(location.kind, kind);
	assert_null(location_address(&location, &registers, &address));
	return (const void *)(uintptr_t)address;
}

static void assert_type(const struct variable *v, const char *expected)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	assert_non_null(out);
	type_print(out, v->type, v->storage, false);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void device_functions_come_first_and_once(void **state)
{
	(void)state;
	const struct function *all[4];
	assert_int_equal(symbols_functions("play", all, 4), 1);
	assert_true(all[0]->is_device && all[0]->is_kernel);
	assert_string_equal(all[0]->name, "play<float, 4>");
	assert_string_equal(all[0]->signature, "play<float, 4>(float*, geo::Box)");
	assert_int_equal(symbols_functions("mix", all, 4), 1);
	assert_true(all[0]->is_device && !all[0]->is_kernel);
	assert_int_equal(all[0]->line, 47);
	assert_ptr_equal(symbols_function_at(frames[0].pc), all[0]);
	struct line line;
	assert_true(symbols_line_at(frames[0].pc, &line));
	assert_int_equal(line.line, 62);
	assert_string_equal(line.file, all[0]->file);
	/* In plain bodies there are lines and no functions. */
	const struct cudasim_module *const *modules;
	size_t n;
	cudasim_modules(&modules, &n);
	uint64_t plain = (uintptr_t)modules[0]->kernels[0].entry[CUDASIM_BODY_V3];
	assert_true(symbols_line_at(plain, &line));
	assert_null(symbols_function_at(plain));
	const char *name;
	uint64_t offset;
	assert_true(symbols_symbol_at(frames[0].pc, &name, NULL, &offset, NULL));
	assert_string_equal(name, "mix(geo::Box, int)");
}

static void locals_lie_where_they_are(void **state)
{
	(void)state;
	uint64_t pc = frames[0].pc;
	/* The inner depth hides the parameter. */
	assert_int_equal(*(const int *)object(variable(pc, "depth", 0), &frames[0], LOCATION_FRAME),
			 55);
	const struct variable *parameter = variable(pc, "depth", 1);
	assert_true(parameter->is_argument);
	assert_int_equal(*(const int *)object(parameter, &frames[0], LOCATION_FRAME), 3);
	assert_type(parameter, "@local int");
	/* A structure by value: its address stands on the stack. */
	const struct variable *box = variable(pc, "box", 0);
	assert_int_equal(*(const int *)object(box, &frames[0], LOCATION_FRAME_DEREF), 11);
	assert_type(box, "@local geo::Box");
	const struct variable *half = variable(pc, "half", 0);
	assert_int_equal(*(const uint16_t *)object(half, &frames[0], LOCATION_FRAME), 0x3e00);
	assert_int_equal(half->type->float_format, FLOAT_HALF);
	/* The caller's, where it called. */
	uint64_t caller = frames[1].pc;
	const struct variable *mine = variable(caller, "box", 0);
	assert_type(variable(caller, "first", 0), "@parameter geo::Box");
	const double *area = (const double *)object(mine, &frames[1], LOCATION_FRAME) + 1;
	assert_true(area[0] == 0.5 && area[1] == 0.25);
}

static void shared_variables_are_told_from_locals(void **state)
{
	(void)state;
	uint64_t pc = frames[0].pc, caller = frames[1].pc;
	const struct variable *tile = variable(pc, "tile", 0);
	assert_type(tile, "@shared int [16]");
	const int *elements = object(tile, &frames[0], LOCATION_FRAME_DEREF);
	assert_int_equal(elements[3], 103);
	assert_true((const unsigned char *)elements >= window);
	assert_type(variable(pc, "wide", 0), "@shared int [8]");
	const struct variable *ring = variable(caller, "ring", 0);
	assert_type(ring, "@shared float [4]");
	const struct variable *dynamic = variable(caller, "dynamic", 0);
	assert_true(dynamic->is_dynamic_shared && !ring->is_dynamic_shared);
	assert_type(dynamic, "@shared float []");
	assert_true(*(const float *)object(dynamic, &frames[1], LOCATION_FRAME_DEREF) == 2.5f);
	/* A result that the caller has made room for is none. */
	const struct function *made;
	assert_int_equal(symbols_functions("made", &made, 1), 1);
	assert_type(variable(symbols_after_prologue(made), "result", 0), "@local geo::Box");
}

static void hidden_headers_do_not_show(void **state)
{
	(void)state;
	const struct function *mix;
	size_t squared = 0, others = 0;
	assert_int_equal(symbols_functions("mix", &mix, 1), 1);
	for (uint64_t pc = mix->low; pc < mix->high; pc++) {
		const struct scope *scopes;
		size_t n = symbols_scopes(pc, &scopes);
		for (size_t i = 0; i < n; i++) {
			if (!scopes[i].inlined)
				continue;
			squared += !strcmp(scopes[i].inlined, "squared");
			others += strcmp(scopes[i].inlined, "squared") != 0;
		}
	}
	(void)squared; /* inlined or not as the compiler likes */
	assert_int_equal(others, 0);
}

static int device_int(const char *name, enum storage storage)
{
	const struct variable *all[4];
	uint64_t address = 0;
	assert_true(symbols_globals(name, all, 4) >= 1);
	assert_true(all[0]->is_device);
	assert_int_equal(all[0]->storage, storage);
	assert_null(symbols_global_address(all[0], 0, &address));
	return *(const int *)(uintptr_t)address;
}

static void device_variables_are_found(void **state)
{
	(void)state;
	uint64_t address;
	assert_int_equal(device_int("geo::counter", STORAGE_GLOBAL), 5);
	assert_int_equal(device_int("table", STORAGE_CONSTANT), 2);
	assert_int_equal(device_int("both", STORAGE_MANAGED), 42);
	const struct variable *calls = variable(frames[0].pc, "calls", 0);
	assert_true(calls->is_static);
	assert_int_equal(calls->storage, STORAGE_GLOBAL);
	assert_null(symbols_global_address(calls, 0, &address));
	assert_int_equal(*(const int *)(uintptr_t)address, 1);
}

static void objects_tell_what_they_are(void **state)
{
	(void)state;
	const struct variable *animal = variable(frames[0].pc, "animal", 0);
	assert_type(animal, "const @generic geo::Animal * @local");
	uint64_t start = 0, at = *(const uint64_t *)object(animal, &frames[0], LOCATION_FRAME);
	const struct type *type = symbols_dynamic_type(at, &start);
	assert_non_null(type);
	assert_string_equal(type->name, "geo::Dog");
	assert_int_equal(start, at);
}

static void *look(void *unused)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_functions_come_first_and_once),
		cmocka_unit_test(locals_lie_where_they_are),
		cmocka_unit_test(shared_variables_are_told_from_locals),
		cmocka_unit_test(hidden_headers_do_not_show),
		cmocka_unit_test(device_variables_are_found),
		cmocka_unit_test(objects_tell_what_they_are),
	};
	(void)unused;
	result = symbols_load(NULL) ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
	return NULL;
}

/* The stack of a CUDA thread is small, so another one looks. */
static enum cudasim_verdict brkpt(void *tool, struct cudasim_thread *thread,
				  const struct cudasim_site *site)
{
	pthread_t other;
	(void)tool, (void)site;
	n_frames = cudasim_thread_frames(thread, frames, 4);
	window = thread->block->shared;
	for (size_t i = 0; i < n_frames; i++)
		frames[i].pc -= !frames[i].exact; /* the call, not what comes behind it */
	if (n_frames >= 2 && !pthread_create(&other, NULL, look, NULL))
		pthread_join(other, NULL);
	return CUDASIM_GO;
}

static void finish(void *tool)
{
	(void)tool;
	if (result)
		_exit(1);
}

static uint32_t want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool, (void)launch;
	return CUDASIM_WANT_CALL; /* watched bodies */
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "symbols test",
	.want = want,
	.brkpt = brkpt,
	.finish = finish,
};

const struct cudasim_observer *cudasim_observer_init(void)
{
	return &observer;
}
