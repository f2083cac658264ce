/* SPDX-License-Identifier: Apache-2.0 */
/* nvvm_check.c - what libNVVM refuses. Its words, since programs show them. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug_metadata.h"
#include "must.h"
#include "names.h"
#include "nvvm_parts.h"

static struct cudasim_error *invalid(const char *format, const char *what)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	return cudasim_error_new(CUDASIM_E_FORMAT, format, what);
#pragma GCC diagnostic pop
}

/* ---- the module's head ---------------------------------------------------------------------- */

static struct cudasim_error *incompatible(const char *path, const char *what, long major,
					  long minor, const char *current)
{
	char line[128] = "";
	if (major >= 0)
		snprintf(line, sizeof line,
			 "%s version %ld.%ld incompatible with current version %s\n", what, major,
			 minor, current);
	return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
				 "%s%s: error: incompatible IR detected. Possible mix of "
				 "compiler/IR from different releases.",
				 line, path);
}

/* `!nvvmir.version = !{!0}`, `!0 = !{i32 2, i32 0, i32 3, i32 2}`; the last two are of the debug
 * information and may be absent. Every version's modules are read, from 1.0 to 3.x. */
static struct cudasim_error *check_version(LLVMModuleRef module, const char *path)
{
	unsigned n = LLVMGetNamedMetadataNumOperands(module, "nvvmir.version");
	if (!n)
		return incompatible(path, "IR", 1, 0, "2.0");
	LLVMValueRef *nodes = must(calloc(n, sizeof *nodes)), parts[4];
	long numbers[4] = {1, 0, 3, 0};
	LLVMGetNamedMetadataOperands(module, "nvvmir.version", nodes);
	unsigned n_parts = LLVMGetMDNodeNumOperands(nodes[0]);
	bool known = n_parts == 2 || n_parts == 4;
	if (known)
		LLVMGetMDNodeOperands(nodes[0], parts);
	free(nodes);
	for (unsigned i = 0; known && i < n_parts; i++) {
		known = parts[i] && LLVMIsAConstantInt(parts[i]);
		if (known)
			numbers[i] = (long)LLVMConstIntGetZExtValue(parts[i]);
	}
	if (!known)
		return incompatible(path, "IR", -1, 0, NULL);
	if (numbers[0] < 1 || numbers[0] > 3)
		return incompatible(path, "IR", numbers[0], numbers[1], "2.0");
	if (numbers[2] < 1 || numbers[2] > 3)
		return incompatible(path, "DBG", numbers[2], numbers[3], "3.2");
	return NULL;
}

static struct cudasim_error *check_layout(const char *layout, bool all)
{
	if (!*layout)
		return invalid("%s", all ? "error: Error: Empty target data layout, must exist\n"
					 : "DataLayoutError: Data Layout string is empty");
	if (strstr(layout, "p:32:32"))
		return invalid("DataLayoutError: pointers of 32 bits are not supported (%s)",
			       layout);
	if (all && (!strstr(layout, "n16:32:64") || !strstr(layout, "i128:128")))
		return invalid("error: Error: DataLayoutError: Unsupported integer alignment or "
			       "native integer widths (%s) [Supported: -i1:8:8-i8:8:8-i16:16:16-"
			       "i32:32:32-i64:64:64-i128:128:128, -n16:32:64].\n",
			       layout);
	return NULL;
}

static struct cudasim_error *check_triple(const char *triple, const char *path, bool all)
{
	static const char start[] = "nvptx64-", end[] = "-cuda";
	size_t n = strlen(triple), n_end = sizeof end - 1;
	if (!n)
		return invalid("%s: error: Module does not contain a triple, should be 'nvptx64-'",
			       path);
	bool known = !strncmp(triple, start, sizeof start - 1) && n > n_end &&
		     !strcmp(triple + n - n_end, end);
	if (all && !known)
		return invalid("error: Error: Invalid target triple (%s), must be one of:\n"
			       "Error: 64-bit: nvptx64-*-cuda\n",
			       triple);
	return NULL;
}

struct cudasim_error *nvvm_check_header(LLVMModuleRef module, const char *path, bool all)
{
	struct cudasim_error *error = check_version(module, path);
	if (!error)
		error = check_triple(LLVMGetTarget(module), path, all);
	return error ? error : check_layout(LLVMGetDataLayoutStr(module), all);
}

