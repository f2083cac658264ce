/* SPDX-License-Identifier: Apache-2.0 */
/* pass_locals.c - local variables are aligned for any access that their size allows.
 *
 * Programs read and write arrays of floats in pieces of float4. On a GPU such a variable
 * is in registers, or a frame's 16 bytes of alignment are its own by chance or by the
 * optimiser's choice; here each variable of 16 bytes and more gets them, in all bodies. */
#include "lower.h"

enum { WIDEST_ACCESS = 16 };

static void align(struct device_module *dm, LLVMValueRef instruction, void *arg)
{
	LLVMTargetDataRef layout = arg;
	(void)dm;
	if (!LLVMIsAAllocaInst(instruction))
		return;
	LLVMTypeRef type = LLVMGetAllocatedType(instruction);
	unsigned long long bytes = LLVMABISizeOfType(layout, type);
	unsigned wanted = WIDEST_ACCESS;
	while (wanted > bytes)
		wanted /= 2;
	if (LLVMGetAlignment(instruction) < wanted)
		LLVMSetAlignment(instruction, wanted);
}

struct cudasim_error *pass_locals(struct device_module *dm)
{
	device_visit(dm, align, LLVMGetModuleDataLayout(dm->module));
	return NULL;
}
