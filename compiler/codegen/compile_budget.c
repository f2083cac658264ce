/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "compile_budget.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Support.h>

#include "layout.h"
#include "names.h"

bool budget_is_above(const struct device_module *dm, size_t most)
{
	size_t n = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f && n <= most;
	     f = LLVMGetNextFunction(f))
		n += device_size(f);
	return n > most;
}

bool budget_is_large(const struct device_module *dm)
{
	return budget_is_above(dm, BUDGET_LARGE);
}

bool budget_is_long(const struct device_module *dm)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f))
		if (device_size(f) > BUDGET_LONG)
			return true;
	return false;
}

size_t budget_inlined(const struct device_module *dm)
{
	if (!dm->large)
		return 0;
	size_t n = dm->program->layout->n_kernels;
	size_t share = BUDGET_INLINED / (n ? n : 1);
	return share < BUDGET_LEAST_INLINED ? BUDGET_LEAST_INLINED : share;
}

char *budget_passes(const struct device_module *dm)
{
	char *text;
	int level = dm->program->options->optimize;
	int n = dm->large && level == 3 ? asprintf(&text, "%s", BUDGET_SHORT_PASSES)
					: asprintf(&text, "default<O%d>", level);
	assert(n >= 0);
	(void)n;
	return text;
}

void budget_show_less(void *arg, LLVMValueRef function, size_t n_loops, size_t n_instructions)
{
	const struct device_module *dm = arg;
	if (dm->program->options->verbose)
		fprintf(stderr, "%-8s not vectorized: %s: %zu loops, %zu instructions\n",
			name_body(dm->stage), name_of(function), n_loops, n_instructions);
}

void budget_begin(void)
{
	const char *argv[] = {"cudasim-devcc", "-scev-addops-inline-threshold=16"};
	LLVMParseCommandLineOptions(2, argv, NULL);
}

void budget_settle(const struct device_module *dm)
{
	if (dm->stage != DEVICE_V3 && dm->stage != DEVICE_V4)
		return;
	/* Plain bodies have lines, but no variables whose places would have to be followed
	 * through the code; the older of LLVM's two ways finds that out at once. */
	const char *argv[] = {"cudasim-devcc", "-experimental-debug-variable-locations=false",
			      "-disable-lsr", "-disable-machine-sink"};
	LLVMParseCommandLineOptions(dm->large ? 4 : 2, argv, NULL);
}