/* ---- instructions and globals ---------------------------------------------------------------- */

static struct cudasim_error *refuse_instruction(LLVMValueRef i, const char *why)
{
	char *text = LLVMPrintValueToString(i);
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(i));
	struct cudasim_error *error = cudasim_error_new(
		CUDASIM_E_FORMAT,
		"error: Error: :  Function `%s' Basic Block `%s': \n  context: %s\n  %s\n",
		name_of(function), LLVMGetBasicBlockName(LLVMGetInstructionParent(i)), text, why);
	LLVMDisposeMessage(text);
	return error;
}

static struct cudasim_error *check_instruction(LLVMValueRef i)
{
	static const struct {
		LLVMOpcode op;
		const char *why;
	} illegal[] = {
		{LLVMFence, "Illegal instruction: fence"},
		{LLVMIndirectBr, "Illegal instruction: indirectbr"},
		{LLVMInvoke, "Illegal instruction: invoke"},
		{LLVMResume, "Illegal instruction: resume"},
		{LLVMLandingPad, "Illegal instruction: landingpad"},
		{LLVMVAArg, "Illegal instruction: va_arg"},
	};
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	LLVMAtomicOrdering ordering;
	for (size_t k = 0; k < sizeof illegal / sizeof *illegal; k++)
		if (illegal[k].op == op)
			return refuse_instruction(i, illegal[k].why);
	if ((op == LLVMLoad || op == LLVMStore) && instruction_atomic_ordering(i, &ordering))
		return refuse_instruction(i, "Atomic loads/stores are not supported");
	return NULL;
}

static struct cudasim_error *check_global(LLVMValueRef global)
{
	LLVMValueRef value = LLVMGetInitializer(global);
	const char *section = LLVMGetSection(global), *why = NULL;
	if (value && !LLVMIsUndef(value) && LLVMGetPointerAddressSpace(LLVMTypeOf(global)) == 3)
		why = "Shared variables can't be initialized\n";
	else if (section && *section && strcmp(section, "llvm.metadata"))
		why = "Explicit section marker other than llvm.metadata is not allowed";
	if (!why)
		return NULL;
	char *text = LLVMPrintValueToString(global);
	struct cudasim_error *error = cudasim_error_new(
		CUDASIM_E_FORMAT, "error: Error: : Global Variable `%s': \n  context: %s\n  %s\n",
		name_of(global), text, why);
	LLVMDisposeMessage(text);
	return error;
}

static struct cudasim_error *check_kernels(LLVMModuleRef module)
{
	unsigned n = LLVMGetNamedMetadataNumOperands(module, "nvvm.annotations");
	LLVMValueRef *nodes = must(calloc(n ? n : 1, sizeof *nodes));
	struct cudasim_error *error = NULL;
	LLVMGetNamedMetadataOperands(module, "nvvm.annotations", nodes);
	for (unsigned i = 0; i < n && !error; i++) {
		unsigned n_parts = LLVMGetMDNodeNumOperands(nodes[i]), length = 0;
		LLVMValueRef *parts = must(calloc(n_parts ? n_parts : 1, sizeof *parts));
		LLVMGetMDNodeOperands(nodes[i], parts);
		const char *property = n_parts > 1 && parts[1] ? LLVMGetMDString(parts[1], &length)
							       : NULL;
		if (property && length == 6 && !memcmp(property, "kernel", 6) && parts[0] &&
		    LLVMIsAFunction(parts[0]) &&
		    LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(parts[0]))) !=
			    LLVMVoidTypeKind)
			error = invalid("error: Error: : Function `%s': non-void entry function.\n",
					name_of(parts[0]));
		free(parts);
	}
	free(nodes);
	return error;
}

struct cudasim_error *nvvm_check_rules(LLVMModuleRef module)
{
	struct cudasim_error *error = check_kernels(module);
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g && !error; g = LLVMGetNextGlobal(g))
		error = check_global(g);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f && !error; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b && !error;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && !error;
			     i = LLVMGetNextInstruction(i))
				error = check_instruction(i);
	return error;
}
