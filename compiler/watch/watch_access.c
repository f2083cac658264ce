/* SPDX-License-Identifier: Apache-2.0 */
/* watch_access.c - loads, stores, atomics, memcpy and fences as events.
 *
 * Scopes and orders: clang writes CUDA's atomicAdd() and its kin, which are
 * relaxed and of device scope, as seq_cst atomics without a scope; nothing in
 * CUDA C++ or PTX is a seq_cst read-modify-write of system scope, so that is
 * what those mean. Everything else says its scope and order itself. */
#include "watch_access.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <string.h>

#include "debug_metadata.h"
#include "llvm_functions.h"

enum { MAX_DEPTH = 32, SPACE_LOCAL = 5, UNKNOWN = 0xff };

/* The address space that an address certainly lies in, UNKNOWN where several
 * are possible. */
static uint32_t space_of(LLVMValueRef address, unsigned depth)
{
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(address));
	if (space)
		return space;
	if (depth > MAX_DEPTH)
		return UNKNOWN;
	if (LLVMIsAAllocaInst(address))
		return SPACE_LOCAL;
	if (LLVMIsAGetElementPtrInst(address) || LLVMIsAAddrSpaceCastInst(address) ||
	    LLVMIsABitCastInst(address))
		return space_of(LLVMGetOperand(address, 0), depth + 1);
	if (LLVMIsAConstantExpr(address) && LLVMGetNumOperands(address) > 0 &&
	    LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(address, 0))) == LLVMPointerTypeKind)
		return space_of(LLVMGetOperand(address, 0), depth + 1);
	return UNKNOWN;
}

/* Does the address lie in the thread's context or its block, which inlined
 * builtins read (threadIdx and its kin)? Those are registers to the program. */
static bool is_context(LLVMValueRef address, unsigned depth)
{
	if (depth > MAX_DEPTH)
		return false;
	if (LLVMIsAGetElementPtrInst(address) || LLVMIsALoadInst(address))
		return is_context(LLVMGetOperand(address, 0), depth + 1);
	if (!LLVMIsACallInst(address))
		return false;
	size_t n;
	LLVMValueRef callee = LLVMGetCalledValue(address);
	return LLVMIsAFunction(callee) &&
	       !strcmp(LLVMGetValueName2(callee, &n), "__cudasim_context");
}

static uint32_t scope_of(LLVMValueRef i)
{
	const char *name = instruction_sync_scope(i);
	if (!strcmp(name, "block") || !strcmp(name, "workgroup"))
		return CUDASIM_SCOPE_BLOCK;
	if (!strcmp(name, "cluster"))
		return CUDASIM_SCOPE_CLUSTER;
	if (!strcmp(name, "device") || !strcmp(name, "agent"))
		return CUDASIM_SCOPE_DEVICE;
	return !strcmp(name, "singlethread") ? CUDASIM_SCOPE_THREAD : CUDASIM_SCOPE_SYSTEM;
}

static uint32_t order_of(LLVMAtomicOrdering order)
{
	switch (order) {
	case LLVMAtomicOrderingUnordered:
	case LLVMAtomicOrderingMonotonic:
		return CUDASIM_ORDER_RELAXED;
	case LLVMAtomicOrderingAcquire:
		return CUDASIM_ORDER_ACQUIRE;
	case LLVMAtomicOrderingRelease:
		return CUDASIM_ORDER_RELEASE;
	case LLVMAtomicOrderingAcquireRelease:
		return CUDASIM_ORDER_ACQ_REL;
	case LLVMAtomicOrderingSequentiallyConsistent:
		return CUDASIM_ORDER_SEQ_CST;
	default:
		return CUDASIM_ORDER_WEAK;
	}
}

