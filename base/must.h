/* SPDX-License-Identifier: Apache-2.0 */
/* must.h - what happens where there is no memory.
 *
 * A call that the program has made (of CUDA, of an observer's functions) returns an error: NULL
 * or false goes up to it, as &cudasim_error_nomem where errors are objects. Processes of our own,
 * and tools in the program's process whose tables would be wrong from then on, end by must(). */
#ifndef CUDASIM_BASE_MUST_H
#define CUDASIM_BASE_MUST_H

#ifdef __cplusplus
extern "C" {
#endif

/* Returns memory, which malloc() or one of its kin has answered. NULL: prints "WHO: out of
 * memory" on stderr and ends the process. From any pthread. */
void *must(void *memory);

/* The end itself, where it is not a pointer that is NULL. */
__attribute__((noreturn, cold)) void must_fail(void);

/* Once, before other pthreads are there. who lives as long as the process. status: of exit(), or
 * MUST_ABORT for abort(). Without a call: "cudasim", MUST_ABORT. */
enum { MUST_ABORT = -1 };
void must_policy(const char *who, int status);

#ifdef __cplusplus
}
#endif

#endif
