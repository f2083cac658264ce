/* SPDX-License-Identifier: Apache-2.0 */
/* lockstep_origin.c - a points-to analysis for shared variables only.
 *
 * Addresses of shared memory go through aggregates (a tensor is a pointer and a layout),
 * locals that stay in memory (captured by reference, indexed), integers (inline PTX has
 * 32-bit addresses) and parameters. So each value of the module has a set of variables that
 * it may be the address of, or hold the address of, and so has each local; one set stands
 * for all other memory. Sets grow until nothing changes, whatever the order of execution
 * (Andersen, "Program Analysis and Specialization for the C Programming Language", 1994,
 * without fields). A local whose own address is stored, passed or mixed with another counts
 * as other memory. Global memory holds no addresses of shared memory: what is loaded through
 * a kernel's parameter or a global variable points to none.
 *
 * Arrays without a size (extern __shared__) are one and the same memory, and one object. */
#include "lockstep_origin.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_DEPTH = 64, /* of constants, and of chains of pointers */
	SHARED_SPACE = 3,
	LAST = ORIGIN_VARIABLES - 1,
};

/* Of a value: what it may point to; of a function: what its result may. */
struct entry {
	LLVMValueRef value; /* NULL: a free place */
	lockstep_objects points;
	lockstep_objects holds;         /* a local, as memory */
	lockstep_objects reads, writes; /* a function and those that it calls */
	bool escapes; /* a local's address is stored, passed, or one of several */
	bool called, taken; /* a function by its name, or its address is used */
};

struct lockstep_origins {
	LLVMModuleRef module;
	const LLVMValueRef *shared;
	unsigned n_shared;
	struct entry *entries; /* a hash table, n_entries a power of two */
	size_t n_entries, n_used;
	lockstep_objects memory; /* what other memory may hold */
	lockstep_objects taken_reads, taken_writes; /* by functions whose address is used */
	bool changed;
};

static void *must(void *memory)
{
	if (!memory) {
		fputs("cudasim-devcc: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

/* ---- the table -------------------------------------------------------------- */

static struct entry *place(const struct lockstep_origins *o, LLVMValueRef value)
{
	for (size_t i = (((uintptr_t)value >> 4) * 0x9e3779b97f4a7c15u) >> 20;; i++) {
		struct entry *e = &o->entries[i & (o->n_entries - 1)];
		if (!e->value || e->value == value)
			return e;
	}
}

static void grow(struct lockstep_origins *o)
{
	struct entry *old = o->entries;
	size_t n = o->n_entries;
	o->n_entries = n ? 2 * n : 1024;
	o->entries = must(calloc(o->n_entries, sizeof *o->entries));
	for (size_t i = 0; i < n; i++)
		if (old[i].value)
			*place(o, old[i].value) = old[i];
	free(old);
}

static struct entry *entry(struct lockstep_origins *o, LLVMValueRef value)
{
	if (2 * o->n_used >= o->n_entries)
		grow(o);
	struct entry *e = place(o, value);
	if (!e->value) {
		e->value = value;
		o->n_used++;
	}
	return e;
}

static void add(struct lockstep_origins *o, lockstep_objects *set, lockstep_objects more)
{
	o->changed |= (more & ~*set) != 0;
	*set |= more;
}

static void add_points(struct lockstep_origins *o, LLVMValueRef value, lockstep_objects more)
{
	if (more)
		add(o, &entry(o, value)->points, more);
}

/* ---- values ----------------------------------------------------------------- */

static lockstep_objects object_of(const struct lockstep_origins *o, LLVMValueRef global)
{
	for (unsigned i = 0; i < o->n_shared; i++)
		if (o->shared[i] == global)
			return 1u << (i < LAST && !LLVMIsDeclaration(global) ? i : LAST);
	return 0;
}

static lockstep_objects of_constant(const struct lockstep_origins *o, LLVMValueRef value,
				    unsigned depth)
{
	if (LLVMIsAGlobalVariable(value))
		return object_of(o, value);
	if (depth > MAX_DEPTH || !LLVMIsAUser(value) || LLVMIsAGlobalValue(value))
		return 0;
	lockstep_objects all = 0;
	for (int i = 0, n = LLVMGetNumOperands(value); i < n; i++)
		all |= of_constant(o, LLVMGetOperand(value, (unsigned)i), depth + 1);
	return all;
}

static lockstep_objects of(const struct lockstep_origins *o, LLVMValueRef value)
{
	if (LLVMIsAInstruction(value) || LLVMIsAArgument(value))
		return place(o, value)->points;
	return LLVMIsConstant(value) ? of_constant(o, value, 0) : 0;
}

static void find_uses(struct lockstep_origins *o, LLVMValueRef function)
{
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == function)
			entry(o, function)->called = true;
		else
			entry(o, function)->taken = true;
	}
}

bool lockstep_origins_is_called(const struct lockstep_origins *o, LLVMValueRef function)
{
	const struct entry *e = place(o, function);
	return e->called || e->taken;
}

/* Where a pointer leads: to a local (which is returned), to global memory, or, both false, to
 * memory of which nothing is known. */
static LLVMValueRef base_of(const struct lockstep_origins *o, LLVMValueRef pointer,
			    bool *is_global)
{
	*is_global = false;
	for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
		if (LLVMIsAAllocaInst(pointer))
			return pointer;
		if (LLVMIsAGlobalVariable(pointer)) {
			*is_global = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) != SHARED_SPACE;
			return NULL;
		}
		if (LLVMIsAArgument(pointer)) {
			*is_global = !lockstep_origins_is_called(o, LLVMGetParamParent(pointer));
			return NULL;
		}
		bool follows = LLVMIsAGetElementPtrInst(pointer) || LLVMIsAConstantExpr(pointer) ||
			       LLVMIsAAddrSpaceCastInst(pointer) || LLVMIsABitCastInst(pointer) ||
			       LLVMIsAFreezeInst(pointer);
		bool loaded = LLVMIsALoadInst(pointer) != NULL;
		if (!follows && !loaded) {
			*is_global = LLVMIsACallInst(pointer) &&
				     LLVMGetNumArgOperands(pointer) == 0;
			return NULL;
		}
		LLVMValueRef next = LLVMGetOperand(pointer, 0);
		if (loaded) {
			/* What global memory holds points to global memory. */
			base_of(o, next, is_global);
			return NULL;
		}
		pointer = next;
	}
	return NULL;
}

