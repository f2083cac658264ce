/* SPDX-License-Identifier: Apache-2.0 */
/* intrinsics.c - the intrinsics that become plain LLVM IR: atomics, fences,
 * cached loads, casts, asynchronous copies. Overloaded names carry their types
 * at the end (llvm.nvvm.atomic.load.inc.32.p0), so rows match by their start. */
#include "intrinsics.h"

#include <string.h>

#include <llvm-c/Target.h>

#include "llvm_functions.h"

struct row {
	const char *name; /* the intrinsic's, or its start where it ends in '.' */
	LLVMValueRef (*build)(struct device_module *, LLVMBuilderRef, LLVMValueRef call,
			      const struct row *);
	unsigned op;       /* LLVMAtomicRMWBinOp, bytes, ... */
	const char *scope; /* LLVM's name of an NVVM sync scope */
};

static LLVMValueRef arg(LLVMValueRef call, unsigned i)
{
	return LLVMGetOperand(call, i);
}

/* CUDA's atomics are relaxed; fences order them. */
static LLVMValueRef atomic(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef call,
			   const struct row *row)
{
	(void)dm;
	LLVMValueRef r = LLVMBuildAtomicRMW(b, (LLVMAtomicRMWBinOp)row->op, arg(call, 0),
					    arg(call, 1), LLVMAtomicOrderingMonotonic, 0);
	instruction_set_sync_scope(r, row->scope);
	return r;
}

static LLVMValueRef compare_exchange(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef call,
				     const struct row *row)
{
	(void)dm;
	LLVMValueRef r = LLVMBuildAtomicCmpXchg(b, arg(call, 0), arg(call, 1), arg(call, 2),
						LLVMAtomicOrderingMonotonic,
						LLVMAtomicOrderingMonotonic, 0);
	instruction_set_sync_scope(r, row->scope);
	return LLVMBuildExtractValue(b, r, 0, "");
}

static LLVMValueRef fence(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef call,
			  const struct row *row)
{
	(void)dm;
	(void)call;
	LLVMValueRef r = LLVMBuildFence(b, LLVMAtomicOrderingSequentiallyConsistent, 0, "");
	instruction_set_sync_scope(r, row->scope);
	return NULL;
}

/* ldg, ldu: the second operand is the alignment in bytes. */
static LLVMValueRef cached_load(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef call,
				const struct row *row)
{
	(void)dm;
	(void)row;
	LLVMValueRef r = LLVMBuildLoad2(b, LLVMTypeOf(call), arg(call, 0), "");
	LLVMSetAlignment(r, (unsigned)LLVMConstIntGetZExtValue(arg(call, 1)));
	return r;
}

/* Whether an address lies in one of the program's constant variables. */
static LLVMValueRef in_constants(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef call,
				 const struct row *row)
{
	enum { CONSTANT = 4 /* address space */ };
	(void)row;
	LLVMTypeRef word = LLVMInt64TypeInContext(dm->context);
	LLVMTypeRef generic = LLVMPointerTypeInContext(dm->context, 0);
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(dm->module);
	LLVMValueRef address = LLVMBuildPtrToInt(b, arg(call, 0), word, "");
	LLVMValueRef found = LLVMConstInt(LLVMTypeOf(call), 0, 0);
	for (LLVMValueRef g = LLVMGetFirstGlobal(dm->module); g; g = LLVMGetNextGlobal(g)) {
		if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != CONSTANT)
			continue;
		uint64_t size = LLVMABISizeOfType(layout, LLVMGlobalGetValueType(g));
		LLVMValueRef start = LLVMBuildAddrSpaceCast(b, g, generic, "");
		LLVMValueRef distance = LLVMBuildSub(b, address,
						     LLVMBuildPtrToInt(b, start, word, ""), "");
		found = LLVMBuildOr(
			b, found,
			LLVMBuildICmp(b, LLVMIntULT, distance, LLVMConstInt(word, size, 0), ""),
			"");
	}
	return found;
}

/* Outside all windows, which the builtin of that name looks at, and no constant. */
static LLVMValueRef in_global(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef call,
			      const struct row *row)
{
	LLVMValueRef builtin = LLVMGetNamedFunction(dm->module, "__cudasim_nvvm_isspacep_global");
	LLVMValueRef pointer = arg(call, 0);
	LLVMValueRef outside = LLVMBuildCall2(b, LLVMGlobalGetValueType(builtin), builtin, &pointer,
					      1, "");

	return LLVMBuildAnd(b, outside, LLVMBuildNot(b, in_constants(dm, b, call, row), ""), "");
}

static LLVMValueRef space_cast(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef call,
			       const struct row *row)
{
	(void)dm;
	(void)row;
	return LLVMBuildAddrSpaceCast(b, arg(call, 0), LLVMTypeOf(call), "");
}

static LLVMValueRef same(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef call,
			 const struct row *row)
{
	(void)dm;
	(void)b;
	(void)row;
	return arg(call, 0);
}

static LLVMValueRef nothing(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef call,
			    const struct row *row)
{
	(void)dm;
	(void)b;
	(void)call;
	(void)row;
	return NULL;
}

/* cp.async copies at once: a program may not look before it has waited. The
 * forms with a source size read that much and fill up with zeros. */
static LLVMValueRef async_copy(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef call,
			       const struct row *row)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(dm->context);
	LLVMValueRef to = arg(call, 0), from = arg(call, 1);
	LLVMValueRef size = LLVMConstInt(i64, row->op, 0);
	if (LLVMGetNumArgOperands(call) == 3) {
		LLVMValueRef n = LLVMBuildZExt(b, arg(call, 2), i64, "");
		LLVMValueRef less = LLVMBuildICmp(b, LLVMIntULT, n, size, "");
		LLVMValueRef zero = LLVMConstInt(LLVMInt8TypeInContext(dm->context), 0, 0);
		LLVMBuildMemSet(b, to, zero, size, row->op);
		size = LLVMBuildSelect(b, less, n, size, "");
		LLVMBuildMemCpy(b, to, 1, from, 1, size);
		return NULL;
	}
	LLVMBuildMemCpy(b, to, row->op, from, row->op, size);
	return NULL;
}

