/* SPDX-License-Identifier: Apache-2.0 */
/* device.c - what all passes share: diagnostics, bitcode, LLVM's own passes. */
#define _GNU_SOURCE
#include "device.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "llvm_versions.h"
#include "sites.h"

/* The value whose debug location names the line: where itself or, if it has
 * none, the function around it. NULL if there is none. */
static LLVMValueRef located(LLVMValueRef where)
{
	if (!where)
		return NULL;
	bool is_instruction = LLVMIsAInstruction(where);
	if (!is_instruction && !LLVMIsAFunction(where) && !LLVMIsAGlobalVariable(where))
		return NULL;
	if (LLVMGetDebugLocLine(where))
		return where;
	if (!is_instruction)
		return NULL;
	where = LLVMGetBasicBlockParent(LLVMGetInstructionParent(where));
	return LLVMGetDebugLocLine(where) ? where : NULL;
}

/* Where the user's line is that led to a line of a header, if it is known: what
 * small functions of headers do stands in their callers. */
static bool find_users_place(const struct device_program *program, LLVMValueRef where,
			     struct source_position *ret)
{
	return where && LLVMIsAInstruction(where) && LLVMGetDebugLocLine(where) &&
	       place_of(program, where, ret) && ret->file;
}

/* `file:line: error: text`, malloc()ed; NULL when there is no memory. program
 * may be NULL. */
static char *message_at(const struct device_program *program, LLVMValueRef where,
			const char *format, va_list args)
{
	char *text, *line = NULL;
	if (vasprintf(&text, format, args) < 0)
		return NULL;
	LLVMValueRef place = located(where);
	struct source_position users;
	int length;
	if (program && find_users_place(program, where, &users)) {
		length = asprintf(&line, "%s:%u: error: %s", users.file, users.line, text);
	} else if (place) {
		unsigned n = 0;
		const char *file = LLVMGetDebugLocFilename(place, &n);
		length = asprintf(&line, "%.*s:%u: error: %s", (int)n, file ? file : "",
				  LLVMGetDebugLocLine(place), text);
	} else {
		length = asprintf(&line, "error: %s", text);
	}
	free(text);
	return length < 0 ? NULL : line;
}

bool device_is_separate(const struct device_module *dm)
{
	return dm->program->options->rdc || dm->program->options->relocatable;
}

void device_diagnose(struct device_module *dm, LLVMValueRef where, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *message = message_at(dm->program, where, format, args);
	va_end(args);
	fprintf(stderr, "%s\n", message ? message : "error: out of memory");
	free(message);
	dm->program->n_diagnoses++;
}

struct cudasim_error *device_error(LLVMValueRef where, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *message = message_at(NULL, where, format, args);
	va_end(args);
	if (!message)
		return &cudasim_error_nomem;
	struct cudasim_error *error = cudasim_error_new(CUDASIM_E_FAILED, "%s", message);
	free(message);
	return error;
}

/* LLVM reports corrupt bitcode through the context; without a handler it would
 * end the process. */
static void note_diagnostic(LLVMDiagnosticInfoRef info, void *arg)
{
	char **text = arg;
	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || *text)
		return;
	char *description = LLVMGetDiagInfoDescription(info);
	*text = strdup(description);
	LLVMDisposeMessage(description);
}

/* At all other times. LLVM's warnings and remarks (a loop that it could not
 * unroll) are about its own work, and would come once for each body. */
static void show_diagnostic(LLVMDiagnosticInfoRef info, void *arg)
{
	struct device_program *program = arg;
	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
		return;
	char *description = LLVMGetDiagInfoDescription(info);
	fprintf(stderr, "error: %s\n", description);
	LLVMDisposeMessage(description);
	program->n_diagnoses++;
}

void device_note_diagnostics(struct device_module *dm, char **text)
{
	*text = NULL;
	LLVMContextSetDiagnosticHandler(dm->context, note_diagnostic, text);
}

void device_watch_diagnostics(struct device_program *program)
{
	LLVMContextSetDiagnosticHandler(program->context, show_diagnostic, program);
}

static struct cudasim_error *read_bitcode(struct device_module *dm, const char *path, bool lazily,
					  LLVMModuleRef *ret)
{
	LLVMMemoryBufferRef buffer;
	char *message = NULL;
	if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
		struct cudasim_error *error = cudasim_error_new(CUDASIM_E_NOTFOUND, "%s: error: %s",
								path, message);
		LLVMDisposeMessage(message);
		return error;
	}
	char *text;
	device_note_diagnostics(dm, &text);
	LLVMBool failed = lazily ? LLVMGetBitcodeModuleInContext2(dm->context, buffer, ret)
				 : LLVMParseBitcodeInContext2(dm->context, buffer, ret);
	device_watch_diagnostics(dm->program);
	if (!lazily || failed)
		LLVMDisposeMemoryBuffer(buffer); /* else the module's */
	struct cudasim_error *error = NULL;
	if (failed)
		error = cudasim_error_new(CUDASIM_E_FORMAT, "%s: error: not LLVM bitcode: %s", path,
					  text ? text : "unreadable");
	else if (!lazily)
		module_settle(*ret, true);
	free(text);
	return error;
}

