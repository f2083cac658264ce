/* SPDX-License-Identifier: Apache-2.0 */
/* access.h - the way of an access to the checkers.
 *
 * One callback for all: what they need to know of the address is found once (shadow.h), and
 * what is right is seen here, in a few comparisons. The functions of the checkers that are
 * declared here get the rest. */
#ifndef CUDASIM_CHECKERS_ACCESS_H
#define CUDASIM_CHECKERS_ACCESS_H

#include "checker.h"
#include "shadow.h"

/* For the table of check.c's observer, which stands behind the checkers'. */
extern const struct cudasim_observer check_observer;
uint32_t access_want(const struct cudasim_launch *launch);
void access_block_begin(void *tool, struct cudasim_block *block);
void access_block_end(void *tool, struct cudasim_block *block);
enum cudasim_verdict access_check(void *tool, struct cudasim_thread *thread,
				  const struct cudasim_access *access);

/* ---- memcheck_access.c ---------------------------------------------------- */

enum cudasim_verdict memcheck_misaligned(struct cudasim_thread *thread,
					 const struct cudasim_access *access);
/* page: remembers the range that the access is in; may be NULL. */
enum cudasim_verdict memcheck_global(struct cudasim_thread *thread,
				     const struct cudasim_access *access, struct shadow_page *page);
enum cudasim_verdict memcheck_shared(struct cudasim_thread *thread,
				     const struct cudasim_access *access);
enum cudasim_verdict memcheck_local(struct cudasim_thread *thread,
				    const struct cudasim_access *access);

/* ---- initcheck.c ---------------------------------------------------------- */

/* A byte for each of the block's shared window, 0 where nobody wrote; freed by free(). */
uint8_t *initcheck_block(const struct cudasim_block *block);
enum cudasim_verdict initcheck_shared(struct cudasim_thread *thread,
				      const struct cudasim_access *access, uint8_t *shadow);
enum cudasim_verdict initcheck_global(struct cudasim_thread *thread,
				      const struct cudasim_access *access,
				      struct shadow_page *page);
enum cudasim_verdict initcheck_local(struct cudasim_thread *thread,
				     const struct cudasim_unwritten *read);
/* Whether one more report from this place of this launch is worth it: the first ones, and
 * those of lower blocks and threads, one of which is the example that is printed. */
bool initcheck_again(const struct cudasim_thread *thread, const struct cudasim_site *site);

/* ---- init_constant.c ------------------------------------------------------ */

/* A launch begins on its device; a copy or set is about to be made. */
void init_constant_launch(const struct cudasim_launch *launch);
void init_constant_copied(const struct cudasim_copy *copy);
enum cudasim_verdict init_constant_read(struct cudasim_thread *thread,
					const struct cudasim_access *access);

#endif
