/* SPDX-License-Identifier: Apache-2.0 */
/* Functions as pass_reconverge shows them to the analysis of lockstep: each access behind a marker
 * with its number. The answers follow from what lanes in lockstep would have seen.
 *
 * Bodies have %t, the thread, the addresses %own of its element of @s, %other and %nearer of those d
 * and d - 1 further on, %elsewhere in @r, %global, and the condition %c. */
#ifndef TESTS_LOCKSTEP_CHECK_H
#define TESTS_LOCKSTEP_CHECK_H

#include "warp_synchrony.h"

#define MARK(n) "  call void @__cudasim_synchrony_mark(i32 " #n ")\n"
#define BARRIER "  call void @__cudasim_barrier(i32 0, i32 0, ptr null)\n"
#define SYNCWARP "  call void @__cudasim_syncwarp(i32 -1, ptr null)\n"
#define STORE(n, to) MARK(n) "  store i32 1, ptr addrspace(3) " to "\n"
#define LOAD(n, from) MARK(n) "  %v" #n " = load i32, ptr addrspace(3) " from "\n"
#define ATOMIC(n, to) MARK(n) \
	"  %v" #n " = atomicrmw add ptr addrspace(3) " to ", i32 1 seq_cst\n"

/* Analyses the function with this body; wanted[i] is '1' where access i has to
 * be preceded by a meeting, '2' where it has to be parted by one, '4' where the block has to
 * linger behind it. */
void check(const char *body, const char *wanted);

/* The same in such blocks. */
void check_in_block(struct synchrony_block block, const char *body, const char *wanted);

#endif
