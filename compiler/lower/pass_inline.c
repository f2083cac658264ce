/* SPDX-License-Identifier: Apache-2.0 */
/* pass_inline.c - inlines the builtins that ask for it, and nothing else (see
 * pass_retarget.c), so that the passes after it see what they do.
 *
 * What is left of libdevice and of the builtins then has nothing that a debugger
 * could look at. It is simplified here, once for all bodies. */
#include <llvm-c/DebugInfo.h>

#include "constant_tables.h"
#include "lower.h"
#include "llvm_functions.h"

struct cudasim_error *pass_inline(struct device_module *dm)
{
	struct cudasim_error *error = device_run_passes(dm, "always-inline,globaldce");
	if (error)
		return error;
	struct function_passes *passes =
		function_passes_new("sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>");
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f) || LLVMGetSubprogram(f))
			continue;
		function_passes_run(passes, f);
		constants_choose(f);
	}
	function_passes_free(passes);
	return NULL;
}
