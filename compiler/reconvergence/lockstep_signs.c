/* SPDX-License-Identifier: Apache-2.0 */
/* lockstep_signs.c - see lockstep_signs.h. The module is looked at before anything is inlined. */
#include "lockstep_signs.h"

#include "warp_synchrony.h"

/* What a release (synchrony_release.c) is made of. */
struct parts {
	bool fence, atomic, warp;
};

static void find_part(struct device_module *dm, LLVMValueRef i, void *arg)
{
	struct parts *parts = arg;
	(void)dm;
	parts->fence |= LLVMIsAFenceInst(i) != NULL;
	parts->atomic |= LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
	parts->warp |= synchrony_is_meeting(i) && !synchrony_is_barrier(i);
}

static bool may_release(struct device_module *dm)
{
	struct parts parts = {.fence = false};
	device_visit(dm, find_part, &parts);
	return parts.fence && parts.atomic && parts.warp;
}

/* Code in which a warp exchanges elements (synchrony_exchange.c) has such. */
static void find_warp(struct device_module *dm, LLVMValueRef i, void *arg)
{
	bool *found = arg;
	(void)dm;
	*found |= synchrony_may_be_of_warps(i);
}

static bool may_exchange(struct device_module *dm)
{
	bool found = false;
	device_visit(dm, find_warp, &found);
	return found;
}

bool lockstep_may_matter(struct device_module *dm)
{
	return may_release(dm) || may_exchange(dm);
}
