/* SPDX-License-Identifier: Apache-2.0 */
/* headers.h - the variables by which clang, started next, lists the headers that it reads in a file. */
#ifndef CUDASIM_DRIVER_COMMON_HEADERS_H
#define CUDASIM_DRIVER_COMMON_HEADERS_H

void headers_ask(const char *path);
void headers_ask_no_more(void);

/* Files in the folder of a device pass (cc-device-pass --folder): headers whose deduction guides
 * earlier compilations had to mend, one path a line, and what this one has found besides. */
#define HEADERS_MENDED "mended-before"
#define HEADERS_MENDED_NOW "mended-now"

#endif
