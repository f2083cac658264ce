/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_origin.c - a points-to analysis for shared variables only.
 *
 * Addresses of shared memory go through aggregates (a tensor is a pointer and a layout),
 * locals that stay in memory (captured by reference, indexed), integers (inline PTX has
 * 32-bit addresses) and parameters. So each value of the module has a set of variables that
 * it may be the address of, or hold the address of, and so has each word of a local, since a
 * structure may hold addresses of shared and of global memory; one set stands for all other
 * memory. Sets grow until nothing changes, whatever the order of execution
 * (Andersen, "Program Analysis and Specialization for the C Programming Language", 1994;
 * words in the place of fields, as addresses have no types). An access by an index hits all
 * words that the index may reach, as LLVM's scalar evolution and the bounds of arrays say. A
 * local whose own address is stored, passed or mixed with another counts
 * as other memory. Global memory is one set of its own, of what is stored there as a pointer.
 *
 * Arrays without a size (extern __shared__) are one and the same memory, and one object. */
#include "synchrony_origin.h"
#include "synchrony_range.h"
#include "warp_synchrony.h"
#include "hash.h"
#include "must.h"
#include "vector.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Target.h>

enum {
	MAX_DEPTH = 64, /* of constants, and of chains of pointers */
	SHARED_SPACE = 3,
	LAST = ORIGIN_VARIABLES - 1,
	WORD = 4,           /* bytes; the smallest that holds an address */
	MAX_LOCAL = 1 << 16, /* bytes that are told apart */
};

/* Where a pointer leads: to a local, at an offset of least..most bytes, to global memory, or,
 * local NULL and is_global false, to memory of which nothing is known. */
struct target {
	LLVMValueRef local;
	int64_t least, most;
	bool is_global;
};

/* Of a value: what it may point to; of a function: what its result may. */
struct entry {
	synchrony_objects points;
	synchrony_objects *words; /* a local's n_words, NULL before the first is asked for */
	size_t n_words; /* 1 for all of a local that is too large */
	struct target target; /* an instruction's, once it is located */
	bool located;
	synchrony_objects reads, writes; /* a function and those that it calls */
	bool escapes; /* a local's address is stored, passed, or one of several */
	bool called, taken; /* a function by its name, or its address is used */
};

struct synchrony_origins {
	LLVMModuleRef module;
	const LLVMValueRef *shared;
	unsigned n_shared;
	struct hash numbers; /* values to the numbers of their entries */
	VECTOR(struct entry) entries;
	LLVMTargetDataRef layout;
	struct synchrony_ranges *ranges; /* of ranged, NULL before they are asked */
	LLVMValueRef ranged;
	synchrony_objects memory; /* what other memory may hold */
	synchrony_objects global; /* and global memory */
	synchrony_objects taken_reads, taken_writes; /* by functions whose address is used */
	bool changed;
	VECTOR(unsigned char) places; /* of markers, by their numbers; 2: several */
};

/* ---- the table -------------------------------------------------------------- */

/* Of a value without an entry that of nobody. */
static const struct entry *find(const struct synchrony_origins *o, LLVMValueRef value)
{
	static const struct entry nobody;
	const void *number = hash_get(&o->numbers, value);
	return number ? &o->entries.at[hash_number_of(number)] : &nobody;
}

/* Valid until the next call. */
static struct entry *entry(struct synchrony_origins *o, LLVMValueRef value)
{
	const void *number = hash_get(&o->numbers, value);
	if (number)
		return &o->entries.at[hash_number_of(number)];
	if (!hash_put(&o->numbers, value, hash_number(o->entries.n)))
		must_fail();
	struct entry *e = vector_add(&o->entries);
	*e = (struct entry){0};
	return e;
}

static void add(struct synchrony_origins *o, synchrony_objects *set, synchrony_objects more)
{
	o->changed |= (more & ~*set) != 0;
	*set |= more;
}

static void add_points(struct synchrony_origins *o, LLVMValueRef value, synchrony_objects more)
{
	if (more)
		add(o, &entry(o, value)->points, more);
}