static uint32_t op_of(LLVMValueRef i)
{
	static const unsigned char wraps[] = {CUDASIM_ATOMIC_NONE, CUDASIM_ATOMIC_INC,
					      CUDASIM_ATOMIC_DEC};
	if (LLVMIsALoadInst(i))
		return CUDASIM_ATOMIC_LOAD;
	if (LLVMIsAStoreInst(i))
		return CUDASIM_ATOMIC_STORE;
	if (LLVMIsAAtomicCmpXchgInst(i))
		return CUDASIM_ATOMIC_CAS;
	if (atomicrmw_wrap_kind(i))
		return wraps[atomicrmw_wrap_kind(i)];
	switch (LLVMGetAtomicRMWBinOp(i)) {
	case LLVMAtomicRMWBinOpXchg:
		return CUDASIM_ATOMIC_XCHG;
	case LLVMAtomicRMWBinOpAdd:
	case LLVMAtomicRMWBinOpFAdd:
		return CUDASIM_ATOMIC_ADD;
	case LLVMAtomicRMWBinOpSub:
	case LLVMAtomicRMWBinOpFSub:
		return CUDASIM_ATOMIC_SUB;
	case LLVMAtomicRMWBinOpAnd:
		return CUDASIM_ATOMIC_AND;
	case LLVMAtomicRMWBinOpOr:
		return CUDASIM_ATOMIC_OR;
	case LLVMAtomicRMWBinOpXor:
		return CUDASIM_ATOMIC_XOR;
	case LLVMAtomicRMWBinOpMax:
	case LLVMAtomicRMWBinOpUMax:
	case LLVMAtomicRMWBinOpFMax:
		return CUDASIM_ATOMIC_MAX;
	case LLVMAtomicRMWBinOpMin:
	case LLVMAtomicRMWBinOpUMin:
	case LLVMAtomicRMWBinOpFMin:
		return CUDASIM_ATOMIC_MIN;
	default:
		return CUDASIM_ATOMIC_NONE;
	}
}

/* What the GPU needs: an instruction accesses 1, 2, 4, 8 or 16 bytes at a
 * multiple of that, and the compiler may take as many as it knows the address to
 * be a multiple of. Sizes that are no power of two go in pieces. */
static uint32_t alignment_of(uint64_t size, uint64_t known)
{
	uint64_t piece = size & -size;
	if (piece > known)
		piece = known;
	return piece > 16 ? 16 : piece ? (uint32_t)piece : 1;
}

/* What a memcpy or memset knows of its i-th address. */
static uint64_t known_alignment(LLVMValueRef call, unsigned i)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
	LLVMAttributeRef known = LLVMGetCallSiteEnumAttribute(call, i + 1, kind);
	return known ? LLVMGetEnumAttributeValue(known) : 1;
}

/* Flags for an atomic instruction, 0 for others. */
static uint32_t atomic_flags(LLVMValueRef i)
{
	LLVMAtomicOrdering ordering;
	if (!instruction_atomic_ordering(i, &ordering))
		return 0;
	bool rmw = LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
	uint32_t scope = scope_of(i), order = order_of(ordering);
	if (rmw && scope == CUDASIM_SCOPE_SYSTEM && order == CUDASIM_ORDER_SEQ_CST) {
		scope = CUDASIM_SCOPE_DEVICE;
		order = CUDASIM_ORDER_RELAXED;
	}
	return CUDASIM_ACCESS_ATOMIC | (rmw ? CUDASIM_ACCESS_LOAD | CUDASIM_ACCESS_STORE : 0) |
	       scope << CUDASIM_ACCESS_SCOPE_SHIFT | order << CUDASIM_ACCESS_ORDER_SHIFT |
	       op_of(i) << CUDASIM_ACCESS_OP_SHIFT;
}

static uint32_t log2_of(uint32_t power)
{
	return (uint32_t)__builtin_ctz(power);
}

