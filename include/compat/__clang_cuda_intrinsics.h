/* SPDX-License-Identifier: Apache-2.0 */
/* __clang_cuda_intrinsics.h - clang 19's header of this name, without what is
 * wrong in it: __reduce_*_sync hand mask and value to the builtin in the wrong
 * order and lack the signed sum, and atomicAdd on float2 and float4 are asm
 * statements that the compiler may drop when the result is not used.
 * cudasim_warp.h and cudasim_atomics.h have them instead. clang 22 mends the
 * first of these, and has some of the loads and stores that cudasim_cache.h takes
 * from the toolkit. */
#pragma push_macro("atomicAdd")
#pragma push_macro("atomicAdd_block")
#pragma push_macro("atomicAdd_system")
#define atomicAdd __cudasim_ignored_atomicAdd
#define atomicAdd_block __cudasim_ignored_atomicAdd_block
#define atomicAdd_system __cudasim_ignored_atomicAdd_system
#define __ldcg __cudasim_ignored_ldcg
#define __ldcv __cudasim_ignored_ldcv
#define __ldcs __cudasim_ignored_ldcs
#define __stwt __cudasim_ignored_stwt
#define __reduce_add_sync __cudasim_ignored_reduce_add_sync
#define __reduce_min_sync __cudasim_ignored_reduce_min_sync
#define __reduce_max_sync __cudasim_ignored_reduce_max_sync
#define __reduce_and_sync __cudasim_ignored_reduce_and_sync
#define __reduce_or_sync __cudasim_ignored_reduce_or_sync
#define __reduce_xor_sync __cudasim_ignored_reduce_xor_sync

#include_next <__clang_cuda_intrinsics.h>

#undef __ldcg
#undef __ldcv
#undef __ldcs
#undef __stwt
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync
#pragma pop_macro("atomicAdd")
#pragma pop_macro("atomicAdd_block")
#pragma pop_macro("atomicAdd_system")
