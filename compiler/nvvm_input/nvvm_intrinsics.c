/* SPDX-License-Identifier: Apache-2.0 */
/* nvvm_intrinsics.c - the intrinsics of the NVVM IR specification (2.0, section 15) that LLVM 19
 * has by other names or in other forms. Those whose names differ in the types of pointers alone
 * LLVM renames itself, and those of before it replaces. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "llvm_functions.h"
#include "names.h"
#include "nvvm_matrix.h"
#include "llvm_versions.h"
#include "nvvm_parts.h"

struct scene {
	struct device_module *dm;
	LLVMBuilderRef builder;
	LLVMValueRef call;
	const char *name; /* the intrinsic's */
	int mode; /* of an operand that is no constant, where one of its values is looked at; or -1 */
};

static LLVMTypeRef integer(const struct scene *scene, unsigned bits)
{
	return LLVMIntTypeInContext(scene->dm->context, bits);
}

static LLVMValueRef argument(const struct scene *scene, unsigned i)
{
	return LLVMGetOperand(scene->call, i);
}

/* A call of an intrinsic of LLVM 19 that is not overloaded. */
static LLVMValueRef build(const struct scene *scene, const char *name, LLVMValueRef *args,
			  unsigned n)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMValueRef function = LLVMGetIntrinsicDeclaration(scene->dm->module, id, NULL, 0);
	return LLVMBuildCall2(scene->builder, LLVMGlobalGetValueType(function), function, args, n,
			      "");
}

/* The operand that selects a form; says where it is not one of the `n` first. */
static bool constant(const struct scene *scene, unsigned i, uint64_t n, uint64_t *ret)
{
	LLVMValueRef value = argument(scene, i);
	if (scene->mode >= 0) {
		*ret = (uint64_t)scene->mode;
		return true;
	}
	if (LLVMIsAConstantInt(value)) {
		*ret = LLVMConstIntGetZExtValue(value);
		if (*ret < n)
			return true;
	}
	device_diagnose(scene->dm, scene->call, "%s: operand %u is not a constant below %llu",
			scene->name, i + 1, (unsigned long long)n);
	return false;
}

/* {value, bit}; NULL stands for 0. */
static LLVMValueRef pair(const struct scene *scene, LLVMValueRef value, LLVMValueRef bit)
{
	LLVMBuilderRef b = scene->builder;
	LLVMValueRef r = LLVMGetPoison(LLVMTypeOf(scene->call));
	r = LLVMBuildInsertValue(b, r, value ? value : LLVMConstNull(integer(scene, 32)), 0, "");
	return LLVMBuildInsertValue(b, r, bit ? bit : LLVMConstNull(integer(scene, 1)), 1, "");
}

/* Does anything but the first member of the result matter? */
static bool uses_bit(LLVMValueRef call)
{
	for (LLVMUseRef use = LLVMGetFirstUse(call); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAExtractValueInst(user) || LLVMGetIndices(user)[0] != 0)
			return true;
	}
	return false;
}

/* {i32, i1} shfl.sync.i32(mask, mode, value, b, c) */
static LLVMValueRef shuffle(const struct scene *scene)
{
	static const char *const modes[] = {"idx", "up", "down", "bfly"};
	uint64_t mode;
	if (!constant(scene, 1, 4, &mode))
		return NULL;
	bool whole = uses_bit(scene->call);
	LLVMValueRef args[] = {argument(scene, 0), argument(scene, 2), argument(scene, 3),
			       argument(scene, 4)};
	char name[64];
	snprintf(name, sizeof name, "llvm.nvvm.shfl.sync.%s.%s", modes[mode],
		 whole ? "i32p" : "i32");
	LLVMValueRef r = build(scene, name, args, 4);
	return whole ? r : pair(scene, r, NULL);
}

/* {i32, i1} vote.sync(mask, mode, predicate): of the ballot the number, else the bit */
static LLVMValueRef vote(const struct scene *scene)
{
	static const char *const modes[] = {"all", "any", "uni", "ballot"};
	uint64_t mode;
	if (!constant(scene, 1, 4, &mode))
		return NULL;
	LLVMValueRef args[] = {argument(scene, 0), argument(scene, 2)};
	char name[64];
	snprintf(name, sizeof name, "llvm.nvvm.vote.%s.sync", modes[mode]);
	LLVMValueRef r = build(scene, name, args, 2);
	return mode == 3 ? pair(scene, r, NULL) : pair(scene, NULL, r);
}

