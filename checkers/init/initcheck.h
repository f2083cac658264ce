/* SPDX-License-Identifier: Apache-2.0 */
/* initcheck.h - reads of memory that nobody wrote, as far as access.c does not answer them. */
#ifndef CUDASIM_CHECKERS_INITCHECK_H
#define CUDASIM_CHECKERS_INITCHECK_H

#include "checker.h"
#include "shadow.h"

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