struct cudasim_error *device_read_bitcode(struct device_module *dm, const char *path,
					  LLVMModuleRef *ret)
{
	return read_bitcode(dm, path, false, ret);
}

struct cudasim_error *device_read_bitcode_lazily(struct device_module *dm, const char *path,
						 LLVMModuleRef *ret)
{
	return read_bitcode(dm, path, true, ret);
}

struct cudasim_error *device_run_passes(struct device_module *dm, const char *passes)
{
	return device_run_passes_for(dm, passes, NULL);
}

struct cudasim_error *device_run_passes_for(struct device_module *dm, const char *passes,
					    LLVMTargetMachineRef machine)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef failure = LLVMRunPasses(dm->module, passes, machine, options);
	LLVMDisposePassBuilderOptions(options);
	if (!failure)
		return NULL;
	char *message = LLVMGetErrorMessage(failure);
	struct cudasim_error *error = cudasim_error_new(CUDASIM_E_FAILED, "error: passes '%s': %s",
							passes, message);
	LLVMDisposeErrorMessage(message);
	return error;
}

void device_visit(struct device_module *dm, device_visitor visit, void *arg)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b)) {
			LLVMValueRef next;
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = next) {
				next = LLVMGetNextInstruction(i);
				visit(dm, i, arg);
			}
		}
	}
}

/* A function's place for values that all its code may use. */
static void position_at_start(LLVMBuilderRef builder, LLVMValueRef function)
{
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
	LLVMValueRef i = LLVMGetFirstInstruction(entry);
	while (LLVMIsAAllocaInst(i))
		i = LLVMGetNextInstruction(i);
	LLVMPositionBuilderBefore(builder, i);
	LLVMSetCurrentDebugLocation2(builder, NULL);
}

/* One use of a global in code. */
struct code_use {
	LLVMValueRef user, function;
	unsigned operand;
};

static size_t collect_uses(LLVMValueRef global, struct code_use **ret)
{
	size_t n = 0, capacity = 16;
	struct code_use *uses = malloc(capacity * sizeof(*uses));
	assert(uses);
	for (LLVMUseRef use = LLVMGetFirstUse(global); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAInstruction(user))
			continue;
		LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
		unsigned n_operands = (unsigned)LLVMGetNumOperands(user);
		for (unsigned i = 0; i < n_operands; i++) {
			if (LLVMGetOperandUse(user, i) != use)
				continue;
			if (n == capacity) {
				capacity *= 2;
				uses = realloc(uses, capacity * sizeof(*uses));
				assert(uses);
			}
			uses[n++] = (struct code_use){user, function, i};
		}
	}
	*ret = uses;
	return n;
}

void device_replace_global(struct device_module *dm, LLVMValueRef global, device_maker make,
			   void *arg)
{
	struct code_use *uses;
	size_t n = collect_uses(global, &uses);
	LLVMTypeRef type = LLVMTypeOf(global);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	for (size_t i = 0; i < n; i++) {
		LLVMValueRef function = uses[i].function;
		if (!function)
			continue;
		position_at_start(builder, function);
		LLVMValueRef address = make(dm, builder, global, arg), value = address;
		if (LLVMGetPointerAddressSpace(type))
			value = LLVMBuildAddrSpaceCast(builder, address, type, "");
		for (size_t k = i; k < n; k++) {
			if (uses[k].function != function)
				continue;
			uses[k].function = NULL;
			if (LLVMIsAAddrSpaceCastInst(uses[k].user)) {
				LLVMReplaceAllUsesWith(uses[k].user, address);
				LLVMInstructionEraseFromParent(uses[k].user);
			} else {
				LLVMSetOperand(uses[k].user, uses[k].operand, value);
			}
		}
	}
	LLVMDisposeBuilder(builder);
	free(uses);
}

size_t device_size(LLVMValueRef function)
{
	size_t n = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			n++;
	return n;
}

bool function_has(LLVMValueRef function, bool (*is)(LLVMValueRef instruction))
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (is(i))
				return true;
	return false;
}

bool device_calls(LLVMValueRef call, const char *const *prefixes)
{
	size_t n;
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &n) : "";
	for (; *prefixes; prefixes++)
		if (!strncmp(name, *prefixes, strlen(*prefixes)))
			return true;
	return false;
}
