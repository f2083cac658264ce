/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - the options of this session: what `cudasim debug` was given, or a session
 * that went on in another process hands over, in CUDASIM_DEBUG_OPTIONS. */
#ifndef CUDASIM_DEBUGGER_OPTIONS_H
#define CUDASIM_DEBUGGER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "cudasim/error.h"

struct option {
	bool is_file; /* -x: text is an absolute path; else -ex: a command */
	char *text;
};
struct options {
	bool quiet;               /* no greeting */
	bool batch;               /* end after the last one, ask nothing */
	bool return_child_result; /* end with the program's status */
	struct option *list;      /* -x and -ex, in order */
	size_t n;
};

/* From text: one option a line, "quiet", "batch", "return-child-result", "x PATH",
 * "ex COMMAND". NULL is empty. CUDASIM_E_FORMAT names a line that is none of these. */
struct cudasim_error *options_parse(const char *text, struct options *ret);
/* From the environment, where the variable is removed, so that programs started by this
 * one do not see it. */
struct cudasim_error *options_read(struct options *ret);
void options_fini(struct options *options);

#endif
