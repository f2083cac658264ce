/* SPDX-License-Identifier: Apache-2.0 */
/* fake_program.h - a program for tests of breakpoints: places, threads, memory and
 * expressions that the test decides about, in the place of symbols, run control and
 * expressions. */
#ifndef FAKE_PROGRAM_H
#define FAKE_PROGRAM_H

#include "breakpoint_commands.h"

/* What the console has got since the last call. Owned by the fake. */
const char *fake_console(void);

/* Places that location_find() knows: "pull" (device, tour.cu:8, 0x1000), "many" (two
 * device instances at multi.cu:4, 0x2000 and 0x3000), "main" (host, multi.cu:16,
 * 0x4000), and "later" once fake_later is set. */
extern bool fake_later;
extern const struct cudasim_site fake_sites[4];

/* Expressions: "yes", "no", "lane == N", "k == N" (fake_k), "wrong" does not parse,
 * "fails" does not evaluate; "word" is an int at fake_word in global memory, "half" its
 * bits 16..19, "mine" an int at fake_word that is a local. */
extern int fake_k;
extern int fake_word;

/* A thread of a block; its indices may be changed. */
extern struct cudasim_thread fake_thread;
extern struct cudasim_block fake_block;

/* How often breakers are armed at site i; the last one armed there. */
extern int fake_armed[4];
extern struct breaker *fake_breaker[4];
extern struct watcher *fake_watcher; /* the last one registered */
extern int fake_watchers;            /* registered now */
/* Lines that command_read_block() will answer, NULL-terminated. */
extern const char *const *fake_block_lines;

#endif
