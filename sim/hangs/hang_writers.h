/* SPDX-License-Identifier: Apache-2.0 */
/* hang_writers.h - who last wrote what a hanging thread waits for.
 *
 * Plain bodies do not say what they store, so this is known where watched bodies run anyway (under
 * CUDASIM_CHECK and CUDASIM_BODY=watched), and of kernels with loops that wait. A table of fixed
 * size keeps the last write of each word of 4 bytes. Atomic operations are announced before they
 * are done, and a compare-and-swap may change nothing: whether one has written is seen at the next
 * one of the same word, by its value. Where two threads of different workers are about to
 * operate on it at once, both are kept.
 *
 * Rejected: to record stores in plain bodies (all programs would pay for those that hang), and to
 * run the launch again in watched bodies (its memory has changed). */
#ifndef CUDASIM_SIM_HANG_WRITERS_H
#define CUDASIM_SIM_HANG_WRITERS_H

#include <stdbool.h>
#include <stdint.h>

#include "cudasim/observer.h"

/* Fills the table. */
extern const struct cudasim_observer hang_writers_observer;

/* Add it where watched bodies run anyway: after observe_start(), once. */
void hang_writers_start(void);

struct hang_writer {
	uint64_t launch;   /* id */
	uint32_t block[3]; /* its coordinates */
	uint32_t thread;   /* linear index */
	const struct cudasim_site *site;
	bool perhaps;      /* or another that operated on it at the same time */
};

enum hang_written {
	HANG_UNKNOWN, /* nobody has looked, or the table was too small */
	HANG_NOBODY,  /* no thread of the launch */
	HANG_KNOWN,
};

/* The last write to those bytes, at most 8, by a thread of a launch with this id or a later one;
 * all stand still. */
enum hang_written hang_writers_find(const struct cudasim_launch *launch, const void *address,
				    uint32_t bytes, struct hang_writer *ret);
/* Writes are recorded in this process. */
bool hang_writers_record(void);

#endif