/* {i32, i1} match.all.sync.iN(mask, value) */
static LLVMValueRef match_all(const struct scene *scene)
{
	LLVMValueRef args[] = {argument(scene, 0), argument(scene, 1)};
	char name[64];
	snprintf(name, sizeof name, "%sp", scene->name);
	return build(scene, name, args, 2);
}

/* membar(flags) */
static LLVMValueRef membar(const struct scene *scene)
{
	static const char *const levels[] = {"llvm.nvvm.membar.gl", "llvm.nvvm.membar.cta",
					     "llvm.nvvm.membar.sys", NULL,
					     "llvm.nvvm.fence.sc.cluster"};
	uint64_t level;
	if (!constant(scene, 0, 5, &level))
		return NULL;
	if (!levels[level]) {
		device_diagnose(scene->dm, scene->call, "%s: the level 3 is reserved", scene->name);
		return NULL;
	}
	return build(scene, levels[level], NULL, 0);
}

/* cluster.barrier(flags): bits 0 to 3 arrive or wait, bits 4 to 7 whether memory is relaxed */
static LLVMValueRef cluster_barrier(const struct scene *scene)
{
	uint64_t flags;
	if (!constant(scene, 0, 32, &flags))
		return NULL;
	switch (flags) {
	case 0x00:
		return build(scene, "llvm.nvvm.barrier.cluster.arrive", NULL, 0);
	case 0x10:
		return build(scene, "llvm.nvvm.barrier.cluster.arrive.relaxed", NULL, 0);
	case 0x01:
		return build(scene, "llvm.nvvm.barrier.cluster.wait", NULL, 0);
	default:
		device_diagnose(scene->dm, scene->call, "%s: the flags 0x%x are reserved",
				scene->name, (unsigned)flags);
		return NULL;
	}
}

/* llvm.nvvm.hmma.* */
static LLVMValueRef matrix(const struct scene *scene)
{
	LLVMValueRef r = nvvm_matrix_build(scene->dm, scene->builder, scene->call, scene->name);
	if (!r)
		device_diagnose(scene->dm, scene->call,
				"intrinsic %s is not supported with these operands", scene->name);
	return r;
}

/* llvm.cuda.syncthreads() of the first versions */
static LLVMValueRef barrier(const struct scene *scene)
{
	static const char before_22[] = "llvm.nvvm.barrier0";
	LLVMValueRef first = LLVMConstNull(integer(scene, 32));
	if (LLVMLookupIntrinsicID(before_22, strlen(before_22)))
		return build(scene, before_22, NULL, 0);
	return build(scene, "llvm.nvvm.barrier.cta.sync.aligned.all", &first, 1);
}

/* Types are letters: i i32, l i64, b i1, p {i32, i1}, v void. */
static const struct row {
	const char *name;
	LLVMValueRef (*build)(const struct scene *scene);
	unsigned n_args;
	const char *result, *args;
	bool any_mode; /* the second operand, below 4, may be no constant */
} rows[] = {
	{"llvm.nvvm.shfl.sync.i32", shuffle, 5, "p", "iiiii", true},
	{"llvm.nvvm.vote.sync", vote, 3, "p", "iib", true},
	{"llvm.nvvm.match.all.sync.i32", match_all, 2, "p", "ii", false},
	{"llvm.nvvm.match.all.sync.i64", match_all, 2, "p", "il", false},
	{"llvm.nvvm.membar", membar, 1, "v", "i", false},
	{"llvm.nvvm.cluster.barrier", cluster_barrier, 1, "v", "i", false},
	{"llvm.cuda.syncthreads", barrier, 0, "v", "", false},
};

/* Named after shapes and types, which it looks at itself. */
static const struct row matrices = {NVVM_MATRIX, matrix, 0, NULL, NULL, false};