static LLVMValueRef trap(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef call,
			 const struct row *row)
{
	LLVMValueRef args[] = {LLVMConstInt(LLVMInt32TypeInContext(dm->context), row->op, 0)};
	device_call_runtime(dm, b, "__cudasim_trap", args, 1, call, CUDASIM_SITE_OTHER);
	return NULL;
}

static LLVMValueRef breakpoint(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef call,
			       const struct row *row)
{
	(void)row;
	device_call_runtime(dm, b, "__cudasim_brkpt", NULL, 0, call, CUDASIM_SITE_OTHER);
	return NULL;
}

#define ATOMIC(name, op)                                                                           \
	{"llvm.nvvm.atomic." name ".cta.", atomic, LLVMAtomicRMWBinOp##op, "block"},               \
		{"llvm.nvvm.atomic." name ".sys.", atomic, LLVMAtomicRMWBinOp##op, ""}

static const struct row rows[] = {
	ATOMIC("add.gen.i", Add),
	ATOMIC("add.gen.f", FAdd),
	ATOMIC("exch.gen.i", Xchg),
	ATOMIC("and.gen.i", And),
	ATOMIC("or.gen.i", Or),
	ATOMIC("xor.gen.i", Xor),
	ATOMIC("max.gen.i", Max),
	ATOMIC("min.gen.i", Min),
	ATOMIC("inc.gen.i", UIncWrap),
	ATOMIC("dec.gen.i", UDecWrap),
	{"llvm.nvvm.atomic.cas.gen.i.cta.", compare_exchange, 0, "block"},
	{"llvm.nvvm.atomic.cas.gen.i.sys.", compare_exchange, 0, ""},
	{"llvm.nvvm.atomic.load.inc.32.", atomic, LLVMAtomicRMWBinOpUIncWrap, "device"},
	{"llvm.nvvm.atomic.load.dec.32.", atomic, LLVMAtomicRMWBinOpUDecWrap, "device"},
	{"llvm.nvvm.membar.cta", fence, 0, "block"},
	{"llvm.nvvm.membar.gl", fence, 0, "device"},
	{"llvm.nvvm.membar.sys", fence, 0, ""},
	{"llvm.nvvm.fence.sc.cluster", fence, 0, "cluster"},
	{"llvm.nvvm.ldg.global.", cached_load, 0, NULL},
	{"llvm.nvvm.ldu.global.", cached_load, 0, NULL},
	{"llvm.nvvm.isspacep.const", in_constants, 0, NULL},
	{"llvm.nvvm.isspacep.global", in_global, 0, NULL},
	{"llvm.nvvm.ptr.", space_cast, 0, NULL},
	{"llvm.nvvm.move.", same, 0, NULL},
	{"llvm.nvvm.cp.async.ca.shared.global.4", async_copy, 4, NULL},
	{"llvm.nvvm.cp.async.ca.shared.global.8", async_copy, 8, NULL},
	{"llvm.nvvm.cp.async.ca.shared.global.16", async_copy, 16, NULL},
	{"llvm.nvvm.cp.async.cg.shared.global.16", async_copy, 16, NULL},
	{"llvm.nvvm.cp.async.ca.shared.global.4.s", async_copy, 4, NULL},
	{"llvm.nvvm.cp.async.ca.shared.global.8.s", async_copy, 8, NULL},
	{"llvm.nvvm.cp.async.ca.shared.global.16.s", async_copy, 16, NULL},
	{"llvm.nvvm.cp.async.cg.shared.global.16.s", async_copy, 16, NULL},
	{"llvm.nvvm.cp.async.commit.group", nothing, 0, NULL},
	{"llvm.nvvm.cp.async.wait.group", nothing, 0, NULL},
	{"llvm.nvvm.cp.async.wait.all", nothing, 0, NULL},
	{"llvm.nvvm.cp.async.bulk.commit.group", nothing, 0, NULL},
	{"llvm.nvvm.cp.async.bulk.wait.group", nothing, 0, NULL},
	{"llvm.nvvm.cp.async.bulk.wait.group.read", nothing, 0, NULL},
	{"llvm.nvvm.compiler.error.", nothing, 0, NULL},
	{"llvm.nvvm.compiler.warn.", nothing, 0, NULL},
	/* Register counts mean nothing here. */
	{"llvm.nvvm.setmaxnreg.inc.sync.aligned.u32", nothing, 0, NULL},
	{"llvm.nvvm.setmaxnreg.dec.sync.aligned.u32", nothing, 0, NULL},
	/* not of NVVM, but ends of a thread all the same */
	{"llvm.trap", trap, CUDASIM_TRAP_TRAP, NULL},
	{"llvm.ubsantrap", trap, CUDASIM_TRAP_UNREACHABLE, NULL},
	{"llvm.debugtrap", breakpoint, 0, NULL},
};

static bool matches(const char *row, const char *name)
{
	size_t n = strlen(row);
	return row[n - 1] == '.' ? !strncmp(row, name, n) : !strcmp(row, name);
}

LLVMValueRef intrinsic_build(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef call,
			     const char *name, bool *known)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (matches(rows[i].name, name)) {
			*known = true;
			return rows[i].build(dm, builder, call, &rows[i]);
		}
	}
	*known = false;
	return NULL;
}
