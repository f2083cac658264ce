/* SPDX-License-Identifier: Apache-2.0 */
/* skip.h - functions and files that step does not enter. */
#ifndef CUDASIM_DEBUGGER_SKIP_H
#define CUDASIM_DEBUGGER_SKIP_H

#include <regex.h>
#include <stdbool.h>

#include "cudasim/inspect.h"

/* Does step pass the function whose code holds pc? */
bool skip_at(uint64_t pc);
/* Is the thread in such a function, or in what such a one has called, by the frames that
 * are further in than the one with this frame pointer? */
bool skip_holds(struct cudasim_thread *thread, uint64_t frame);

struct skip {
	struct skip *next;
	int number;
	bool enabled;
	char *file, *function; /* NULL: any; not both */
	bool is_glob, is_regex;
	regex_t regex;
};

/* By ascending number. */
const struct skip *skips_first(void);
/* Takes s, enabled, with the next number where it has none above the last. */
void skip_append(struct skip *s);
void skip_free(struct skip *s);
/* Those whose numbers lie in first..last; how many there are. */
enum skip_change { SKIP_DELETE, SKIP_ENABLE, SKIP_DISABLE };
size_t skips_change(enum skip_change what, long first, long last);

#endif
