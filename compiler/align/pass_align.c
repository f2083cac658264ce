/* SPDX-License-Identifier: Apache-2.0 */
/* pass_align.c - misaligned accesses in loops over threads fault. Before lanes are made of
 * threads, as what is added is the same for all of them mostly; other functions' turn comes
 * among LLVM's passes, when all is inlined (budgeted_passes.cpp). */
#include <stdlib.h>

#include "pass_align.h"
#include "alignment.h"
#include "layout.h"
#include "llvm_functions.h"
#include "names.h"

static void spoil(struct device_module *dm, const char *what, const char *kernel)
{
	char *name = name_in_body(dm->program, what, kernel, dm->stage);
	LLVMValueRef loop = LLVMGetNamedFunction(dm->module, name);
	free(name);
	if (loop && !LLVMIsDeclaration(loop))
		alignment_spoil_misaligned(loop);
}

struct cudasim_error *pass_align(struct device_module *dm)
{
	const struct device_layout *layout = dm->program->layout;
	for (size_t i = 0; i < layout->n_kernels; i++) {
		spoil(dm, "loop", layout->kernels[i].name);
		spoil(dm, "lanes", layout->kernels[i].name);
	}
	return NULL;
}