static struct watch_access access_at(LLVMValueRef i, LLVMValueRef address, LLVMValueRef size,
				     uint64_t known, uint32_t flags)
{
	uint32_t space = space_of(address, 0);
	struct watch_access a = {.address = address, .size = size, .flags = flags};
	a.alignment = LLVMIsAConstantInt(size) ? alignment_of(LLVMConstIntGetZExtValue(size), known)
					       : 1;
	a.flags |= log2_of(a.alignment) << CUDASIM_ACCESS_ALIGN_SHIFT;
	bool is_volatile = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i) ||
					   LLVMIsAAtomicCmpXchgInst(i)
				   ? LLVMGetVolatile(i)
				   : LLVMIsAMemIntrinsic(i) &&
					     LLVMConstIntGetZExtValue(LLVMGetOperand(i, 3)) & 1;
	if (is_volatile)
		a.flags |= CUDASIM_ACCESS_VOLATILE;
	if (LLVMGetMetadata(i, LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(address)),
							"cudasim.spin", 12)))
		a.flags |= CUDASIM_ACCESS_SPIN;
	a.want = space == SPACE_LOCAL ? CUDASIM_WANT_LOCAL
		 : space == UNKNOWN   ? CUDASIM_WANT_ACCESS | CUDASIM_WANT_LOCAL
				      : CUDASIM_WANT_ACCESS;
	if (space != UNKNOWN)
		a.flags |= (space & 0xf) << CUDASIM_ACCESS_SPACE_SHIFT;
	return a;
}

static LLVMValueRef size_of(LLVMValueRef i, LLVMTargetDataRef layout, LLVMTypeRef type)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(i)));
	return LLVMConstInt(i64, LLVMStoreSizeOfType(layout, type), 0);
}

/* Of the compiler's own, for a loop that gives way (pass_yield.c). */
static bool is_repeated(LLVMValueRef load)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(load));
	return LLVMGetMetadata(load, LLVMGetMDKindIDInContext(context, "cudasim.again", 13));
}

unsigned watch_accesses(LLVMValueRef i, LLVMTargetDataRef layout, struct watch_access *ret)
{
	if (LLVMIsALoadInst(i)) {
		if (is_context(LLVMGetOperand(i, 0), 0) || is_repeated(i))
			return 0;
		ret[0] = access_at(i, LLVMGetOperand(i, 0), size_of(i, layout, LLVMTypeOf(i)),
				   LLVMGetAlignment(i), CUDASIM_ACCESS_LOAD | atomic_flags(i));
		return 1;
	}
	if (LLVMIsAStoreInst(i)) {
		ret[0] = access_at(i, LLVMGetOperand(i, 1),
				   size_of(i, layout, LLVMTypeOf(LLVMGetOperand(i, 0))),
				   LLVMGetAlignment(i), CUDASIM_ACCESS_STORE | atomic_flags(i));
		return 1;
	}
	if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)) {
		ret[0] = access_at(i, LLVMGetOperand(i, 0),
				   size_of(i, layout, LLVMTypeOf(LLVMGetOperand(i, 1))),
				   LLVMGetAlignment(i), atomic_flags(i));
		return 1;
	}
	if (!LLVMIsAMemIntrinsic(i))
		return 0;
	unsigned n = 0;
	LLVMValueRef size = LLVMGetOperand(i, 2);
	if (!LLVMIsAMemSetInst(i))
		ret[n++] = access_at(i, LLVMGetOperand(i, 1), size, known_alignment(i, 1),
				     CUDASIM_ACCESS_LOAD | CUDASIM_ACCESS_COPY);
	ret[n++] = access_at(i, LLVMGetOperand(i, 0), size, known_alignment(i, 0),
			     CUDASIM_ACCESS_STORE |
				     (LLVMIsAMemSetInst(i) ? 0 : CUDASIM_ACCESS_COPY));
	return n;
}

/* Values to follow, each once. */
struct handed {
	LLVMValueRef values[64];
	unsigned n;
};

static bool add_handed(struct handed *h, LLVMValueRef value)
{
	for (unsigned k = 0; k < h->n; k++)
		if (h->values[k] == value)
			return true;
	if (h->n == sizeof h->values / sizeof *h->values)
		return false;
	h->values[h->n++] = value;
	return true;
}

static bool user_hands_on(struct handed *h, LLVMValueRef user, LLVMValueRef value)
{
	if (LLVMIsAStoreInst(user))
		return LLVMGetOperand(user, 1) != value;
	if (LLVMIsAReturnInst(user))
		return true;
	if (LLVMIsASelectInst(user) && LLVMGetOperand(user, 0) == value)
		return false;
	return (LLVMIsASelectInst(user) || LLVMIsAPHINode(user) || LLVMIsAFreezeInst(user) ||
		LLVMIsAInsertValueInst(user) || LLVMIsAExtractValueInst(user)) &&
	       add_handed(h, user);
}

