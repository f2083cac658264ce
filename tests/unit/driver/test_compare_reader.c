/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings made by hand, and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare_reader.h"

/* ---- writing ------------------------------------------------------------------- */

struct bytes {
	unsigned char at[4096];
	size_t n, frame, read;
};

static void u32(struct bytes *b, uint32_t n)
{
	memcpy(b->at + b->n, &n, 4);
	b->n += 4;
}

static void u64(struct bytes *b, uint64_t n)
{
	memcpy(b->at + b->n, &n, 8);
	b->n += 8;
}

static void text(struct bytes *b, const char *t)
{
	u32(b, (uint32_t)strlen(t));
	memcpy(b->at + b->n, t, strlen(t));
	b->n += strlen(t);
}

static void begin(struct bytes *b, uint32_t kind)
{
	b->frame = b->n;
	u32(b, kind);
	u32(b, 0);
}

static void end(struct bytes *b)
{
	uint32_t n = (uint32_t)(b->n - b->frame - 8);
	memcpy(b->at + b->frame + 4, &n, 4);
}

static void header(struct bytes *b)
{
	*b = (struct bytes){.n = 0};
	begin(b, RECORD_HEADER);
	memcpy(b->at + b->n, RECORD_MAGIC, 8);
	b->n += 8;
	u32(b, RECORD_VERSION);
	u32(b, 1);
	text(b, "a GPU");
	text(b, "/bin/app");
	end(b);
}

static void memory(struct bytes *b, uint32_t number, uint64_t size, uint64_t chunk)
{
	begin(b, RECORD_MEMORY);
	u32(b, number);
	u32(b, RECORD_DEVICE);
	u64(b, size);
	u64(b, chunk);
	text(b, "cudaMalloc");
	text(b, "main (app.cu:3)");
	text(b, "float");
	end(b);
}

static void launch(struct bytes *b, uint64_t index, uint32_t pointer_to)
{
	begin(b, RECORD_LAUNCH);
	u64(b, index);
	u32(b, 0);
	for (int i = 0; i < 6; i++)
		u32(b, 1);
	u64(b, 0);
	u32(b, 1);
	text(b, "_Z1fPi");
	u32(b, 1);
	u32(b, 0);
	u32(b, 0);
	u32(b, pointer_to);
	end(b);
}

static void chunk(struct bytes *b, uint32_t number, uint32_t index)
{
	begin(b, RECORD_CHUNKS);
	u32(b, number);
	u32(b, 1);
	u32(b, index);
	u64(b, 11);
	u64(b, 12);
	end(b);
}

static void data(struct bytes *b, uint32_t number, uint64_t offset, uint32_t n, uint32_t address_at)
{
	begin(b, RECORD_DATA);
	u32(b, number);
	u64(b, offset);
	u32(b, n);
	u32(b, 1);
	b->n += n;
	u32(b, address_at);
	u32(b, 0);
	u64(b, 5);
	end(b);
}

static void launch_end(struct bytes *b)
{
	begin(b, RECORD_LAUNCH_END);
	u32(b, 0);
	u32(b, 0);
	end(b);
}

static void last(struct bytes *b, uint64_t n)
{
	begin(b, RECORD_END);
	u64(b, n);
	end(b);
}

static void whole(struct bytes *b)
{
	header(b);
	memory(b, 0, 10000, 4096);
	launch(b, 0, 0);
	chunk(b, 0, 2);
	data(b, 0, 8192, 64, 8);
	launch_end(b);
	last(b, 1);
}

/* ---- reading ------------------------------------------------------------------------ */

/* A few bytes at a time, as a socket may give them. */
static ssize_t read_bytes(void *from, void *to, size_t n)
{
	struct bytes *b = from;
	if (n > 7)
		n = 7;
	if (n > b->n - b->read)
		n = b->n - b->read;
	memcpy(to, b->at + b->read, n);
	b->read += n;
	return (ssize_t)n;
}

/* Reads to the end; the caller frees the error. *ended: the END frame came. */
static struct cudasim_error *read_all(struct bytes *b, bool *ended)
{
	struct record_reader reader;
	struct record_event e;
	struct cudasim_error *error;
	bool more = true;
	record_reader_init(&reader, read_bytes, b, "file");
	*ended = false;
	while (!(error = record_reader_next(&reader, &e, &more)) && more)
		*ended |= e.kind == RECORD_END;
	record_reader_fini(&reader);
	return error;
}

static void refused(struct bytes *b, const char *message)
{
	bool ended;
	struct cudasim_error *error = read_all(b, &ended);
	assert_non_null(error);
	assert_int_equal(error->code, CUDASIM_E_FORMAT);
	if (!strstr(error->message, message))
		assert_string_equal(error->message, message);
	cudasim_error_free(error);
}

