/* SPDX-License-Identifier: Apache-2.0 */
/* fatbin.h - what a fat binary holds, as fatbinary(1) of the toolkit writes it: a header of
 * 16 bytes (magic, version, its size, bytes that follow), then entries: kind, size of their
 * header, of their payload, architecture, flags. Read off the tool's output; NVIDIA documents
 * the tool, not the format. */
#ifndef CUDASIM_FORMATS_FATBIN_H
#define CUDASIM_FORMATS_FATBIN_H

#include <stdbool.h>
#include <stddef.h>

/* data: at least 4 bytes. */
bool fatbin_is(const void *data);

/* Whether all that its header counts lies in the n bytes. */
bool fatbin_is_whole(const void *data, size_t n);

/* The bytes that its header counts, the header's own among them. */
size_t fatbin_size(const void *data);

/* Its first PTX that is not compressed, a text that ends with NUL; NULL where there is none. */
const char *fatbin_ptx(const void *data);

/* Holds it code that runs on a device of this compute capability: machine code for the same
 * major version and no later minor one (for sm_90a: for the very same), or PTX for an earlier
 * one? Where it does not, the architectures that it does hold are added to `held`
 * ("sm_80, compute_100a"). A fat binary of another version counts as running: the driver
 * will say. */
bool fatbin_runs_on(const void *data, int major, int minor, char *held, size_t size);

#endif
