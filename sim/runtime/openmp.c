/* SPDX-License-Identifier: Apache-2.0 */
/* openmp.c - clang 19 ends a loop of dynamic chunks by a call that LLVM's OpenMP library has only
 * since 19, where it frees what reused loops need. An older library, which needs no such end, gets
 * this one; a newer one comes before libcudasim in the order of the link, and has its own. */
__attribute__((visibility("default"))) void __kmpc_dispatch_deinit(void *location, int thread);
void __kmpc_dispatch_deinit(void *location, int thread)
{
	(void)location, (void)thread;
}
