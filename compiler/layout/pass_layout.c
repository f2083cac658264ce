/* SPDX-License-Identifier: Apache-2.0 */
/* pass_layout.c - makes program->layout (layout.h). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "callgraph.h"
#include "layout.h"
#include "llvm_functions.h"
#include "names.h"

void layout_expand_constants(struct device_module *dm)
{
	size_t n = 0;
	LLVMValueRef g;
	for (g = LLVMGetFirstGlobal(dm->module); g; g = LLVMGetNextGlobal(g))
		n++;
	LLVMValueRef *globals = calloc(n ? n : 1, sizeof(*globals));
	assert(globals);
	n = 0;
	for (g = LLVMGetFirstGlobal(dm->module); g; g = LLVMGetNextGlobal(g)) {
		if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 3 || layout_is_variable(g))
			globals[n++] = g;
	}
	constants_expand(globals, (unsigned)n);
	free(globals);
}

static void collect_functions(struct device_module *dm, struct device_layout *layout)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f) || !callgraph_address_taken(f, NULL))
			continue;
		layout->functions = realloc(layout->functions,
					    (layout->n_functions + 1) * sizeof(char *));
		assert(layout->functions);
		layout->functions[layout->n_functions] = strdup(name_of(f));
		assert(layout->functions[layout->n_functions]);
		layout->n_functions++;
	}
}

struct cudasim_error *pass_layout(struct device_module *dm)
{
	struct device_layout *layout = dm->program->layout;
	layout_expand_constants(dm);
	struct cudasim_error *error = layout_variables(dm, layout);
	if (!error)
		error = layout_shared(dm, layout);
	if (!error)
		error = layout_flags(dm, layout);
	collect_functions(dm, layout);
	return error;
}

void layout_free(struct device_layout *layout)
{
	if (!layout)
		return;
	for (size_t i = 0; i < layout->n_kernels; i++) {
		free(layout->kernels[i].name);
		free(layout->kernels[i].params);
		free(layout->kernels[i].shared);
		free(layout->kernels[i].why_not_loop);
		free(layout->kernels[i].why_not_watched);
	}
	for (size_t i = 0; i < layout->n_shared; i++)
		free(layout->shared[i].name);
	for (size_t i = 0; i < layout->n_variables; i++)
		free(layout->variables[i].name);
	for (size_t i = 0; i < layout->n_functions; i++)
		free(layout->functions[i]);
	free(layout->kernels);
	free(layout->shared);
	free(layout->variables);
	free(layout->functions);
	free(layout);
}
