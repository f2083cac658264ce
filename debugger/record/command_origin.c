/* SPDX-License-Identifier: Apache-2.0 */
/* command_origin.c - origin: the line that made a NaN or an infinity.
 *
 * The debugged body keeps variables in memory, so that a value's way is a chain of stores and loads:
 * of the line that stored it the loads before the store are looked at, the last one first, and if
 * one of them has a NaN or an infinity, too, its memory's last writer is asked for, and so on. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "console.h"
#include "error.h"
#include "expression.h"
#include "symbols.h"
#include "travel.h"

enum { MOST_HOPS = 10000 };

static double number_of(const uint8_t *bytes, uint64_t size)
{
	float small;
	double large;
	memcpy(&small, bytes, sizeof small);
	memcpy(&large, bytes, sizeof large);
	return size == sizeof small ? (double)small : large;
}

static bool is_number(uint64_t size)
{
	return size == sizeof(float) || size == sizeof(double);
}

static const char *name_of(double number)
{
	return isnan(number) ? "NaN" : number < 0 ? "-inf" : "inf";
}

/* Stores of one line by one thread, one before the other. */
struct hops {
	const struct cudasim_site *site;
	struct thread_id thread;
	unsigned n;
};

static void tell_hops(const struct hops *hops)
{
	const struct cudasim_site *site = hops->site;
	if (!hops->n)
		return;
	/* Arguments are stored where a function begins. */
	if (site->line)
		fprintf(console(), "stored at %s:%u in %s", site->file, site->line, site->function);
	else
		fprintf(console(), "an argument of %s", site->function);
	fprintf(console(), ", by thread %" PRIu32 " of block %" PRIu64 " of kernel %" PRIu64,
		hops->thread.linear, hops->thread.block, hops->thread.launch - 1);
	if (hops->n > 1)
		fprintf(console(), ", %u times", hops->n);
	fputc('\n', console());
}

static void add_hop(struct hops *hops, const struct motion_result *result)
{
	const struct thread_id *a = &hops->thread, *b = &result->at.thread;
	if (hops->site == result->site && a->launch == b->launch && a->block == b->block &&
	    a->linear == b->linear) {
		hops->n++;
		return;
	}
	tell_hops(hops);
	*hops = (struct hops){result->site, *b, 1};
}

/* The load whose value goes on: the last one that is no number; NULL: the line made it. */
static const struct motion_load *source_of(const struct motion_result *inputs)
{
	for (uint32_t i = inputs->n_loads; i--;) {
		const struct motion_load *load = &inputs->loads[i];
		if (is_number(load->size) && !isfinite(number_of(load->bytes, load->size)))
			return load;
	}
	return NULL;
}

static void tell_made(const struct motion_result *inputs, double number)
{
	const char *and = " of";
	fprintf(console(), "%s was made by this line", name_of(number));
	for (uint32_t i = 0; i < inputs->n_loads; i++) {
		const struct motion_load *load = &inputs->loads[i];
		/* Pointers and indices look like tiny numbers. */
		double value = number_of(load->bytes, load->size);
		if (!is_number(load->size) || (value && fabs(value) < 1e-30))
			continue;
		fprintf(console(), "%s %.9g", and, value);
		and = ",";
	}
	fputs(".\n", console());
}

/* *ret: the line; *ret_found: there is one to go to. */
static struct cudasim_error *follow(struct motion *motion, struct moment *ret, bool *ret_found)
{
	struct motion_result result, inputs;
	struct hops hops = {0};
	for (unsigned hop = 0; hop < MOST_HOPS; hop++) {
		struct cudasim_error *error = travel_search(motion, &result);
		if (error)
			return error;
		if (!result.found || !result.site) {
			tell_hops(&hops);
			fprintf(console(), "It was there before: %s%s.\n",
				result.found ? "written by the host, "
					     : "no kernel has written it since `record'",
				result.found ? result.function : "");
			return NULL;
		}
		*ret = result.at;
		*ret_found = true;
		add_hop(&hops, &result);
		error = travel_inputs(result.at, result.address, result.address + result.size,
				      &inputs);
		if (error)
			return error;
		const struct motion_load *load = source_of(&inputs);
		if (!load) {
			tell_hops(&hops);
			tell_made(&inputs, number_of(result.after, result.n_bytes));
			return NULL;
		}
		motion->low = load->address;
		motion->high = load->address + load->size;
		motion->by_thread = load->by_thread;
		motion->by_block = load->by_block;
		motion->thread = result.at.thread;
		motion->from = result.at;
		motion->from.lines = load->lines;
		motion->from.accesses = load->accesses;
	}
	return cudasim_error_new(CUDASIM_E_FAILED, "Not found in %d steps.", MOST_HOPS);
}

struct cudasim_error *command_origin(const char *argument)
{
	struct motion motion;
	struct moment at = {0};
	struct value object;
	long double number;
	bool found = false;
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Argument required (expression).");
	if (!record_is_past() && !record_has_any())
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Nothing is recorded: give `record' before the launch.");
	motion_make(MOTION_WRITER, true, &motion);
	struct cudasim_error *error = evaluate_text(argument, &object);
	if (error)
		return error;
	bool is_real = type_strip(object.type)->kind == TYPE_FLOAT && is_number(object.n_bytes);
	error = is_real ? motion_place(&object, &motion)
			: cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					    "origin follows values of the types float and double.");
	if (!error)
		error = value_to_real(&object, &number);
	if (!error && isfinite(number))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "%s is %Lg: neither NaN nor infinite.", argument, number);
	value_fini(&object);
	if (!error)
		error = follow(&motion, &at, &found);
	return error || !found || record_holds() ? error : travel_to(at);
}
