/* SPDX-License-Identifier: Apache-2.0 */
#include "unwritten.h"

#include <pthread.h>

#include "error.h"
#include "value.h"
#include "values_state.h"

void unwritten_forget(void)
{
	struct values_unwritten *own = &values_state()->unwritten;
	pthread_mutex_lock(&own->lock);
	own->n_noted = 0;
	pthread_mutex_unlock(&own->lock);
}

static bool overlaps(const struct noted *n, uint64_t address, uint64_t size)
{
	return address < n->address + n->size && n->address < address + size;
}

void unwritten_note(const struct variable *variable, const struct location *location, uint64_t pc,
		    uint64_t address)
{
	struct values_unwritten *own = &values_state()->unwritten;
	struct location states = {.kind = LOCATION_NONE};
	uint64_t size = type_strip(variable->type)->size;
	if (variable->written && location->kind == LOCATION_FRAME)
		cudasim_error_free(symbols_location(variable->written, pc, &states));
	pthread_mutex_lock(&own->lock);
	/* Blocks beside each other may share memory. */
	for (unsigned i = 0; i < own->n_noted && i < N_NOTED; i++)
		if (overlaps(&own->noted[i], address, size))
			own->noted[i].scalar = 0;
	if (states.kind == LOCATION_FRAME)
		own->noted[own->n_noted++ % N_NOTED] = (struct noted){
			address, size, address + (uint64_t)(states.offset - location->offset),
			variable->written_scalar};
	pthread_mutex_unlock(&own->lock);
}

/* Whether the states of those bytes, which lie in the variable, are all 0. */
static bool has_no_state(const struct noted *n, uint64_t address, uint64_t size)
{
	uint64_t last = (address + size - 1 - n->address) / n->scalar;
	for (uint64_t at = (address - n->address) / n->scalar; at <= last; at++) {
		unsigned char state;
		struct cudasim_error *error = value_memory_read(n->states + at, &state, 1);
		bool failed = error;
		cudasim_error_free(error);
		if (failed || state)
			return false;
	}
	return true;
}

void unwritten_store(uint64_t address, uint64_t size)
{
	struct values_unwritten *own = &values_state()->unwritten;
	pthread_mutex_lock(&own->lock);
	for (unsigned i = 0; size && i < own->n_noted && i < N_NOTED; i++) {
		const struct noted *n = &own->noted[i];
		if (!n->scalar || address < n->address || address + size > n->address + n->size)
			continue;
		uint64_t last = (address + size - 1 - n->address) / n->scalar;
		for (uint64_t at = (address - n->address) / n->scalar; at <= last; at++)
			cudasim_error_free(value_memory_write(n->states + at, "\1", 1));
	}
	pthread_mutex_unlock(&own->lock);
}

bool unwritten_at(uint64_t address, uint64_t size)
{
	struct values_unwritten *own = &values_state()->unwritten;
	bool unwritten = false;
	pthread_mutex_lock(&own->lock);
	for (unsigned i = 0; size && i < own->n_noted && i < N_NOTED; i++) {
		const struct noted *n = &own->noted[i];
		if (n->scalar && address >= n->address && address + size <= n->address + n->size) {
			unwritten = has_no_state(n, address, size);
			break;
		}
	}
	pthread_mutex_unlock(&own->lock);
	return unwritten;
}
