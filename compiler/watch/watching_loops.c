/* SPDX-License-Identifier: Apache-2.0 */
/* watching_loops.c - the clone of the watched loops: calls that name the thread by its number, and what
 * keeps a kernel from having such a loop. */
#include "watching.h"

#include <stddef.h>
#include <string.h>

#include "attributes.h"
#include "layout.h"
#include "llvm_functions.h"
#include "names.h"
#include "sites.h"
#include "watch.h"

LLVMValueRef watching_number(const struct watching *w, uint64_t value)
{
	return LLVMConstInt(LLVMInt32TypeInContext(w->dm->context), value, 0);
}

LLVMValueRef watching_linear(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef context)
{
	LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(dm->context),
					   offsetof(struct cudasim_thread, linear), 0);
	LLVMValueRef at = LLVMBuildInBoundsGEP2(builder, LLVMInt8TypeInContext(dm->context),
						context, &offset, 1, "");
	return LLVMBuildLoad2(builder, LLVMInt32TypeInContext(dm->context), at, "linear");
}

LLVMValueRef watching_generic(struct watching *w, LLVMValueRef address)
{
	LLVMTypeRef pointer = LLVMPointerTypeInContext(w->dm->context, 0);
	if (LLVMTypeOf(address) == pointer)
		return address;
	if (LLVMIsConstant(address))
		return LLVMConstAddrSpaceCast(address, pointer);
	return LLVMBuildAddrSpaceCast(w->builder, address, pointer, "");
}

/* Is it an access that tools need told thread by thread, since what it finds orders others? */
static bool orders(const struct watch_access *access)
{
	uint32_t order = access->flags >> CUDASIM_ACCESS_ORDER_SHIFT & 0xf;
	switch (access->flags >> CUDASIM_ACCESS_OP_SHIFT) {
	case CUDASIM_ATOMIC_NONE:
		return access->flags & CUDASIM_ACCESS_VOLATILE;
	case CUDASIM_ATOMIC_LOAD:
	case CUDASIM_ATOMIC_STORE:
	case CUDASIM_ATOMIC_XCHG:
	case CUDASIM_ATOMIC_CAS:
		return true;
	default:
		return access->flags & CUDASIM_ACCESS_VOLATILE || order != CUDASIM_ORDER_RELAXED;
	}
}

void watching_forbid_loops(struct watching *w, const char *why)
{
	LLVMAddAttributeAtIndex(w->function, WHOLE_FUNCTION,
				LLVMCreateStringAttribute(w->dm->context, WATCH_NO_LOOPS,
							  sizeof WATCH_NO_LOOPS - 1, why,
							  (unsigned)strlen(why)));
}

/* Where a function leaves the addresses of its own variables. */
struct own_addresses {
	bool kept; /* in other variables of its own */
	bool given; /* in its result, or in memory */
	bool passes; /* it gives others that may be such */
};

static void follow_own_address(LLVMValueRef i, struct own_addresses *ret)
{
	int64_t offset;
	bool stores = LLVMIsAStoreInst(i);
	LLVMValueRef value = LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : NULL;
	if (!value || (!stores && !LLVMIsAReturnInst(i)))
		return;
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
	if (kind != LLVMPointerTypeKind) {
		ret->passes |= !stores && (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind);
		return;
	}
	bool own = LLVMIsAAllocaInst(address_base(i, value, &offset));
	bool local = stores && LLVMIsAAllocaInst(address_base(i, LLVMGetOperand(i, 1), &offset));
	ret->kept |= own && local;
	ret->given |= own && !local;
	ret->passes |= !own && !local;
}

bool watching_hands_out_own(const struct watching *w, LLVMValueRef *all, unsigned n)
{
	struct own_addresses own = {0};
	for (unsigned k = 0; k < n; k++)
		follow_own_address(all[k], &own);
	return !layout_find_kernel(w->dm->program->layout, name_of(w->function)) &&
	       (own.given || (own.kept && own.passes));
}

/* What a store stores, as an i64; 0 for others; NULL where it has another form. */
static LLVMValueRef stored_bits(struct watching *w, LLVMValueRef i, LLVMValueRef size)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(w->dm->context);
	if (!LLVMIsAStoreInst(i))
		return LLVMConstInt(i64, 0, 0);
	LLVMValueRef value = LLVMGetOperand(i, 0);
	LLVMTypeRef type = LLVMTypeOf(value);
	uint64_t bytes = LLVMConstIntGetZExtValue(size);
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (bytes > sizeof(uint64_t)) /* such are told thread by thread (divergence.cpp) */
		return LLVMConstInt(i64, 0, 0);
	if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind)
		return NULL;
	if (kind == LLVMPointerTypeKind)
		return LLVMBuildPtrToInt(w->builder, value, i64, "");
	unsigned bits = (unsigned)LLVMSizeOfTypeInBits(w->layout, type);
	LLVMTypeRef number = LLVMIntTypeInContext(w->dm->context, bits);
	if (kind != LLVMIntegerTypeKind)
		value = LLVMBuildBitCast(w->builder, value, number, "");
	return bits == 64 ? value : LLVMBuildZExt(w->builder, value, i64, "");
}

void watching_tell_in_loop(struct watching *w, LLVMValueRef i, const struct watch_access *access,
			   LLVMValueRef size, bool placed)
{
	if (access->want == CUDASIM_WANT_LOCAL && (placed || access->alignment == 1))
		return;
	LLVMValueRef bits = stored_bits(w, i, size);
	if (access->want == CUDASIM_WANT_LOCAL)
		watching_forbid_loops(w, "may access its own variables at wrong addresses");
	if (!bits)
		watching_forbid_loops(w, "stores values of several members");
	if (orders(access))
		watching_forbid_loops(w, "makes volatile or ordering accesses");
	LLVMValueRef args[] = {
		watching_linear(w->dm, w->builder, w->context),
		watching_generic(w, access->address),
		size,
		watching_number(w, access->flags),
		bits ? bits : LLVMConstInt(LLVMInt64TypeInContext(w->dm->context), 0, 0),
		site_for(w->dm, i, CUDASIM_SITE_ACCESS),
	};
	LLVMValueRef f = device_runtime(w->dm, "__cudasim_loop_access");
	LLVMBuildCall2(w->builder, LLVMGlobalGetValueType(f), f, args, 6, "");
}