static bool may_hold_address(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type) >= 32;
	case LLVMPointerTypeKind: case LLVMStructTypeKind: case LLVMArrayTypeKind:
		return true;
	case LLVMVectorTypeKind:
		return may_hold_address(LLVMGetElementType(type));
	default:
		return false;
	}
}

/* The set of the memory behind pointer; NULL for global memory. */
static lockstep_objects *memory_of(struct lockstep_origins *o, LLVMValueRef pointer)
{
	bool is_global;
	LLVMValueRef local = base_of(o, pointer, &is_global);
	if (is_global)
		return NULL;
	if (!local || entry(o, local)->escapes)
		return &o->memory;
	return &entry(o, local)->holds;
}

/* ---- instructions ------------------------------------------------------------- */

static bool is_quiet_call(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t n;
	return callee && LLVMIsAFunction(callee) &&
	       (!strncmp(LLVMGetValueName2(callee, &n), "llvm.lifetime.", 14) ||
		!strncmp(LLVMGetValueName2(callee, &n), "llvm.dbg.", 9));
}

/* Does instruction i use its operand k, an address, in another way than to access memory
 * there or to make another address of it? */
static bool lets_escape(LLVMValueRef i, unsigned k)
{
	if (LLVMIsAMemIntrinsic(i) || LLVMIsALoadInst(i) || LLVMIsAICmpInst(i))
		return false;
	if (LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
		return k != (LLVMIsAStoreInst(i) ? 1 : 0);
	if (LLVMIsACallInst(i))
		return !is_quiet_call(i);
	return !(LLVMIsAGetElementPtrInst(i) || LLVMIsAAddrSpaceCastInst(i) ||
		 LLVMIsABitCastInst(i) || LLVMIsAFreezeInst(i));
}

static void find_escapes(struct lockstep_origins *o, LLVMValueRef i)
{
	for (int k = 0, n = LLVMGetNumOperands(i); k < n; k++) {
		LLVMValueRef operand = LLVMGetOperand(i, (unsigned)k);
		if (!LLVMIsAInstruction(operand) ||
		    LLVMGetTypeKind(LLVMTypeOf(operand)) != LLVMPointerTypeKind)
			continue;
		bool is_global;
		LLVMValueRef local = base_of(o, operand, &is_global);
		if (local && lets_escape(i, (unsigned)k))
			entry(o, local)->escapes = true;
	}
}

static void store(struct lockstep_origins *o, LLVMValueRef pointer, lockstep_objects what)
{
	lockstep_objects *memory = what ? memory_of(o, pointer) : NULL;
	if (memory)
		add(o, memory, what);
}

static lockstep_objects load(struct lockstep_origins *o, LLVMValueRef pointer)
{
	const lockstep_objects *memory = memory_of(o, pointer);
	return memory ? *memory : 0;
}

static LLVMValueRef parent(LLVMValueRef i)
{
	return LLVMGetBasicBlockParent(LLVMGetInstructionParent(i));
}

/* Passes argument k, which may point to `what`, to the functions that a call may mean. */
static void pass(struct lockstep_origins *o, LLVMValueRef function, unsigned k,
		 lockstep_objects what)
{
	if (function && k < LLVMCountParams(function))
		add_points(o, LLVMGetParam(function, k), what);
	if (function || !what)
		return;
	for (LLVMValueRef f = LLVMGetFirstFunction(o->module); f; f = LLVMGetNextFunction(f))
		if (place(o, f)->taken && !LLVMIsDeclaration(f) && k < LLVMCountParams(f))
			add_points(o, LLVMGetParam(f, k), what);
}

static void access(struct lockstep_origins *o, LLVMValueRef i, lockstep_objects reads,
		   lockstep_objects writes)
{
	struct entry *e = entry(o, parent(i));
	add(o, &e->reads, reads);
	add(o, &e->writes, writes);
	if (e->taken) {
		add(o, &o->taken_reads, e->reads);
		add(o, &o->taken_writes, e->writes);
	}
}

static void call(struct lockstep_origins *o, LLVMValueRef i)
{
	LLVMValueRef callee = LLVMGetCalledValue(i);
	LLVMValueRef function = LLVMIsAFunction(callee);
	lockstep_objects all = 0, reads, writes;
	for (unsigned k = 0, n = LLVMGetNumArgOperands(i); k < n; k++) {
		lockstep_objects argument = of(o, LLVMGetOperand(i, k));
		all |= argument;
		if (!LLVMIsAInlineAsm(callee))
			pass(o, function, k, argument);
	}
	lockstep_origins_called(o, i, &reads, &writes);
	access(o, i, reads, writes);
	if (function)
		all |= place(o, function)->points;
	if (may_hold_address(LLVMTypeOf(i)))
		add_points(o, i, all);
}

static void operands(struct lockstep_origins *o, LLVMValueRef i, unsigned from, unsigned n)
{
	lockstep_objects all = 0;
	for (unsigned k = from; k < n; k++)
		all |= of(o, LLVMGetOperand(i, k));
	add_points(o, i, all);
}

static void copy(struct lockstep_origins *o, LLVMValueRef i)
{
	LLVMValueRef to = LLVMGetOperand(i, 0), from = LLVMGetOperand(i, 1);
	bool reads = !LLVMIsAMemSetInst(i);
	access(o, i, reads ? lockstep_origins_of(o, from) : 0, lockstep_origins_of(o, to));
	if (reads)
		store(o, to, load(o, from));
}

/* The one part of an aggregate that was put together before. */
static lockstep_objects extracted(const struct lockstep_origins *o, LLVMValueRef i)
{
	unsigned n = LLVMGetNumIndices(i);
	const unsigned *wanted = LLVMGetIndices(i);
	LLVMValueRef whole = LLVMGetOperand(i, 0);
	while (LLVMIsAInsertValueInst(whole)) {
		unsigned m = LLVMGetNumIndices(whole), same = 0;
		const unsigned *at = LLVMGetIndices(whole);
		while (same < n && same < m && at[same] == wanted[same])
			same++;
		if (same == m)
			return of(o, LLVMGetOperand(whole, 1));
		if (same == n)
			break; /* one of several parts that are wanted */
		whole = LLVMGetOperand(whole, 0);
	}
	return of(o, whole);
}

static void step(struct lockstep_origins *o, LLVMValueRef i)
{
	unsigned n = (unsigned)LLVMGetNumOperands(i);
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMGetElementPtr:
		operands(o, i, 0, 1);
		break;
	case LLVMExtractValue:
		if (may_hold_address(LLVMTypeOf(i)))
			add_points(o, i, extracted(o, i));
		break;
	case LLVMSelect:
		operands(o, i, 1, 3);
		break;
	case LLVMPHI:
		for (unsigned k = 0, m = LLVMCountIncoming(i); k < m; k++)
			add_points(o, i, of(o, LLVMGetIncomingValue(i, k)));
		break;
	case LLVMLoad:
		access(o, i, lockstep_origins_of(o, LLVMGetOperand(i, 0)), 0);
		if (may_hold_address(LLVMTypeOf(i)))
			add_points(o, i, load(o, LLVMGetOperand(i, 0)));
		break;
	case LLVMStore:
		access(o, i, 0, lockstep_origins_of(o, LLVMGetOperand(i, 1)));
		store(o, LLVMGetOperand(i, 1), of(o, LLVMGetOperand(i, 0)));
		break;
	case LLVMAtomicRMW: case LLVMAtomicCmpXchg:
		access(o, i, 0, lockstep_origins_of(o, LLVMGetOperand(i, 0)));
		add_points(o, i, load(o, LLVMGetOperand(i, 0)));
		store(o, LLVMGetOperand(i, 0), of(o, LLVMGetOperand(i, 1)));
		break;
	case LLVMCall:
		if (LLVMIsAMemIntrinsic(i))
			copy(o, i);
		else if (!is_quiet_call(i))
			call(o, i);
		break;
	case LLVMRet:
		if (n)
			add_points(o, parent(i), of(o, LLVMGetOperand(i, 0)));
		break;
	case LLVMSub:
		/* The distance between two addresses is none. */
		if (!of(o, LLVMGetOperand(i, 1)))
			operands(o, i, 0, 1);
		break;
	case LLVMICmp: case LLVMFCmp: case LLVMBr: case LLVMSwitch: case LLVMAlloca:
		break;
	default:
		if (may_hold_address(LLVMTypeOf(i)))
			operands(o, i, 0, n);
	}
}