static void a_recording_is_read(void **state)
{
	(void)state;
	struct bytes b;
	struct record_reader reader;
	struct record_event e;
	bool more;
	whole(&b);
	record_reader_init(&reader, read_bytes, &b, "file");
	assert_null(record_reader_next(&reader, &e, &more));
	assert_int_equal(e.kind, RECORD_HEADER);
	assert_string_equal(e.header.device, "a GPU");
	assert_null(record_reader_next(&reader, &e, &more));
	assert_int_equal(e.memory.size, 10000);
	assert_string_equal(e.memory.place, "main (app.cu:3)");
	assert_null(record_reader_next(&reader, &e, &more));
	assert_string_equal(e.launch.kernel, "_Z1fPi");
	assert_int_equal(e.launch.n_pointers, 1);
	assert_null(record_reader_next(&reader, &e, &more));
	assert_int_equal(e.chunks.chunks[0].normal, 12);
	assert_null(record_reader_next(&reader, &e, &more));
	assert_int_equal(e.data.n, 64);
	assert_int_equal(e.data.addresses[0].offset, 5);
	assert_null(record_reader_next(&reader, &e, &more));
	assert_null(record_reader_next(&reader, &e, &more));
	assert_int_equal(e.n_launches, 1);
	assert_null(record_reader_next(&reader, &e, &more));
	assert_false(more);
	record_reader_fini(&reader);
}

/* Wherever it is cut: an error, or (between frames) an end that is missed. */
static void no_cut_goes_unnoticed(void **state)
{
	(void)state;
	struct bytes b;
	whole(&b);
	for (size_t n = 0; n < b.n; n++) {
		struct bytes cut = b;
		bool ended;
		cut.n = n;
		struct cudasim_error *error = read_all(&cut, &ended);
		assert_false(ended);
		if (error)
			assert_int_equal(error->code, CUDASIM_E_FORMAT);
		cudasim_error_free(error);
	}
}

/* Each byte set to each of a few values must not crash; ASan builds see more. */
static void no_damage_crashes(void **state)
{
	(void)state;
	static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
	struct bytes b;
	whole(&b);
	for (size_t i = 0; i < b.n; i++)
		for (size_t v = 0; v < sizeof values; v++) {
			struct bytes bad = b;
			bool ended;
			bad.at[i] = values[v];
			cudasim_error_free(read_all(&bad, &ended));
		}
}

static void what_is_out_of_bounds_is_refused(void **state)
{
	(void)state;
	struct bytes b;
	header(&b), memory(&b, 1, 10000, 4096);
	refused(&b, "memory out of order");
	header(&b), memory(&b, 0, 10000, 4095);
	refused(&b, "memory of an impossible form");
	header(&b), memory(&b, 0, 0, 4096);
	refused(&b, "memory of an impossible form");
	header(&b), memory(&b, 0, UINT64_C(1) << 40, 4096);
	refused(&b, "memory of an impossible form");
	header(&b), memory(&b, 0, 10000, 4096), launch(&b, 1, 0);
	refused(&b, "a launch out of order");
	header(&b), memory(&b, 0, 10000, 4096), launch(&b, 0, 1);
	refused(&b, "a parameter points to memory that does not exist");
	header(&b), memory(&b, 0, 10000, 4096), chunk(&b, 0, 0);
	refused(&b, "chunks of memory that does not exist");
	header(&b), memory(&b, 0, 10000, 4096), launch(&b, 0, 0), chunk(&b, 0, 3);
	refused(&b, "a chunk beyond the end of its memory");
	header(&b), memory(&b, 0, 10000, 4096), launch(&b, 0, 0), data(&b, 0, 9990, 11, 0);
	refused(&b, "bytes of memory that does not exist");
	header(&b), memory(&b, 0, 10000, 4096), launch(&b, 0, 0), data(&b, 0, 0, 16, 9);
	refused(&b, "an address beyond its bytes");
	header(&b), memory(&b, 0, 10000, 4096), launch(&b, 0, 0), chunk(&b, 0, UINT32_MAX),
		launch_end(&b);
	refused(&b, "one hash for a memory, where there was room for all");
	header(&b), launch_end(&b);
	refused(&b, "the end of a launch that has not begun");
	header(&b), last(&b, 1);
	refused(&b, "launches are missing");
	whole(&b), memory(&b, 1, 10000, 4096);
	refused(&b, "it goes on after its end");
	header(&b), begin(&b, 77), end(&b);
	refused(&b, "a frame of an unknown kind");
	header(&b), begin(&b, RECORD_FREE), end(&b);
	refused(&b, "a frame is too short");
	header(&b), begin(&b, RECORD_END), u64(&b, 0), u32(&b, 0), end(&b);
	refused(&b, "a frame is too long");
}

static void what_is_no_recording_is_said_to_be_none(void **state)
{
	(void)state;
	struct bytes b = {.n = 0};
	strcpy((char *)b.at, "#!/bin/sh\necho this is a script and no recording\n");
	b.n = strlen((char *)b.at);
	refused(&b, "this is not a recording");
	header(&b);
	b.at[9] ^= 1;
	refused(&b, "this is not a recording");
	header(&b);
	b.at[16] = 9;
	refused(&b, "version 9");
	whole(&b);
	size_t n = b.n;
	header(&b);
	memcpy(b.at + b.n, b.at, b.n);
	b.n *= 2;
	refused(&b, "a second process");
	assert_true(n < sizeof b.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_is_read),
		cmocka_unit_test(no_cut_goes_unnoticed),
		cmocka_unit_test(no_damage_crashes),
		cmocka_unit_test(what_is_out_of_bounds_is_refused),
		cmocka_unit_test(what_is_no_recording_is_said_to_be_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