static const struct row *row_of(const char *name)
{
	if (!strncmp(name, NVVM_MATRIX, strlen(NVVM_MATRIX)))
		return &matrices;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

static LLVMTypeRef type_of(LLVMContextRef context, char letter)
{
	LLVMTypeRef parts[] = {LLVMInt32TypeInContext(context), LLVMInt1TypeInContext(context)};
	switch (letter) {
	case 'i':
		return parts[0];
	case 'l':
		return LLVMInt64TypeInContext(context);
	case 'b':
		return parts[1];
	case 'p':
		return LLVMStructTypeInContext(context, parts, 2, 0);
	default:
		return LLVMVoidTypeInContext(context);
	}
}

static bool has_type(LLVMContextRef context, LLVMValueRef function, const struct row *row)
{
	LLVMTypeRef args[8];
	if (!row->args)
		return true;
	for (unsigned i = 0; i < row->n_args; i++)
		args[i] = type_of(context, row->args[i]);
	return LLVMGlobalGetValueType(function) ==
	       LLVMFunctionType(type_of(context, row->result[0]), args, row->n_args, 0);
}

/* Numba 0.61 wraps intrinsics into functions, which are not inlined at this point: one call for
 * each mode. The mode is the same in all threads that are at the call. */
static LLVMValueRef build_each(struct scene *scene, const struct row *row)
{
	enum { N_MODES = 4 };
	LLVMContextRef context = scene->dm->context;
	LLVMBuilderRef b = scene->builder;
	LLVMValueRef mode = argument(scene, 1), values[N_MODES];
	LLVMBasicBlockRef before = LLVMGetInstructionParent(scene->call), ways[N_MODES];
	LLVMBasicBlockRef rest = block_split_before(scene->call);
	LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(before));
	LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(scene->call));
	for (int i = 0; i < N_MODES; i++) {
		ways[i] = LLVMInsertBasicBlockInContext(context, rest, "");
		LLVMPositionBuilderAtEnd(b, ways[i]);
		scene->mode = i;
		values[i] = row->build(scene);
		LLVMBuildBr(b, rest);
	}
	LLVMPositionBuilderAtEnd(b, before);
	LLVMValueRef choice = LLVMBuildSwitch(b, mode, ways[0], N_MODES - 1);
	for (unsigned i = 1; i < N_MODES; i++)
		LLVMAddCase(choice, LLVMConstInt(LLVMTypeOf(mode), i, 0), ways[i]);
	LLVMPositionBuilderBefore(b, scene->call);
	LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(scene->call), "");
	LLVMAddIncoming(phi, values, ways, N_MODES);
	return phi;
}

/* All calls of an intrinsic; its declaration goes. */
static void translate(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef function,
		      const struct row *row)
{
	for (LLVMUseRef use = LLVMGetFirstUse(function), next; use; use = next) {
		LLVMValueRef call = LLVMGetUser(use);
		next = LLVMGetNextUse(use);
		if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != function)
			continue;
		struct scene scene = {dm, builder, call, name_of(function), -1};
		LLVMPositionBuilderBefore(builder, call);
		LLVMValueRef r = row->any_mode && !LLVMIsAConstantInt(LLVMGetOperand(call, 1))
					 ? build_each(&scene, row)
					 : row->build(&scene);
		/* Without r it was told of. */
		if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
			LLVMReplaceAllUsesWith(call, r ? r : LLVMGetUndef(LLVMTypeOf(call)));
		LLVMInstructionEraseFromParent(call);
	}
	if (!LLVMGetFirstUse(function))
		LLVMDeleteFunction(function);
}

void nvvm_translate_intrinsics(struct device_module *dm)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	LLVMValueRef next;
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = next) {
		next = LLVMGetNextFunction(f);
		const char *name = name_of(f);
		if (strncmp(name, "llvm.", 5) || LLVMGetIntrinsicID(f) || intrinsic_settled(name) ||
		    !LLVMGetFirstUse(f))
			continue;
		const struct row *row = row_of(name);
		if (!row)
			device_diagnose(dm, LLVMGetUser(LLVMGetFirstUse(f)),
					"intrinsic %s is not supported", name);
		else if (!has_type(dm->context, f, row))
			device_diagnose(dm, LLVMGetUser(LLVMGetFirstUse(f)),
					"intrinsic %s has an incorrect type", name);
		else
			translate(dm, builder, f, row);
	}
	LLVMDisposeBuilder(builder);
}
