/* SPDX-License-Identifier: Apache-2.0 */
/* expression_fuzz.c - libFuzzer target: any text is an expression or an error. What can
 * be parsed is typed, compiled, evaluated, printed and completed. Names come from this
 * executable's own debug information (expression_subject.cpp); nothing can be written or
 * called, and only the subject's variables can be read. The first byte chooses the scope. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "run.h"
#include "condition.h"
#include "expression.h"
#include "expression_program.h"
#include "focus.h"
#include "history.h"
#include "host.h"
#include "stack.h"
#include "symbols_state.h"
#include "values_state.h"

void subject_prepare(void);
extern int factorial(int);

/* ---- the rest of the debugger and of the simulator -------------------------------------- */

struct stop *stop_current(void)
{
	static struct stop stop;
	return &stop;
}

struct symbols_state *symbols_state(void)
{
	static struct symbols_state state;
	return &state;
}

struct values_state *values_state(void)
{
	static struct values_state state = VALUES_STATE_INITIAL;
	return &state;
}

const struct focus *focus_get(void)
{
	static const struct focus none;
	return &none;
}

const struct frame *frame_selected(void)
{
	return NULL;
}

size_t frames_of_focus(const struct frame **ret)
{
	*ret = NULL;
	return 0;
}

void frames_forget(void)
{
}

struct cudasim_error *host_registers_set(int number, uint64_t value)
{
	(void)number, (void)value;
	return NULL;
}

void cudasim_modules(const struct cudasim_module *const **ret, size_t *n)
{
	*ret = NULL;
	*n = 0;
}

bool cudasim_memory_find(const void *address, struct cudasim_memory *ret, bool *inside, bool *freed)
{
	(void)address, (void)ret, (void)inside, (void)freed;
	return false;
}

void cudasim_thread_stack(struct cudasim_thread *thread, uint64_t *low, uint64_t *high,
			  uint64_t *used)
{
	(void)thread;
	*low = *high = *used = 0;
}

struct cudasim_error *cudasim_variable_find(const struct cudasim_module *module, const char *name,
					    uint32_t device, void **address,
					    const struct cudasim_variable **ret)
{
	(void)module, (void)name, (void)device, (void)address, (void)ret;
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "none");
}

/* Variables with external linkage that the subject defines, by their debug information. */
static struct {
	uint64_t low, high;
} readable[512];
static size_t n_readable;

size_t cudasim_memory_read(const void *address, void *to, size_t n)
{
	uint64_t at = (uintptr_t)address;
	for (size_t i = 0; i < n_readable; i++)
		if (at >= readable[i].low && at < readable[i].high) {
			size_t there = readable[i].high - at;
			memcpy(to, address, n < there ? n : there);
			return n < there ? n : there;
		}
	return 0;
}

size_t cudasim_memory_write(void *address, const void *from, size_t n)
{
	(void)address, (void)from, (void)n;
	return 0;
}

bool interrupt_waits(void)
{
	return false;
}

struct cudasim_error *call_run(struct call *call, uint64_t code, struct cudasim_thread *thread,
			       const char *name)
{
	(void)call, (void)code, (void)thread;
	return cudasim_error_new(CUDASIM_E_UNSUPPORTED, "%s is not called here", name);
}

struct cudasim_error *call_run_quick(struct call_registers *registers,
				     struct cudasim_thread *thread, const char *name)
{
	(void)registers, (void)thread;
	return cudasim_error_new(CUDASIM_E_UNSUPPORTED, "%s is not called here", name);
}

/* ---- the target --------------------------------------------------------------------------- */

static void allow(void *user, const struct variable *variable)
{
	uint64_t address, size = variable->type ? type_strip(variable->type)->size : 0;
	(void)user;
	if (n_readable == sizeof readable / sizeof *readable || !variable->file ||
	    !strstr(variable->file, "expression_subject") || size > 1 << 20)
		return;
	struct cudasim_error *error = symbols_global_address(variable, 0, &address);
	if (!error) {
		readable[n_readable].low = address;
		readable[n_readable++].high = address + size;
	}
	cudasim_error_free(error);
}

/* Words are whole: as long as they say. */
static void count(void *user, const char *word)
{
	*(size_t *)user += strlen(word);
}

static uint64_t inner_pc;

static void find_inner(void *user, const struct function *function)
{
	(void)user;
	if (function->name && !strcmp(function->name, "geo::Dog::sound"))
		inner_pc = symbols_after_prologue(function);
}

static void prepare(void)
{
	struct cudasim_error *error = symbols_load(NULL);
	if (error)
		abort();
	subject_prepare();
	symbols_each_global(allow, NULL);
	symbols_each_function(find_inner, NULL);
	if (!n_readable || !inner_pc)
		abort(); /* the target would look at nothing */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *out;
	static const char formats[] = {0, 'x', 'd', 'c', 't', 'a', 'f', 's', 'z', 'o', 'u'};
	struct expression *expression;
	struct context context = {.frame = NULL};
	struct value value;
	const struct type *type;
	if (!out) {
		prepare();
		out = fopen("/dev/null", "w");
	}
	if (!size)
		return 0;
	char *text = strndup((const char *)data + 1, size - 1);
	struct cudasim_error *error = expression_parse(text, data[0] & 1 ? inner_pc : 0,
						       &expression);
	size_t n = 0;
	if (data[0] == 'c' && expression_complete(text, count, &n) > strlen(text))
		abort();
	free(text);
	if (error) {
		if (!error->message || !*error->message)
			abort();
		cudasim_error_free(error);
		return 0;
	}
	error = expression_type(expression, &type, NULL);
	if (!error)
		type_print(out, type, STORAGE_NONE, true);
	cudasim_error_free(error);
	free(program_compile(expression));
	error = expression_evaluate(expression, &context, &value);
	if (!error) {
		value_print(out, &value, formats[data[0] % sizeof formats], 0, true);
		if (data[0] == 'h')
			convenience_set("h", &value);
		value_fini(&value);
	}
	cudasim_error_free(error);
	expression_free(expression);
	return 0;
}
