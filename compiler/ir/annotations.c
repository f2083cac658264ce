/* SPDX-License-Identifier: Apache-2.0 */
#include "annotations.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static LLVMValueRef strip_casts(LLVMValueRef value)
{
	while (value && LLVMIsAConstantExpr(value))
		value = LLVMGetOperand(value, 0);
	return value;
}

/* The property's name, malloc()ed, as metadata strings do not end in NUL. */
static char *string_of(LLVMValueRef metadata)
{
	unsigned length;
	const char *text = LLVMGetMDString(metadata, &length);
	char *copy = text ? strndup(text, length) : NULL;
	assert(!text || copy);
	return copy;
}

static void visit_node(LLVMValueRef node, annotations_nvvm_visitor visit, void *arg)
{
	unsigned n = LLVMGetMDNodeNumOperands(node);
	LLVMValueRef *operands = calloc(n ? n : 1, sizeof(*operands));
	assert(operands);
	LLVMGetMDNodeOperands(node, operands);
	LLVMValueRef global = n ? strip_casts(operands[0]) : NULL;
	for (unsigned i = 1; global && i + 1 < n; i += 2) {
		char *property = operands[i] ? string_of(operands[i]) : NULL;
		if (property && operands[i + 1] && LLVMIsAConstantInt(operands[i + 1]))
			visit(global, property, LLVMConstIntGetZExtValue(operands[i + 1]), arg);
		free(property);
	}
	free(operands);
}

void annotations_visit_nvvm(struct device_module *dm, annotations_nvvm_visitor visit, void *arg)
{
	unsigned n = LLVMGetNamedMetadataNumOperands(dm->module, "nvvm.annotations");
	LLVMValueRef *nodes = calloc(n ? n : 1, sizeof(*nodes));
	assert(nodes);
	LLVMGetNamedMetadataOperands(dm->module, "nvvm.annotations", nodes);
	for (unsigned i = 0; i < n; i++)
		visit_node(nodes[i], visit, arg);
	free(nodes);
}

/* The values of the constant structure that annotate()'s arguments become. */
static size_t read_values(LLVMValueRef pointer, uint64_t values[8])
{
	LLVMValueRef global = strip_casts(pointer);
	if (!global || !LLVMIsAGlobalVariable(global) || !LLVMGetInitializer(global))
		return 0;
	LLVMValueRef list = LLVMGetInitializer(global);
	if (LLVMGetTypeKind(LLVMTypeOf(list)) != LLVMStructTypeKind)
		return 0;
	unsigned n = LLVMCountStructElementTypes(LLVMTypeOf(list));
	size_t n_values = 0;
	for (unsigned i = 0; i < n && n_values < 8; i++) {
		LLVMValueRef element = LLVMGetAggregateElement(list, i);
		if (element && LLVMIsAConstantInt(element))
			values[n_values++] = LLVMConstIntGetZExtValue(element);
	}
	return n_values;
}

static void visit_row(LLVMValueRef row, annotations_visitor visit, void *arg)
{
	LLVMValueRef global = strip_casts(LLVMGetAggregateElement(row, 0));
	LLVMValueRef text = strip_casts(LLVMGetAggregateElement(row, 1));
	if (!global || !text || !LLVMIsAGlobalVariable(text))
		return;
	LLVMValueRef string = LLVMGetInitializer(text);
	if (!string || !LLVMIsAConstantDataSequential(string) || !LLVMIsConstantString(string))
		return;
	uint64_t values[8];
	size_t length, n_values = read_values(LLVMGetAggregateElement(row, 4), values);
	visit(global, LLVMGetAsString(string, &length), values, n_values, arg);
}

void annotations_visit(struct device_module *dm, annotations_visitor visit, void *arg)
{
	LLVMValueRef list = LLVMGetNamedGlobal(dm->module, "llvm.global.annotations");
	if (!list || !LLVMGetInitializer(list))
		return;
	uint64_t n = LLVMGetArrayLength2(LLVMGlobalGetValueType(list));
	for (uint64_t i = 0; i < n; i++)
		visit_row(LLVMGetAggregateElement(LLVMGetInitializer(list), (unsigned)i), visit,
			  arg);
}
