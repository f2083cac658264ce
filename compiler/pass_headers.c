/* SPDX-License-Identifier: Apache-2.0 */
/* pass_headers.c - small functions of the toolkit's and the compiler's headers
 * are inlined: afterwards what atomicAdd() or __shfl_sync() does stands in the
 * user's own function, with the user's line in its chain of places.
 *
 * On the base, before anything asks for a site. Without it, events, barriers
 * and faults would name a header that the user never saw. Functions of the
 * user's own stay as they are, __forceinline__ or not. */
#include <string.h>

#include "device.h"
#include "sites.h"

enum { LIMIT = 150 /* instructions */ };

static bool is_small(LLVMValueRef function)
{
	unsigned n = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (++n > LIMIT)
				return false;
	return true;
}

static unsigned kind_of(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static const LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

static void set(struct device_module *dm, LLVMValueRef function, const char *name)
{
	LLVMAddAttributeAtIndex(function, whole,
				LLVMCreateEnumAttribute(dm->context, kind_of(name), 0));
}

static bool has(LLVMValueRef function, const char *name)
{
	return LLVMGetEnumAttributeAtIndex(function, whole, kind_of(name)) != NULL;
}

static void unset(LLVMValueRef function, const char *name)
{
	LLVMRemoveEnumAttributeAtIndex(function, whole, kind_of(name));
}

struct cudasim_error *pass_headers(struct device_module *dm)
{
	/* The user's __forceinline__ waits in an attribute of ours until then. */
	static const char parked[] = "cudasim-always-inline";
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		struct place place;
		if (LLVMIsDeclaration(f))
			continue;
		bool hidden = place_function(f, &place) && place_hidden(dm->program, &place);
		if (hidden && !has(f, "noinline") && is_small(f)) {
			set(dm, f, "alwaysinline");
		} else if (!hidden && has(f, "alwaysinline")) {
			unset(f, "alwaysinline");
			LLVMAddAttributeAtIndex(f, whole, LLVMCreateStringAttribute(
				dm->context, parked, sizeof parked - 1, "", 0));
		}
	}
	struct cudasim_error *error = device_run_passes(dm, "always-inline");
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		if (!LLVMGetStringAttributeAtIndex(f, whole, parked, sizeof parked - 1))
			continue;
		LLVMRemoveStringAttributeAtIndex(f, whole, parked, sizeof parked - 1);
		set(dm, f, "alwaysinline");
	}
	return error;
}