bool watch_hands_on(LLVMValueRef instruction)
{
	if (LLVMIsAMemCpyInst(instruction) || LLVMIsAMemMoveInst(instruction))
		return true;
	if (!LLVMIsALoadInst(instruction))
		return false;
	struct handed h = {.values = {instruction}, .n = 1};
	for (unsigned k = 0; k < h.n; k++)
		for (LLVMUseRef use = LLVMGetFirstUse(h.values[k]); use; use = LLVMGetNextUse(use))
			if (!user_hands_on(&h, LLVMGetUser(use), h.values[k]))
				return false;
	return true;
}

static bool has_constant_indices(LLVMValueRef gep)
{
	for (int i = 1; i < LLVMGetNumOperands(gep); i++)
		if (!LLVMIsAConstantInt(LLVMGetOperand(gep, (unsigned)i)))
			return false;
	return true;
}

LLVMValueRef watch_variable(LLVMValueRef address, LLVMTargetDataRef layout, uint64_t *bytes)
{
	bool moves = false;
	LLVMTypeRef type = NULL;
	for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
		bool gep = LLVMIsAGetElementPtrInst(address) ||
			   (LLVMIsAConstantExpr(address) &&
			    LLVMGetConstOpcode(address) == LLVMGetElementPtr);
		bool cast = LLVMIsAAddrSpaceCastInst(address) || LLVMIsABitCastInst(address) ||
			    (LLVMIsAConstantExpr(address) &&
			     LLVMGetConstOpcode(address) == LLVMAddrSpaceCast);
		if (!gep && !cast)
			break;
		moves = moves || (gep && !has_constant_indices(address));
		address = LLVMGetOperand(address, 0);
	}
	if (LLVMIsAAllocaInst(address) && LLVMIsAConstantInt(LLVMGetOperand(address, 0)) &&
	    LLVMConstIntGetZExtValue(LLVMGetOperand(address, 0)) == 1)
		type = LLVMGetAllocatedType(address);
	else if (LLVMIsAGlobalVariable(address))
		type = LLVMGlobalGetValueType(address);
	if (!moves || !type || !LLVMTypeIsSized(type))
		return NULL;
	*bytes = LLVMABISizeOfType(layout, type);
	return *bytes ? address : NULL;
}

bool watch_fence(LLVMValueRef i, uint32_t *scope, uint32_t *order)
{
	LLVMAtomicOrdering ordering;
	if (LLVMIsAFenceInst(i)) {
		instruction_atomic_ordering(i, &ordering);
		*scope = scope_of(i);
		*order = order_of(ordering);
		/* Those of one thread only bind the compiler ("memory" of an asm). */
		return *scope != CUDASIM_SCOPE_THREAD;
	}
	if (!LLVMIsACallInst(i) || !LLVMIsAFunction(LLVMGetCalledValue(i)))
		return false;
	static const struct {
		const char *name;
		uint32_t scope;
	} membars[] = {
		{"__cudasim_nvvm_membar_cta", CUDASIM_SCOPE_BLOCK},
		{"__cudasim_nvvm_membar_gl", CUDASIM_SCOPE_DEVICE},
		{"__cudasim_nvvm_membar_sys", CUDASIM_SCOPE_SYSTEM},
		{"__cudasim_nvvm_fence_sc_cluster", CUDASIM_SCOPE_CLUSTER},
	};
	size_t n;
	const char *name = LLVMGetValueName2(LLVMGetCalledValue(i), &n);
	for (size_t k = 0; k < sizeof membars / sizeof *membars; k++)
		if (!strcmp(name, membars[k].name)) {
			/* PTX ISA: membar is fence.sc of the same scope. */
			*scope = membars[k].scope;
			*order = CUDASIM_ORDER_SEQ_CST;
			return true;
		}
	return false;
}
