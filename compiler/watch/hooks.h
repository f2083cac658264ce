/* SPDX-License-Identifier: Apache-2.0 */
/* hooks.h - the small functions that passes call to announce events.
 *
 * Each is made in the module when it is first asked for, internal and always
 * inlined, so that a pass adds one call and needs not cut blocks: what is left
 * in the code is a load, a test and a branch to a cold call. */
#ifndef CUDASIM_COMPILER_HOOKS_H
#define CUDASIM_COMPILER_HOOKS_H

#include "device.h"

enum hook {
	HOOK_YIELD,  /* (address, bytes, site): count fuel down, yield when it is used up */
	HOOK_ACCESS, /* (context, wanted bits, address, size, flags, site) */
	HOOK_ALIGNED, /* (context, wanted bits, i64 mask, address, size, flags, site):
	               * also where address has bits of the mask */
	HOOK_BOUNDS, /* (context, i64 offset, i64 room, address, size, flags, variable, i64 its
	              * bytes, site): where ACCESS is wanted and offset is above room */
	HOOK_UNWRITTEN, /* (i32 state, address, size, name, site): where state is 0 */
	/* In watched loops, of the thread i32 linear; always wanted: */
	HOOK_LOOP_BOUNDS, /* (i64 offset, i64 room, linear, address, size, flags, variable, i64 its
	                   * bytes, site): where offset is above room */
	HOOK_LOOP_UNWRITTEN, /* (i32 state, linear, address, size, name, site): where state is 0 */
	HOOK_LINE, /* (context, address of armed[site], site) */
	HOOK_CALL, /* (context, entry site, frame) */
	HOOK_RETURN, /* (context, entry site, frame) */
	HOOK_FENCE, /* (context, scope, order, site) */
	N_HOOKS,
};

/* Build a call of the hook at the builder's place; args as listed above. */
void hook_call(struct device_module *dm, LLVMBuilderRef builder, enum hook hook, LLVMValueRef *args,
	       unsigned n_args);

/* True for the hooks themselves, which no pass should look into. */
bool hook_is(LLVMValueRef function);

/* True for a call of a hook. */
bool hook_at(LLVMValueRef instruction);

#endif
