/* SPDX-License-Identifier: Apache-2.0 */
/* complete.h - what could stand in the place of the word before the cursor. */
#ifndef CUDASIM_DEBUGGER_COMPLETE_H
#define CUDASIM_DEBUGGER_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

struct completions {
	char **words;  /* each once, whole */
	size_t n;
	size_t start;  /* where in the text the word begins that they replace */
	bool space;    /* a blank belongs behind a complete word */
};
/* text: the line up to the cursor. */
void complete_line(const char *text, struct completions *ret);
void completions_fini(struct completions *completions);

#endif
