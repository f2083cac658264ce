/* SPDX-License-Identifier: Apache-2.0 */
/* pass_asm_known.c - no asm statement has PTX that pass_asm would not know.
 *
 * The work of the passes up to pass_asm, most of all on libraries of templates, is in
 * vain where an instruction is refused in the end. So all statements are read here, and
 * their instructions looked up, before any work is done. What an instruction's operands
 * are is seen by pass_asm alone, and so is all of statements that pass_asm_strings will
 * put strings into.
 *
 * A statement in a function that the program's code does not reach is none of the
 * program's. One in a header that the user never saw is told at each of the user's
 * lines that lead to it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "callgraph.h"
#include "lower.h"
#include "ptx_table.h"
#include "sites.h"

/* A statement that has been read. */
struct reading {
	LLVMValueRef statement; /* LLVM's inline asm value, unique in the context */
	struct cudasim_error *error;
	struct reading *next;
};

struct search {
	struct device_module *dm;
	struct reading *readings; /* the latest first */
	struct callgraph *graph;
	bool *seen; /* by node: callers that have been followed for the statement at hand */
};

/* ---- statements ------------------------------------------------------------ */

static bool takes_strings(LLVMValueRef statement)
{
	size_t size;
	const char *text = LLVMGetInlineAsmConstraintString(statement, &size);
	return memchr(text, 'X', size) != NULL;
}

static struct cudasim_error *read_statement(LLVMValueRef statement)
{
	size_t size;
	const char *text = LLVMGetInlineAsmAsmString(statement, &size);
	struct ptx_program program;
	struct ptx_match match;
	struct cudasim_error *error = ptx_parse(text, size, true, &program);
	if (error)
		return error;
	for (size_t i = 0; i < program.n_statements && !error; i++) {
		const struct ptx_statement *one = &program.statements[i];
		if (one->kind == PTX_INSTRUCTION && !ptx_table_find(one, &match))
			error = cudasim_error_new(CUDASIM_E_UNSUPPORTED,
						  "PTX instruction '%s' is not supported",
						  one->text);
	}
	ptx_program_free(&program);
	return error;
}

/* What is wrong with the asm statement that an instruction is a call of; NULL if nothing
 * is, or it is no such call. */
static const struct cudasim_error *refusal(struct search *search, LLVMValueRef i)
{
	LLVMValueRef statement = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
	if (!statement || !LLVMIsAInlineAsm(statement) || takes_strings(statement))
		return NULL;
	for (const struct reading *r = search->readings; r; r = r->next)
		if (r->statement == statement)
			return r->error;
	struct reading *fresh = calloc(1, sizeof(*fresh));
	assert(fresh);
	*fresh = (struct reading){statement, read_statement(statement), search->readings};
	search->readings = fresh;
	return fresh->error;
}

static bool any_refused(struct search *search)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(search->dm->module); f;
	     f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i))
				if (refusal(search, i))
					return true;
	return false;
}

/* ---- places ---------------------------------------------------------------- */

static bool is_hidden(const struct search *search, LLVMValueRef function)
{
	struct source_position place;
	return place_function(function, &place) && place_hidden(search->dm->program, &place);
}

/* Tells the error at each of the user's calls that lead to the function. False if there
 * is none. */
static bool tell_callers(struct search *search, LLVMValueRef function,
			 const struct cudasim_error *error)
{
	bool *seen = &search->seen[callgraph_find(search->graph, function)], told = false;
	if (*seen)
		return false;
	*seen = true;
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef call = LLVMGetUser(use);
		if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != function)
			continue;
		LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
		if (is_hidden(search, caller)) {
			told |= tell_callers(search, caller, error);
			continue;
		}
		device_diagnose(search->dm, call, "%s", error->message);
		told = true;
	}
	return told;
}

static void tell(struct search *search, LLVMValueRef statement, const struct cudasim_error *error)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(statement));
	memset(search->seen, 0, search->graph->n * sizeof(*search->seen));
	if (!is_hidden(search, function) || !tell_callers(search, function, error))
		device_diagnose(search->dm, statement, "%s", error->message);
}

static void tell_all(struct search *search)
{
	search->graph = callgraph_new(search->dm, NULL, NULL);
	search->seen = calloc(search->graph->n + 1, sizeof(*search->seen));
	assert(search->seen);
	for (LLVMValueRef f = LLVMGetFirstFunction(search->dm->module); f;
	     f = LLVMGetNextFunction(f)) {
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b)) {
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i)) {
				const struct cudasim_error *error = refusal(search, i);
				if (error)
					tell(search, i, error);
			}
		}
	}
	free(search->seen);
	callgraph_free(search->graph);
}

struct cudasim_error *pass_asm_known(struct device_module *dm)
{
	struct search search = {.dm = dm};
	struct cudasim_error *error = NULL;
	if (any_refused(&search)) {
		error = device_run_passes(dm, "globaldce"); /* what no code reaches */
		if (!error)
			tell_all(&search);
	}
	for (struct reading *r = search.readings, *next; r; r = next) {
		next = r->next;
		cudasim_error_free(r->error);
		free(r);
	}
	return error;
}
