/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_exchange.c - arrays in global memory in which the lanes of a warp exchange elements in step,
 * for warp_synchrony.c.
 *
 *	for (j = lane; j < n / 2; j += 32) {
 *		i = j + (j & -w);
 *		v = a[i], u = a[i + w];
 *		if (v > u)
 *			a[i] = u, a[i + w] = v;
 *	}
 *
 * Networks like this one sort by a warp in step, without a barrier, in global memory, too (CuPy's
 * partition). Most of what a warp does in global memory is no exchange, and pointers are many and
 * may be equal, so only arrays count in which two elements trade places: two stores in one block, each
 * of what was loaded where the other goes. Pointers that come from different parameters are taken for
 * pointers to different memory.
 *
 * Rejected: all of global memory, as for shared memory. Graph algorithms relax their nodes in place
 * and count on no order; they would take several times as long. */
#include "synchrony_analysis.h"

#include <stdlib.h>

#include "attributes.h"

enum { MAX_DEPTH = 32, MAX_USES = 4096 };

static LLVMAttributeIndex index_of(LLVMValueRef argument)
{
	LLVMValueRef function = LLVMGetParamParent(argument);
	unsigned k = 0;
	while (LLVMGetParam(function, k) != argument)
		k++;
	return k + 1;
}

static bool is_by_value(LLVMValueRef argument)
{
	return LLVMGetEnumAttributeAtIndex(LLVMGetParamParent(argument), index_of(argument),
					   attribute_kind("byval")) != NULL;
}

/* Is memory behind the pointer only loaded from? */
static bool is_read(LLVMValueRef pointer, unsigned depth, unsigned *uses)
{
	for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (depth > MAX_DEPTH || ++*uses > MAX_USES)
			return false;
		bool copied = LLVMIsAMemCpyInst(user) && LLVMGetOperand(user, 0) != pointer;
		bool walked = LLVMIsAGetElementPtrInst(user) && is_read(user, depth + 1, uses);
		if (!LLVMIsALoadInst(user) && !copied && !walked)
			return false;
	}
	return true;
}

/* Is the structure only loaded from? The function, one of a copy that only answers questions, keeps
 * the answer as an attribute: uses are many. */
static bool is_constant(LLVMValueRef argument)
{
	static const char name[] = "cudasim-constant", yes[] = "yes", no[] = "no";
	LLVMValueRef function = LLVMGetParamParent(argument);
	LLVMAttributeIndex index = index_of(argument);
	LLVMAttributeRef known = LLVMGetStringAttributeAtIndex(function, index, name,
							       sizeof name - 1);
	unsigned n = 0;
	if (known)
		return *LLVMGetStringAttributeValue(known, &n) == *yes;
	bool answer = is_read(argument, 0, &n);
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(argument));
	LLVMAddAttributeAtIndex(function, index,
				LLVMCreateStringAttribute(context, name, sizeof name - 1,
							  answer ? yes : no,
							  answer ? sizeof yes - 1 : sizeof no - 1));
	return answer;
}

bool synchrony_is_parameter(LLVMValueRef load, LLVMValueRef *argument, uint64_t *offset)
{
	if (!LLVMIsALoadInst(load) || LLVMGetVolatile(load))
		return false;
	LLVMValueRef from = synchrony_source_of(load, offset);
	if (!from)
		return false;
	*argument = from;
	return LLVMIsAArgument(from) && !LLVMGetFirstUse(LLVMGetParamParent(from)) &&
	       is_by_value(from) && is_constant(from);
}

static LLVMValueRef stripped(LLVMValueRef address)
{
	for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
		if (!LLVMIsAGetElementPtrInst(address) && !LLVMIsAAddrSpaceCastInst(address) &&
		    !LLVMIsABitCastInst(address) && !LLVMIsAFreezeInst(address))
			return address;
		address = LLVMGetOperand(address, 0);
	}
	return address;
}

/* The parameter that the address comes from. */
static struct exchange parameter_of(LLVMValueRef address)
{
	struct exchange e = {.argument = stripped(address)};
	LLVMValueRef pointer = e.argument;
	if (LLVMIsAArgument(pointer) && !is_by_value(pointer))
		return e;
	return synchrony_is_parameter(pointer, &e.argument, &e.offset)
		       ? e
		       : (struct exchange){.argument = NULL};
}

objects synchrony_exchange_of(const struct analysis *a, LLVMValueRef address)
{
	if (!a->n_exchanges)
		return 0;
	struct exchange e = parameter_of(address);
	for (unsigned i = 0; e.argument && i < a->n_exchanges; i++)
		if (a->exchanges[i].argument == e.argument && a->exchanges[i].offset == e.offset)
			return (objects)1
			       << (ORIGIN_VARIABLES + (i < MAX_EXCHANGES ? i : MAX_EXCHANGES - 1));
	return 0;
}

static void add(struct analysis *a, struct exchange e)
{
	for (unsigned i = 0; i < a->n_exchanges; i++)
		if (a->exchanges[i].argument == e.argument && a->exchanges[i].offset == e.offset)
			return;
	a->exchanges = must(realloc(a->exchanges, (a->n_exchanges + 1) * sizeof e));
	a->exchanges[a->n_exchanges++] = e;
}

/* What the store stores was loaded there; NULL: it was not loaded. */
static LLVMValueRef source_of(LLVMValueRef store)
{
	LLVMValueRef value = LLVMGetOperand(store, 0);
	return LLVMIsALoadInst(value) ? LLVMGetOperand(value, 0) : NULL;
}

static bool are_equal(struct analysis *a, LLVMValueRef one, LLVMValueRef other, LLVMValueRef at)
{
	return one == other || synchrony_is_one_address(synchrony_key(a, one, at, false),
							synchrony_key(a, other, at, false));
}

/* Do the two stores exchange two elements? */
static bool do_exchange(struct analysis *a, LLVMValueRef one, LLVMValueRef other)
{
	LLVMValueRef from = source_of(one), to = LLVMGetOperand(one, 1);
	return source_of(other) && are_equal(a, from, LLVMGetOperand(other, 1), other) &&
	       are_equal(a, to, source_of(other), other) && !are_equal(a, from, to, other);
}

/* The stores in a block of what was loaded from the array that they are to. */
static void find_in_block(struct analysis *a, LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
		if (!LLVMIsAStoreInst(i) || !source_of(i))
			continue;
		struct exchange e = parameter_of(LLVMGetOperand(i, 1)),
				from = parameter_of(source_of(i));
		if (!e.argument || from.argument != e.argument || from.offset != e.offset)
			continue;
		for (LLVMValueRef k = LLVMGetNextInstruction(i); k; k = LLVMGetNextInstruction(k))
			if (LLVMIsAStoreInst(k) && do_exchange(a, i, k))
				add(a, e);
	}
}

void synchrony_find_exchanges(struct analysis *a)
{
	if (synchrony_origins_is_called(a->origins, a->function) ||
	    !synchrony_is_of_warps(a->function))
		return;
	for (unsigned k = 0; k < a->n_blocks; k++)
		find_in_block(a, a->blocks[k].ref);
}