/* ---- values ----------------------------------------------------------------- */

static synchrony_objects object_of(const struct synchrony_origins *o, LLVMValueRef global)
{
	for (unsigned i = 0; i < o->n_shared; i++)
		if (o->shared[i] == global)
			return 1u << (i < LAST && !LLVMIsDeclaration(global) ? i : LAST);
	return 0;
}

static synchrony_objects of_constant(const struct synchrony_origins *o, LLVMValueRef value,
				     unsigned depth)
{
	if (LLVMIsAGlobalVariable(value))
		return object_of(o, value);
	if (depth > MAX_DEPTH || !LLVMIsAUser(value) || LLVMIsAGlobalValue(value))
		return 0;
	synchrony_objects all = 0;
	for (int i = 0, n = LLVMGetNumOperands(value); i < n; i++)
		all |= of_constant(o, LLVMGetOperand(value, (unsigned)i), depth + 1);
	return all;
}

static synchrony_objects of(const struct synchrony_origins *o, LLVMValueRef value)
{
	if (LLVMIsAInstruction(value) || LLVMIsAArgument(value))
		return find(o, value)->points;
	return LLVMIsConstant(value) ? of_constant(o, value, 0) : 0;
}

static void find_uses(struct synchrony_origins *o, LLVMValueRef function)
{
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == function)
			entry(o, function)->called = true;
		else
			entry(o, function)->taken = true;
	}
}

bool synchrony_origins_is_called(const struct synchrony_origins *o, LLVMValueRef function)
{
	const struct entry *e = find(o, function);
	return e->called || e->taken;
}

static LLVMValueRef parent(LLVMValueRef i)
{
	return LLVMGetBasicBlockParent(LLVMGetInstructionParent(i));
}

static struct synchrony_ranges *ranges_of(struct synchrony_origins *o, LLVMValueRef function)
{
	if (o->ranged != function) {
		synchrony_ranges_free(o->ranges);
		o->ranges = synchrony_ranges_new(function);
		o->ranged = function;
	}
	return o->ranges;
}

static struct target locate(struct synchrony_origins *o, LLVMValueRef pointer, unsigned depth);

/* gep's base, and where it leads from there. */
static struct target locate_part(struct synchrony_origins *o, LLVMValueRef gep, unsigned depth)
{
	struct target t = locate(o, LLVMGetOperand(gep, 0), depth + 1);
	int64_t least, most;
	if (!t.local)
		return t;
	bool known = synchrony_range_offset(ranges_of(o, parent(gep)), gep, &least, &most);
	if (!known || __builtin_add_overflow(t.least, least, &t.least) ||
	    __builtin_add_overflow(t.most, most, &t.most)) {
		t.least = INT64_MIN;
		t.most = INT64_MAX;
	}
	return t;
}

static struct target find_target(struct synchrony_origins *o, LLVMValueRef pointer, unsigned depth)
{
	struct target t = {.local = NULL};
	if (LLVMIsAAllocaInst(pointer)) {
		t.local = pointer;
	} else if (LLVMIsAGlobalVariable(pointer)) {
		t.is_global = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) != SHARED_SPACE;
	} else if (LLVMIsAArgument(pointer)) {
		t.is_global = !synchrony_origins_is_called(o, LLVMGetParamParent(pointer));
	} else if (LLVMIsAGetElementPtrInst(pointer)) {
		t = locate_part(o, pointer, depth);
	} else if (LLVMIsAConstantExpr(pointer) || LLVMIsAAddrSpaceCastInst(pointer) ||
		   LLVMIsABitCastInst(pointer) || LLVMIsAFreezeInst(pointer)) {
		t = locate(o, LLVMGetOperand(pointer, 0), depth + 1);
	} else if (LLVMIsALoadInst(pointer)) {
		/* What global memory holds points to global memory. */
		t.is_global = locate(o, LLVMGetOperand(pointer, 0), depth + 1).is_global;
	} else if (LLVMIsACallInst(pointer)) {
		t.is_global = LLVMGetNumArgOperands(pointer) == 0;
	}
	return t;
}

