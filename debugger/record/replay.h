/* SPDX-License-Identifier: Apache-2.0 */
/* replay.h - a copy of the process that carries a launch out again. */
#ifndef CUDASIM_DEBUGGER_REPLAY_H
#define CUDASIM_DEBUGGER_REPLAY_H

#include "record_state.h"
#include "wire.h"

/* In a new copy, on its only pthread, the worker: what the order says is done while the launch goes
 * on. Does not return where the snapshot itself is to be shown. */
void replay_begin(const struct message *order);
/* baton_hooks()->stops */
void replay_stops(const struct stop *stop);
/* Have events told to a search that needs them; of each launch in flight. */
void replay_want(void);

/* search.c: what a search looks at. Each may end it, with search_end(). */
void search_start(void);
void search_line(struct cudasim_thread *thread, const struct cudasim_site *site);
void search_access(struct cudasim_thread *thread, const struct cudasim_access *access);
void search_event(void); /* any, of any thread: what was stored is there */
void search_block_end(struct cudasim_block *block);
/* The launch has come to where the program stopped or the launch ended. */
__attribute__((noreturn)) void search_at_end(void);
uint32_t search_wants(void); /* CUDASIM_WANT_..., besides LINE */

extern const struct cudasim_observer record_observer;

#endif
