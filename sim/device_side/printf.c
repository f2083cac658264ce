/* SPDX-License-Identifier: Apache-2.0 */
/* printf.c - printf() and assert() in kernels.
 *
 * Each call is formatted at once and kept, in order, in the device's buffer,
 * until a synchronising call writes it out. Like the GPU's buffer it has
 * cudaLimitPrintfFifoSize bytes, counted as the GPU counts them (8 bytes for
 * each argument, a header, the text of strings); when it is full the oldest
 * output is lost.
 *
 * Source of the rules: CUDA C++ Programming Guide, "Formatted Output". printf()
 * answers the number of arguments, 0 without any, -1 for a null format; more
 * than 32 arguments are ignored; lanes of a warp print in lane order at each
 * call, so a call is a place where a warp converges. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_side.h"
#include "dispatch.h"
#include "launch.h"
#include "observer.h"
#include "print_format.h"

/* One call's text in device_side.text. */
struct print_record {
	size_t bytes;   /* of text */
	uint64_t cost;  /* bytes in the GPU's buffer */
};

enum { RECORD_HEADER = 16 };

static void drop_oldest(struct device_side *side)
{
	struct print_record *r = &side->records[side->first_record++];
	side->text_start += r->bytes;
	side->printf_used -= r->cost;
	side->n_records--;
}

/* Move what is left to the front when more than half is behind. */
static void compact(struct device_side *side)
{
	if (side->first_record > side->n_records) {
		memmove(side->records, side->records + side->first_record,
			side->n_records * sizeof *side->records);
		side->first_record = 0;
	}
	if (side->text_start > side->text_size / 2) {
		memmove(side->text, side->text + side->text_start,
			side->text_size - side->text_start);
		side->text_size -= side->text_start;
		side->text_start = 0;
	}
}

static bool reserve(void **array, size_t *capacity, size_t need, size_t size)
{
	if (need <= *capacity)
		return true;
	size_t bigger = need * 2 < 64 ? 64 : need * 2;
	void *ret = realloc(*array, bigger * size);
	if (!ret)
		return false;
	*array = ret;
	*capacity = bigger;
	return true;
}

/* With the lock. */
static void append(struct device_side *side, const char *text, size_t n, uint64_t cost)
{
	while (side->n_records && side->printf_used + cost > side->printf_bytes)
		drop_oldest(side);
	compact(side);
	if (!reserve((void **)&side->text, &side->text_capacity, side->text_size + n, 1) ||
	    !reserve((void **)&side->records, &side->records_capacity,
		     side->first_record + side->n_records + 1, sizeof *side->records))
		return;
	memcpy(side->text + side->text_size, text, n);
	side->text_size += n;
	side->records[side->first_record + side->n_records++] = (struct print_record){n, cost};
	side->printf_used += cost;
}

bool printf_waits(struct device *device)
{
	/* Not device_side(): each call of a device function asks. */
	struct device_side *side = __atomic_load_n(&device->scheduler, __ATOMIC_ACQUIRE);
	return side && __atomic_load_n(&side->n_records, __ATOMIC_RELAXED);
}

void printf_flush(struct device *device)
{
	struct device_side *side = device_side(device);
	pthread_mutex_lock(&side->lock);
	if (side->n_records) {
		fwrite(side->text + side->text_start, 1, side->text_size - side->text_start,
		       stdout);
		fflush(stdout);
		side->text_size = side->text_start = 0;
		side->n_records = side->first_record = 0;
		side->printf_used = 0;
	}
	pthread_mutex_unlock(&side->lock);
}

/* A call without arguments hands on a null pointer to them, which a GPU reads for a conversion. */
static __attribute__((noreturn)) void die_of_missing(struct thread *t,
						     const struct cudasim_site *site)
{
	struct fault fault = {
		.kind = CUDASIM_FAULT_ADDRESS,
		.error = ERROR_ILLEGAL_ADDRESS,
		.site = site,
		.what = "printf() has a conversion and no arguments: an illegal memory access was "
			"encountered",
	};
	t->pub.site = site;
	dispatch_die(t, &fault);
}

int32_t __cudasim_vprintf(const char *format, const void *args, const struct cudasim_site *site)
{
	struct thread *t = thread_self();
	struct print text;
	if (!format)
		return -1;
	dispatch_enter();
	warp_turn(t, site);
	/* Formatting reads the program's strings: a fault there is the program's. */
	block_of(t)->worker->in_device = IN_DEVICE_READING;
	bool missing = !args && print_takes_args(format);
	if (!missing)
		print_format(&text, format, args);
	dispatch_enter();
	if (missing)
		die_of_missing(t, site);
	observe_print(&t->pub, text.text, text.n, site);
	struct device_side *side = device_side(block_of(t)->run->launch->device);
	pthread_mutex_lock(&side->lock);
	append(side, text.text, text.n, RECORD_HEADER + 8ull * text.n_args + text.n_strings);
	pthread_mutex_unlock(&side->lock);
	print_free(&text);
	warp_turn_end(t);
	dispatch_leave(t);
	return (int32_t)text.n_args;
}

/* CUDA's text: "file:line: function: block: [..], thread: [..] Assertion `..`
 * failed.", on stderr. All lanes that have come here together write it before
 * the launch ends. */
__attribute__((noreturn)) void __cudasim_assertfail(const char *message, const char *file,
						    uint32_t line, const char *function,
						    const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	const struct cudasim_block *b = t->pub.block;
	struct fault fault = {
		.kind = CUDASIM_FAULT_ASSERT,
		.error = ERROR_ASSERT,
		.site = site,
		.what = "device-side assert triggered",
	};
	t->pub.site = site;
	warp_turn(t, site);
	fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
		file, line, function, b->ctaid[0], b->ctaid[1], b->ctaid[2], t->pub.tid[0],
		t->pub.tid[1], t->pub.tid[2], message);
	warp_turn_last(t, site);
	dispatch_die(t, &fault);
}