static struct target locate(struct synchrony_origins *o, LLVMValueRef pointer, unsigned depth)
{
	if (depth > MAX_DEPTH)
		return (struct target){.local = NULL};
	if (!LLVMIsAInstruction(pointer))
		return find_target(o, pointer, depth);
	if (!entry(o, pointer)->located) {
		struct target t = find_target(o, pointer, depth);
		struct entry *e = entry(o, pointer);
		e->target = t;
		e->located = true;
	}
	return entry(o, pointer)->target;
}

static bool may_hold_address(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type) >= 32;
	case LLVMPointerTypeKind:
	case LLVMStructTypeKind:
	case LLVMArrayTypeKind:
		return true;
	case LLVMVectorTypeKind:
		return may_hold_address(LLVMGetElementType(type));
	default:
		return false;
	}
}

/* In global memory what is narrower than a pointer is no address of shared memory. */
static bool is_number(struct synchrony_origins *o, LLVMTypeRef type, LLVMValueRef pointer)
{
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < 64 &&
	       locate(o, pointer, 0).is_global;
}

/* ---- memory ------------------------------------------------------------------- */

/* Sets of neighbouring words. */
struct span {
	synchrony_objects *words;
	size_t n;
	bool exact; /* the first is where the pointer leads */
};

static uint64_t size_of(const struct synchrony_origins *o, LLVMTypeRef type)
{
	return LLVMStoreSizeOfType(o->layout, type);
}

static struct entry *local(struct synchrony_origins *o, LLVMValueRef alloca)
{
	struct entry *e = entry(o, alloca);
	if (!e->words) {
		LLVMValueRef n = LLVMGetOperand(alloca, 0);
		uint64_t size = LLVMABISizeOfType(o->layout, LLVMGetAllocatedType(alloca));
		bool small = LLVMIsAConstantInt(n) && size <= MAX_LOCAL &&
			     LLVMConstIntGetZExtValue(n) <= MAX_LOCAL;
		size *= small ? LLVMConstIntGetZExtValue(n) : 0;
		e->n_words = size && size <= MAX_LOCAL ? (size_t)(size + WORD - 1) / WORD : 1;
		e->words = must(calloc(e->n_words, sizeof *e->words));
	}
	return e;
}

/* The words behind pointer that an access of size bytes may hit (0: not known how many); all
 * of a local where it cannot be right. */
