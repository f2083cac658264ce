/* SPDX-License-Identifier: Apache-2.0 */
/* library.c - the table of library/library.cu's functions.
 *
 * The object asks for what every device module does: to be registered, and where the thread's
 * state is. Both are answered here, so that libcudasim knows nothing of it: it is in no list
 * of modules, symbols and lines. */
#include <string.h>

#include "calls_state.h"
#include "cudasim/abi.h"
#include "library.h"

#define ONE(r, name, a) {#name, #r, {#a}, 1},
#define TWO(r, name, a, b) {#name, #r, {#a, #b}, 2},
#define THREE(r, name, a, b, c) {#name, #r, {#a, #b, #c}, 3},
#define FOUR(r, name, a, b, c, d) {#name, #r, {#a, #b, #c, #d}, 4},
static const struct library_function functions[] = {
#include "functions.def"
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

#define HIDDEN __attribute__((visibility("hidden")))
HIDDEN int64_t __cudasim_self_offset;

/* abi.h's of that name is libcudasim's. */
HIDDEN void
library_register(const struct cudasim_module *module) __asm__("__cudasim_module_register");

void library_register(const struct cudasim_module *module)
{
	struct call_library *own = &calls_state()->library;
	__cudasim_self_offset = (char *)&__cudasim_self - (char *)__builtin_thread_pointer();
	for (unsigned i = 0; i < CUDASIM_MAX_DEVICES; i++)
		module->variables_base[i] = module->variables_image; /* constants */
	for (uint64_t i = 0; i < module->n_variables; i++)
		if (!strcmp(module->variables[i].name, "debugger_library") &&
		    module->variables[i].size == N_FUNCTIONS * sizeof *own->table)
			own->table = (const void *)((char *)module->variables_image +
						    module->variables[i].offset);
}

const struct library_function *library_find(const char *name)
{
	for (unsigned i = 0; calls_state()->library.table && i < N_FUNCTIONS; i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

uint64_t library_code(const struct library_function *function)
{
	return (uint64_t)(uintptr_t)calls_state()
		->library.table[function - functions]
		->entry[CUDASIM_BODY_V3];
}

struct cudasim_thread *library_thread(void)
{
	static struct cudasim_block block;
	static struct cudasim_thread thread = {.block = &block};
	return &thread;
}
