/* SPDX-License-Identifier: Apache-2.0 */
/* compare_reader.h - reads a recording (formats/record.h) frame by frame, and believes
 * nothing: what it hands on is complete, in order and within bounds. */
#ifndef CUDASIM_DRIVER_COMPARE_READER_H
#define CUDASIM_DRIVER_COMPARE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"
#include "record.h"

struct record_chunk {
	uint32_t chunk; /* index, or RECORD_WHOLE */
	uint64_t plain, normal;
};

/* A kernel's parameter points into memory. */
struct record_pointer {
	uint32_t parameter, at, memory;
};

/* Among the bytes of a DATA frame: the address of a byte of memory. */
struct record_address {
	uint32_t at, memory;
	uint64_t offset;
};

/* One frame. Pointers live until the next one is read. */
struct record_event {
	enum record_kind kind;
	union {
		struct {
			bool simulated;
			const char *device, *program;
		} header;
		struct {
			uint32_t number;
			enum record_memory kind;
			uint64_t size, chunk; /* bytes; chunk is a power of two */
			const char *name, *place, *element;
		} memory;
		uint32_t freed;
		struct {
			uint64_t index;
			uint32_t stream, grid[3], block[3];
			uint64_t shared;
			bool watched;
			const char *kernel; /* mangled */
			uint32_t n_pointers;
			const struct record_pointer *pointers;
		} launch;
		struct {
			uint32_t memory, n;
			const struct record_chunk *chunks;
		} chunks;
		struct {
			uint32_t memory, n, n_addresses;
			uint64_t offset;
			const unsigned char *bytes;
			const struct record_address *addresses;
		} data;
		struct {
			int32_t error;
			bool limited, heap;
		} end;
		struct {
			uint32_t question;
			bool found;
			uint32_t block[3], thread[3];
			const char *place;
		} owner;
		uint64_t n_launches;
	};
};

/* Where bytes come from: as read(2). */
typedef ssize_t record_read_fn(void *from, void *to, size_t n);

struct record_reader {
	record_read_fn *read;
	void *from;
	const char *name; /* for messages */
	uint64_t at;      /* bytes read */
	unsigned char *frame;
	size_t frame_capacity, n, used; /* payload bytes, and how many were taken */
	char *text[3];
	void *array;
	size_t array_capacity;
	struct known {
		uint64_t size, chunk;
		bool freed;
	} *known;             /* memories, by number */
	uint32_t n_known, known_capacity;
	uint64_t n_launches;
	uint32_t version;
	bool has_header, in_launch, has_whole, has_ended;
};

void record_reader_init(struct record_reader *reader, record_read_fn *read, void *from,
			const char *name);
void record_reader_fini(struct record_reader *reader);

/* The next frame; the last one is RECORD_END. *ret_more is false where the recording ends
 * between two frames without it (the program died), which is no error here. Errors:
 *   CUDASIM_E_FORMAT  no recording, another version, cut within a frame, damaged
 *   CUDASIM_E_SYSTEM  it cannot be read */
struct cudasim_error *record_reader_next(struct record_reader *reader, struct record_event *ret,
					 bool *ret_more);

#endif
