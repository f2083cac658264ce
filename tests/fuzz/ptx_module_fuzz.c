/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_module_fuzz.c - libFuzzer target: whatever the text of a PTX module, it becomes
 * valid IR, or errors of one line each. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>

#include "ptx_unit.h"

static void report(void *arg, uint32_t line, const char *message)
{
	if (!line || !*message || strchr(message, '\n'))
		abort();
	++*(size_t *)arg;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ptx_module tree;
	uint32_t line;
	size_t n_errors = 0;
	struct cudasim_error *error = ptx_module_parse((const char *)data, size, &tree, &line);

	if (error) {
		report(&n_errors, line, error->message);
		cudasim_error_free(error);
		return 0;
	}
	LLVMContextRef context = LLVMContextCreate();
	LLVMModuleRef module = ptx_unit_build(context, &tree, "fuzz.ptx", report, &n_errors);
	if (!module != (n_errors > 0))
		abort();
	if (module) {
		char *message = NULL;

		if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message)) {
			fprintf(stderr, "%s\n", message);
			abort();
		}
		LLVMDisposeMessage(message);
		LLVMDisposeModule(module);
	}
	LLVMContextDispose(context);
	ptx_module_free(&tree);
	return 0;
}
