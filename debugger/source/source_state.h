/* SPDX-License-Identifier: Apache-2.0 */
/* source_state.h - what is kept of source files, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_SOURCE_STATE_H
#define CUDASIM_DEBUGGER_SOURCE_STATE_H

#include "source_list.h"

/* source.c */
struct source_texts {
	struct file_text *files;
	/* ':' between; "$cdir" and "$cwd" are always looked through. */
	char *directories;
	struct list_place place;
};

/* skip.c */
struct source_skips {
	struct skip *skips; /* by ascending number */
	int last_number;
};

struct source_state {
	uint32_t list_size; /* lines that `list` shows at once: set listsize */
	struct source_texts texts;
	struct source_skips skips;
};
#define SOURCE_STATE_INITIAL {.list_size = 10}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct source_state *source_state(void);

#endif