static void visit(struct lockstep_origins *o, LLVMModuleRef module,
		  void (*what)(struct lockstep_origins *o, LLVMValueRef i))
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i))
				what(o, i);
}

struct lockstep_origins *lockstep_origins_new(LLVMModuleRef module, const LLVMValueRef *shared,
					      unsigned n_shared)
{
	struct lockstep_origins *o = must(calloc(1, sizeof *o));
	o->module = module;
	o->shared = shared;
	o->n_shared = n_shared;
	grow(o);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		find_uses(o, f);
	visit(o, module, find_escapes);
	do {
		o->changed = false;
		visit(o, module, step);
	} while (o->changed);
	return o;
}

void lockstep_origins_called(const struct lockstep_origins *o, LLVMValueRef call,
			     lockstep_objects *reads, lockstep_objects *writes)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	LLVMValueRef function = LLVMIsAFunction(callee);
	bool is_asm = LLVMIsAInlineAsm(callee) != NULL;
	const struct entry *e = function ? place(o, function) : NULL;
	*reads = e ? e->reads : is_asm ? 0 : o->taken_reads;
	*writes = e ? e->writes : is_asm ? 0 : o->taken_writes;
}

void lockstep_origins_free(struct lockstep_origins *o)
{
	if (o)
		free(o->entries);
	free(o);
}

lockstep_objects lockstep_origins_of(const struct lockstep_origins *o, LLVMValueRef address)
{
	lockstep_objects all = of(o, address);
	bool is_shared = LLVMGetPointerAddressSpace(LLVMTypeOf(address)) == SHARED_SPACE;
	if (all || !is_shared || !o->n_shared)
		return all;
	/* Which of them nobody knows. */
	return ((lockstep_objects)1 << ORIGIN_VARIABLES) - 1;
}