static struct span span_of(struct synchrony_origins *o, LLVMValueRef pointer, uint64_t size)
{
	struct target t = locate(o, pointer, 0);
	int64_t last;
	if (t.is_global)
		return (struct span){.words = &o->global, .n = 1};
	if (!t.local || entry(o, t.local)->escapes)
		return (struct span){.words = &o->memory, .n = 1};
	struct entry *e = local(o, t.local);
	int64_t end = (int64_t)e->n_words * WORD;
	if (e->n_words == 1 || t.least < 0 || t.least >= end)
		return (struct span){.words = e->words, .n = e->n_words};
	if (!size || size > MAX_LOCAL || __builtin_add_overflow(t.most, (int64_t)size - 1, &last) ||
	    last >= end)
		last = end - 1;
	size_t first = (size_t)t.least / WORD;
	return (struct span){.words = e->words + first,
			     .n = (size_t)last / WORD - first + 1,
			     .exact = t.least == t.most && t.least % WORD == 0};
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

static void find_escapes(struct synchrony_origins *o, LLVMValueRef i)
{
	for (int k = 0, n = LLVMGetNumOperands(i); k < n; k++) {
		LLVMValueRef operand = LLVMGetOperand(i, (unsigned)k);
		if (!LLVMIsAInstruction(operand) ||
		    LLVMGetTypeKind(LLVMTypeOf(operand)) != LLVMPointerTypeKind)
			continue;
		LLVMValueRef local = locate(o, operand, 0).local;
		if (local && lets_escape(i, (unsigned)k))
			entry(o, local)->escapes = true;
	}
}

static void store(struct synchrony_origins *o, LLVMValueRef pointer, uint64_t size,
		  synchrony_objects what)
{
	if (!what)
		return;
	struct span to = span_of(o, pointer, size);
	for (size_t k = 0; k < to.n; k++)
		add(o, &to.words[k], what);
}

static synchrony_objects load(struct synchrony_origins *o, LLVMValueRef pointer, uint64_t size)
{
	struct span from = span_of(o, pointer, size);
	synchrony_objects all = 0;
	for (size_t k = 0; k < from.n; k++)
		all |= from.words[k];
	return all;
}

/* Passes argument k, which may point to `what`, to the functions that a call may mean. */
static void pass(struct synchrony_origins *o, LLVMValueRef function, unsigned k,
		 synchrony_objects what)
{
	if (function && k < LLVMCountParams(function))
		add_points(o, LLVMGetParam(function, k), what);
	if (function || !what)
		return;
	for (LLVMValueRef f = LLVMGetFirstFunction(o->module); f; f = LLVMGetNextFunction(f))
		if (find(o, f)->taken && !LLVMIsDeclaration(f) && k < LLVMCountParams(f))
			add_points(o, LLVMGetParam(f, k), what);
}

static void access(struct synchrony_origins *o, LLVMValueRef i, synchrony_objects reads,
		   synchrony_objects writes)
{
	struct entry *e = entry(o, parent(i));
	add(o, &e->reads, reads);
	add(o, &e->writes, writes);
	if (e->taken) {
		add(o, &o->taken_reads, e->reads);
		add(o, &o->taken_writes, e->writes);
	}
}

static void call(struct synchrony_origins *o, LLVMValueRef i)
{
	LLVMValueRef callee = LLVMGetCalledValue(i);
	LLVMValueRef function = LLVMIsAFunction(callee);
	synchrony_objects all = 0, reads, writes;
	for (unsigned k = 0, n = LLVMGetNumArgOperands(i); k < n; k++) {
		synchrony_objects argument = of(o, LLVMGetOperand(i, k));
		all |= argument;
		if (!LLVMIsAInlineAsm(callee))
			pass(o, function, k, argument);
	}
	synchrony_origins_called(o, i, &reads, &writes);
	access(o, i, reads, writes);
	if (function)
		all |= find(o, function)->points;
	if (may_hold_address(LLVMTypeOf(i)))
		add_points(o, i, all);
}

static void operands(struct synchrony_origins *o, LLVMValueRef i, unsigned from, unsigned n)
{
	synchrony_objects all = 0;
	for (unsigned k = from; k < n; k++)
		all |= of(o, LLVMGetOperand(i, k));
	add_points(o, i, all);
}

static void copy(struct synchrony_origins *o, LLVMValueRef i)
{
	LLVMValueRef to = LLVMGetOperand(i, 0), from = LLVMGetOperand(i, 1),
		     length = LLVMGetOperand(i, 2);
	bool reads = !LLVMIsAMemSetInst(i);
	access(o, i, reads ? synchrony_origins_of(o, from) : 0, synchrony_origins_of(o, to));
	uint64_t size = LLVMIsAConstantInt(length) ? LLVMConstIntGetZExtValue(length) : 0;
	if (!reads || (LLVMIsAConstantInt(length) && !size))
		return;
	struct span source = span_of(o, from, size), target = span_of(o, to, size);
	if (source.n == target.n && source.exact && target.exact)
		for (size_t k = 0; k < source.n; k++)
			add(o, &target.words[k], source.words[k]);
	else
		store(o, to, size, load(o, from, size));
}

static void exchange(struct synchrony_origins *o, LLVMValueRef i)
{
	LLVMValueRef pointer = LLVMGetOperand(i, 0),
		     value = LLVMGetOperand(i, LLVMIsAAtomicCmpXchgInst(i) ? 2 : 1);
	uint64_t size = size_of(o, LLVMTypeOf(value));
	add_points(o, i, load(o, pointer, size));
	store(o, pointer, size, of(o, value));
}

/* The one part of an aggregate that was put together before. */
static synchrony_objects extracted(const struct synchrony_origins *o, LLVMValueRef i)
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

static void step(struct synchrony_origins *o, LLVMValueRef i)
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
		access(o, i, synchrony_origins_of(o, LLVMGetOperand(i, 0)), 0);
		if (may_hold_address(LLVMTypeOf(i)) &&
		    !is_number(o, LLVMTypeOf(i), LLVMGetOperand(i, 0)))
			add_points(o, i, load(o, LLVMGetOperand(i, 0), size_of(o, LLVMTypeOf(i))));
		break;
	case LLVMStore:
		access(o, i, 0, synchrony_origins_of(o, LLVMGetOperand(i, 1)));
		if (!is_number(o, LLVMTypeOf(LLVMGetOperand(i, 0)), LLVMGetOperand(i, 1)))
			store(o, LLVMGetOperand(i, 1), size_of(o, LLVMTypeOf(LLVMGetOperand(i, 0))),
			      of(o, LLVMGetOperand(i, 0)));
		break;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		access(o, i, 0, synchrony_origins_of(o, LLVMGetOperand(i, 0)));
		exchange(o, i);
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
	case LLVMICmp:
	case LLVMFCmp:
	case LLVMBr:
	case LLVMSwitch:
	case LLVMAlloca:
		break;
	default:
		if (may_hold_address(LLVMTypeOf(i)))
			operands(o, i, 0, n);
	}
}

