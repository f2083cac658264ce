/* SPDX-License-Identifier: Apache-2.0 */
/* memcheck.h - what memcheck's files share. Nobody else includes this.
 *
 * memcheck.c         what memory there is, and its table of callbacks
 * memcheck_access.c  an access of device code to what is not there for it
 * memcheck_call.c    frees, copies and sets
 * memcheck_fault.c   a fault that no access has explained
 * memcheck_finding.c the words of a finding */
#ifndef CUDASIM_CHECKERS_MEMCHECK_H
#define CUDASIM_CHECKERS_MEMCHECK_H

#include "finding.h"

/* ---- memcheck_finding.c ----------------------------------------------------- */

/* One more line of the finding's detail; what does not fit is left out. */
void memcheck_line(struct finding *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The line that says where address a lies as seen from [begin, begin + size) in bytes, which
 * is called `what`. */
void memcheck_place(struct finding *f, uint64_t a, uint64_t begin, uint64_t size, const char *what);
/* Report an error of that thread's; access: the one that it is about, or NULL. A title that
 * is empty becomes that of the access. */
enum cudasim_verdict memcheck_tell(struct finding *f, struct cudasim_thread *thread,
				   const struct cudasim_access *access);
/* The access that was told of last left a variable's bounds, and follows on this pthread. */
void memcheck_tell_bounds(const struct cudasim_access *access);
/* Whether this is the access that memcheck_tell_bounds() named. Forgets it. */
bool memcheck_told_by_bounds(const struct cudasim_access *access);
/* Whether a finding of that place was the last of its slot in the launch: the fault that
 * follows is not told twice. */
bool memcheck_is_told(uint64_t launch, const struct cudasim_site *site);

/* ---- callbacks, as observer.h has them --------------------------------------- */

enum cudasim_verdict memcheck_bounds(void *tool, struct cudasim_thread *thread,
				     const struct cudasim_bounds *bounds);
void memcheck_bad_free(void *tool, const struct cudasim_memory *memory);
void memcheck_copy(void *tool, const struct cudasim_copy *copy);
void memcheck_fault(void *tool, struct cudasim_launch *launch, struct cudasim_thread *thread,
		    const struct cudasim_fault *fault);

#endif
