/* SPDX-License-Identifier: Apache-2.0 */
/* pass_share.c - what the AVX-512 body takes from the other plain body.
 *
 * What one thread does is scalar code, the same in both. So fibers, single threads of a
 * loop (continuations) and functions whose address is taken run code of the first plain body
 * whatever the processor, and the AVX-512 body holds loops and what they call. Even of
 * those it has no more than a source of ordinary size brings: compiling everything twice
 * is what takes the time of sources with hundreds of instances of a kernel. Rejected: to
 * choose by what the first body's loops became, which would make one wait for the other. */
#include <assert.h>
#include <stdlib.h>

#include "body.h"
#include "loop_marks.h"
#include "layout.h"
#include "names.h"

/* Instructions of the loops that are compiled for AVX-512, too; the later ones are not. */
enum { MOST_INSTRUCTIONS = 20000, MOST_OF_LARGE = 5000 };

static bool has_both(const struct device_module *dm)
{
	return dm->program->options->body_plain && dm->program->options->body_v4;
}

bool share_is_borrower(const struct device_module *dm)
{
	return dm->stage == DEVICE_V4 && has_both(dm);
}

/* The function's first body is used in its place. */
static void borrow(struct device_module *dm, const char *what, const char *name)
{
	char *own = name_in_body(dm->program, what, name, DEVICE_V4);
	char *other = name_in_body(dm->program, what, name, DEVICE_V3);
	LLVMValueRef function = LLVMGetNamedFunction(dm->module, own);
	if (function) {
		LLVMValueRef declared = LLVMAddFunction(dm->module, other,
							LLVMGlobalGetValueType(function));
		LLVMSetVisibility(declared, LLVMHiddenVisibility);
		LLVMReplaceAllUsesWith(function, declared);
		LLVMDeleteFunction(function);
	}
	free(own);
	free(other);
}

static struct cudasim_error *take(struct device_module *dm)
{
	const struct device_layout *layout = dm->program->layout;
	size_t n = 0;
	for (size_t i = 0; i < layout->n_functions; i++)
		borrow(dm, "code", layout->functions[i]);
	for (size_t i = 0; i < layout->n_kernels; i++) {
		const char *name = layout->kernels[i].name;
		borrow(dm, "entry", name);
		borrow(dm, "continuation", name);
		char *own = name_in_body(dm->program, "loop", name, DEVICE_V4);
		LLVMValueRef loop = LLVMGetNamedFunction(dm->module, own);
		free(own);
		if (!loop)
			continue;
		bool large = layout->kernels[i].large_loop;
		n += large ? 0 : device_size(loop);
		if (large || n > (dm->large ? MOST_OF_LARGE : MOST_INSTRUCTIONS))
			LLVMDeleteFunction(loop);
	}
	return device_run_passes(dm, "globaldce");
}

static void give(struct device_module *dm)
{
	const struct device_layout *layout = dm->program->layout;
	for (size_t i = 0; i < layout->n_kernels; i++) {
		char *name = name_in_body(dm->program, "continuation", layout->kernels[i].name,
					  DEVICE_V3);
		LLVMValueRef continuation = LLVMGetNamedFunction(dm->module, name);
		free(name);
		if (!continuation)
			continue;
		LLVMSetLinkage(continuation, LLVMExternalLinkage);
		LLVMSetVisibility(continuation, LLVMHiddenVisibility);
	}
}

struct cudasim_error *pass_share(struct device_module *dm)
{
	if (share_is_borrower(dm))
		return take(dm);
	if (dm->stage == DEVICE_V3 && has_both(dm))
		give(dm);
	return NULL;
}

struct cudasim_error *pass_share_end(struct device_module *dm)
{
	const struct device_layout *layout = dm->program->layout;
	bool deleted = false;
	for (size_t i = 0; share_is_borrower(dm) && i < layout->n_kernels; i++) {
		char *name = name_in_body(dm->program, "loop", layout->kernels[i].name, DEVICE_V4);
		LLVMValueRef loop = LLVMGetNamedFunction(dm->module, name);
		free(name);
		if (!loop || function_has_vectors(loop))
			continue;
		LLVMDeleteFunction(loop);
		deleted = true;
	}
	/* What only those used: tables, and lanes under a mask. */
	return deleted ? device_run_passes(dm, "globaldce") : NULL;
}
