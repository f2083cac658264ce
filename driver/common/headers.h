/* SPDX-License-Identifier: Apache-2.0 */
/* headers.h - the variables by which clang, started next, lists the headers that it reads in a file. */
#ifndef CUDASIM_DRIVER_COMMON_HEADERS_H
#define CUDASIM_DRIVER_COMMON_HEADERS_H

void headers_ask(const char *path);
void headers_ask_no_more(void);

#endif
