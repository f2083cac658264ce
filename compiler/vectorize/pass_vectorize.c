/* SPDX-License-Identifier: Apache-2.0 */
/* pass_vectorize.c - the loops over threads that LLVM would leave scalar run as vectors, of as
 * many lanes as the body's registers hold (linearize.h). On its own for each body. */
#include "pass_vectorize.h"

#include <stdlib.h>

#include "loop_events.h"
#include "own_atomics.h"
#include "linearize.h"
#include "layout.h"
#include "llvm_functions.h"
#include "names.h"

enum { BITS_V3 = 256, BITS_V4 = 512 };

/* The kernel's loop ("loop"; "lanes": for lanes of a mask) in this body; NULL if it has none. */
static LLVMValueRef loop_of(struct device_module *dm, const char *what,
			    const struct layout_kernel *kernel)
{
	char *name = name_in_body(dm->program, what, kernel->name, dm->stage);
	LLVMValueRef loop = LLVMGetNamedFunction(dm->module, name);
	free(name);
	return loop && !LLVMIsDeclaration(loop) ? loop : NULL;
}

static bool widen(struct device_module *dm, LLVMValueRef loop, struct function_passes *cleanup)
{
	if (!loop)
		return false;
	own_atomics_join(loop, false);
	if (!loops_linearize(loop, dm->stage == DEVICE_V4 ? BITS_V4 : BITS_V3))
		return false;
	function_passes_run(cleanup, loop);
	return true;
}

struct cudasim_error *pass_vectorize(struct device_module *dm)
{
	const struct device_layout *layout = dm->program->layout;
	struct function_passes *cleanup = function_passes_new(VECTORIZE_CLEANUP);
	for (size_t i = 0; i < layout->n_kernels; i++) {
		struct layout_kernel *kernel = &layout->kernels[i];
		/* What the runtime learns of loops by flags is of the plain ones. */
		if (widen(dm, loop_of(dm, "loop", kernel), cleanup) &&
		    dm->stage != DEVICE_WATCHED_LOOPS)
			kernel->flags |= CUDASIM_KERNEL_WIDE;
		widen(dm, loop_of(dm, "lanes", kernel), cleanup);
	}
	function_passes_free(cleanup);
	return NULL;
}

struct cudasim_error *pass_loop_events(struct device_module *dm)
{
	const struct device_layout *layout = dm->program->layout;
	for (size_t i = 0; i < layout->n_kernels; i++) {
		static const char *const functions[] = {"loop", "lanes", "continuation"};
		for (size_t k = 0; k < sizeof(functions) / sizeof(functions[0]); k++) {
			LLVMValueRef f = loop_of(dm, functions[k], &layout->kernels[i]);
			if (f)
				loop_events_lower(dm, f);
		}
	}
	return NULL;
}

struct cudasim_error *pass_last_additions(struct device_module *dm)
{
	const struct device_layout *layout = dm->program->layout;
	for (size_t i = 0; i < layout->n_kernels; i++) {
		static const char *const loops[] = {"loop", "lanes"};
		for (size_t k = 0; k < 2; k++) {
			LLVMValueRef loop = loop_of(dm, loops[k], &layout->kernels[i]);
			if (loop)
				own_atomics_mark_last(loop);
		}
	}
	return NULL;
}
