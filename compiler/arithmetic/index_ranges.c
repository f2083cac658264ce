/* SPDX-License-Identifier: Apache-2.0 */
/* index_ranges.c - what a thread reads of its place in the grid has the range that a GPU's limits
 * give it.
 *
 * libNVVM and ptxas know these, too. Numba's arrays may be indexed from their end, so each index is
 * compared with 0 there: (i < 0 ? i + n : i). With ranges LLVM sees that i = threadIdx.x + c is no
 * such index, and the analyses that follow see one sum. */
#include <stddef.h>
#include <string.h>

#include "arithmetic.h"
#include "cudasim/abi.h"
#include "grid_limits.h"

struct word {
	size_t offset;
	uint32_t least, most;
};

#define THREAD(field, i) (offsetof(struct cudasim_thread, field) + (i) * sizeof(uint32_t))
#define BLOCK(field, i) (offsetof(struct cudasim_block, field) + (i) * sizeof(uint32_t))

static const struct word of_thread[] = {
	{THREAD(tid, 0), 0, MOST_THREADS - 1},
	{THREAD(tid, 1), 0, MOST_THREADS - 1},
	{THREAD(tid, 2), 0, MOST_Z - 1},
	{THREAD(lane, 0), 0, CUDASIM_WARP_SIZE - 1},
	{THREAD(warp, 0), 0, MOST_THREADS / CUDASIM_WARP_SIZE - 1},
	{THREAD(linear, 0), 0, MOST_THREADS - 1},
};

static const struct word of_block[] = {
	{BLOCK(ctaid, 0), 0, MOST_BLOCKS_X - 1}, {BLOCK(ctaid, 1), 0, MOST_BLOCKS_Y - 1},
	{BLOCK(ctaid, 2), 0, MOST_BLOCKS_Y - 1}, {BLOCK(ntid, 0), 1, MOST_THREADS},
	{BLOCK(ntid, 1), 1, MOST_THREADS},       {BLOCK(ntid, 2), 1, MOST_Z},
	{BLOCK(nctaid, 0), 1, MOST_BLOCKS_X},    {BLOCK(nctaid, 1), 1, MOST_BLOCKS_Y},
	{BLOCK(nctaid, 2), 1, MOST_BLOCKS_Y},
};

static bool is_context(LLVMValueRef value)
{
	size_t n;
	return LLVMIsACallInst(value) &&
	       !strcmp(LLVMGetValueName2(LLVMGetCalledValue(value), &n), "__cudasim_context");
}

/* What address points to and how many bytes before it; NULL: not known. */
static LLVMValueRef base_of(LLVMTargetDataRef layout, LLVMValueRef address, uint64_t *offset)
{
	*offset = 0;
	for (; LLVMIsAGetElementPtrInst(address); address = LLVMGetOperand(address, 0)) {
		LLVMValueRef index = LLVMGetOperand(address, 1);
		if (LLVMGetNumOperands(address) != 2 || !LLVMIsAConstantInt(index))
			return NULL;
		*offset += LLVMConstIntGetZExtValue(index) *
			   LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(address));
	}
	return address;
}

/* Is it the pointer to the thread's block? */
static bool is_block(LLVMTargetDataRef layout, LLVMValueRef value)
{
	uint64_t offset;
	if (!LLVMIsALoadInst(value))
		return false;
	LLVMValueRef base = base_of(layout, LLVMGetOperand(value, 0), &offset);
	return base && is_context(base) && offset == offsetof(struct cudasim_thread, block);
}

static void set_range(struct device_module *dm, LLVMValueRef load, const struct word *word)
{
	LLVMTypeRef i32 = LLVMTypeOf(load);
	LLVMMetadataRef bounds[] = {
		LLVMValueAsMetadata(LLVMConstInt(i32, word->least, 0)),
		LLVMValueAsMetadata(LLVMConstInt(i32, (uint64_t)word->most + 1, 0)),
	};
	LLVMSetMetadata(
		load, LLVMGetMDKindIDInContext(dm->context, "range", 5),
		LLVMMetadataAsValue(dm->context, LLVMMDNodeInContext2(dm->context, bounds, 2)));
}

static void visit(struct device_module *dm, LLVMValueRef i, void *arg)
{
	LLVMTargetDataRef layout = arg;
	uint64_t offset;
	if (!LLVMIsALoadInst(i) || LLVMTypeOf(i) != LLVMInt32TypeInContext(dm->context))
		return;
	LLVMValueRef base = base_of(layout, LLVMGetOperand(i, 0), &offset);
	bool thread = base && is_context(base), block = base && is_block(layout, base);
	const struct word *words = thread ? of_thread : of_block;
	size_t n = thread  ? sizeof of_thread / sizeof *of_thread
		   : block ? sizeof of_block / sizeof *of_block
			   : 0;
	for (size_t k = 0; k < n; k++)
		if (words[k].offset == offset)
			set_range(dm, i, &words[k]);
}

struct cudasim_error *pass_index_ranges(struct device_module *dm)
{
	device_visit(dm, visit, LLVMGetModuleDataLayout(dm->module));
	return NULL;
}
