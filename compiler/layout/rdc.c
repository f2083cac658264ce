/* SPDX-License-Identifier: Apache-2.0 */
#include "rdc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

static void unite(LLVMModuleRef module, LLVMValueRef definition)
{
	static const char infix[] = "__static__";
	const char *name = name_of(definition), *end = NULL;
	for (const char *p = strstr(name, infix); p; p = strstr(p + 1, infix))
		end = p; /* the last one is clang's */
	if (!end || LLVMIsDeclaration(definition))
		return;
	char *bare = strndup(name, (size_t)(end - name));
	assert(bare);
	LLVMValueRef declaration = LLVMGetNamedGlobal(module, bare);
	free(bare);
	if (!declaration || !LLVMIsDeclaration(declaration) ||
	    LLVMTypeOf(declaration) != LLVMTypeOf(definition))
		return;
	LLVMReplaceAllUsesWith(declaration, definition);
	LLVMDeleteGlobal(declaration);
}

void rdc_unite_statics(LLVMModuleRef module)
{
	/* A list, because declarations are deleted on the way. */
	size_t n = 0;
	LLVMValueRef g;
	for (g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
		n++;
	LLVMValueRef *definitions = calloc(n + 1, sizeof(*definitions));
	assert(definitions);
	n = 0;
	for (g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
		if (!LLVMIsDeclaration(g))
			definitions[n++] = g;
	}
	for (size_t i = 0; i < n; i++)
		unite(module, definitions[i]);
	free(definitions);
}