static void visit(struct synchrony_origins *o, LLVMModuleRef module,
		  void (*what)(struct synchrony_origins *o, LLVMValueRef i))
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i))
				what(o, i);
}

static void count_place(struct synchrony_origins *o, LLVMValueRef i)
{
	uint32_t number;
	if (!synchrony_read_marker(i, &number))
		return;
	number &= ~SYNCHRONY_JOIN;
	while (o->places.n <= number)
		*(unsigned char *)vector_add(&o->places) = 0;
	o->places.at[number] = o->places.at[number] ? 2 : 1;
}

bool synchrony_origins_is_shared(const struct synchrony_origins *o, uint32_t number)
{
	return number < o->places.n && o->places.at[number] > 1;
}

struct synchrony_origins *synchrony_origins_new(LLVMModuleRef module, const LLVMValueRef *shared,
						unsigned n_shared)
{
	struct synchrony_origins *o = must(calloc(1, sizeof *o));
	o->module = module;
	o->shared = shared;
	o->n_shared = n_shared;
	o->layout = LLVMGetModuleDataLayout(module);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		find_uses(o, f);
	visit(o, module, count_place);
	visit(o, module, find_escapes);
	synchrony_ranges_free(o->ranges);
	o->ranges = NULL;
	o->ranged = NULL;
	do {
		o->changed = false;
		visit(o, module, step);
	} while (o->changed);
	return o;
}

void synchrony_origins_called(const struct synchrony_origins *o, LLVMValueRef call,
			      synchrony_objects *reads, synchrony_objects *writes)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	LLVMValueRef function = LLVMIsAFunction(callee);
	bool is_asm = LLVMIsAInlineAsm(callee) != NULL;
	const struct entry *e = function ? find(o, function) : NULL;
	*reads = e ? e->reads : is_asm ? 0 : o->taken_reads;
	*writes = e ? e->writes : is_asm ? 0 : o->taken_writes;
}

void synchrony_origins_free(struct synchrony_origins *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->entries.n; i++)
		free(o->entries.at[i].words);
	vector_fini(&o->entries);
	vector_fini(&o->places);
	hash_fini(&o->numbers);
	free(o);
}

synchrony_objects synchrony_origins_of(const struct synchrony_origins *o, LLVMValueRef address)
{
	synchrony_objects all = of(o, address);
	bool is_shared = LLVMGetPointerAddressSpace(LLVMTypeOf(address)) == SHARED_SPACE;
	if (all || !is_shared || !o->n_shared)
		return all;
	/* Which of them nobody knows. */
	return ((synchrony_objects)1 << ORIGIN_VARIABLES) - 1;
}
