/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - what stands between view and its expression. */
#ifndef CUDASIM_DEBUGGER_VIEW_OPTIONS_H
#define CUDASIM_DEBUGGER_VIEW_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cudasim/error.h"

enum view_way { VIEW_TABLE = 1, VIEW_HEAT = 2, VIEW_HISTOGRAM = 4 };
struct view_options {
	unsigned ways;      /* enum view_way, together */
	char *shape, *stride, *layout, *slice, *fragment, *png, *npy; /* owned; NULL: not given */
	bool transpose;
	uint32_t bins, level;
};
/* Takes each --option at the start of *text; "--" ends them. */
struct cudasim_error *view_options_parse(const char **text, struct view_options *ret);
void view_options_fini(struct view_options *options);

#endif
