/* SPDX-License-Identifier: Apache-2.0 */
#include "attributes.h"

#include <assert.h>
#include <string.h>

unsigned attribute_kind(const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	assert(kind);
	return kind;
}

void attribute_add(LLVMValueRef function, LLVMAttributeIndex index, const char *name,
		   uint64_t value)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
	LLVMAddAttributeAtIndex(function, index,
				LLVMCreateEnumAttribute(context, attribute_kind(name), value));
}

void attribute_remove(LLVMValueRef function, LLVMAttributeIndex index, const char *name)
{
	LLVMRemoveEnumAttributeAtIndex(function, index, attribute_kind(name));
}

bool attribute_has(LLVMValueRef function, const char *name)
{
	return LLVMGetEnumAttributeAtIndex(function, WHOLE_FUNCTION, attribute_kind(name));
}
