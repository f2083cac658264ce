/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_lines.h - from lines of PTX to lines of the source. */
#ifndef CUDASIM_DRIVER_PTX_LINES_H
#define CUDASIM_DRIVER_PTX_LINES_H

/* "ptxas x.ptx, line 33; error   : TEXT" as "FILE:LINE: error: TEXT (ptxas, line 33 of
 * x.ptx)"; NULL for other messages and where the PTX does not tell. The caller frees
 * it. */
char *ptx_lines_tell(const char *message, const char *ptx);

#endif
