/* SPDX-License-Identifier: Apache-2.0 */
/* copy.h - copies and sets as values. */
#ifndef CUDASIM_SIM_COPY_H
#define CUDASIM_SIM_COPY_H

#include <stdbool.h>
#include <stddef.h>

#include "cudasim/observer.h"

/* A copy or set of width bytes. */
struct cudasim_copy copy_1d(void *to, const void *from, size_t width);
struct cudasim_copy copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch,
			    size_t width, size_t height);

/* Whether a call that queues the copy returns when it is done: its destination is host
 * memory that CUDA does not know. */
bool copy_waits(const struct cudasim_copy *what);

/* Host memory that CUDA does not know. */
bool copy_pageable(const void *address);

#endif
