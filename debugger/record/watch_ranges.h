/* SPDX-License-Identifier: Apache-2.0 */
/* watch_ranges.h - what is watched, as lines of a session's text: by launch, block and thread
 * instead of addresses of the simulator's own, so that it means the same in every copy. */
#ifndef CUDASIM_DEBUGGER_WATCH_RANGES_H
#define CUDASIM_DEBUGGER_WATCH_RANGES_H

#include "record_state.h"

/* Of the watchpoints of this process that are armed. */
void watch_ranges_write(FILE *out);
/* Those that the text has; *ret is malloc'ed, NULL where there are none. */
uint32_t watch_ranges_read(const char *session, struct watch_range **ret);
/* What a watchpoint says of what was found: malloc'ed, NULL where memory is out. */
char *watch_ranges_report(const struct motion_result *found, bool backward);

#endif
