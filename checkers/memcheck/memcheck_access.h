/* SPDX-License-Identifier: Apache-2.0 */
/* memcheck_access.h - accesses that access.c could not see to be right; what each answers is the
 * callback's verdict. */
#ifndef CUDASIM_CHECKERS_MEMCHECK_ACCESS_H
#define CUDASIM_CHECKERS_MEMCHECK_ACCESS_H

#include "checker.h"
#include "shadow.h"

enum cudasim_verdict memcheck_misaligned(struct cudasim_thread *thread,
					 const struct cudasim_access *access);
/* page: remembers the range that the access is in; may be NULL. */
enum cudasim_verdict memcheck_global(struct cudasim_thread *thread,
				     const struct cudasim_access *access, struct shadow_page *page);
/* Whether nobody writes to the bytes and all may read them, whatever the program has allocated: they are
 * of the launch's parameters, or constants beside the code. */
bool memcheck_is_constant(const struct cudasim_launch *launch, uint64_t low, uint64_t end);
/* Whether the bytes at the offset in the shared window are of one variable of the kernel's, or of
 * the dynamic part. */
bool memcheck_fits_shared(const struct cudasim_block *block, uint64_t offset, uint64_t size);
enum cudasim_verdict memcheck_shared(struct cudasim_thread *thread,
				     const struct cudasim_access *access);
enum cudasim_verdict memcheck_local(struct cudasim_thread *thread,
				    const struct cudasim_access *access);

#endif
