/* SPDX-License-Identifier: Apache-2.0 */
#include "unwritten.h"

#include <pthread.h>

#include "error.h"
#include "value.h"

enum { N_NOTED = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct noted {
	uint64_t address, size, states;
	uint32_t scalar; /* bytes that a state stands for; 0: an entry that is free */
} noted[N_NOTED];
static unsigned n_noted;

void unwritten_forget(void)
{
	pthread_mutex_lock(&lock);
	n_noted = 0;
	pthread_mutex_unlock(&lock);
}

static bool overlaps(const struct noted *n, uint64_t address, uint64_t size)
{
	return address < n->address + n->size && n->address < address + size;
}

void unwritten_note(const struct variable *variable, const struct location *location, uint64_t pc,
		    uint64_t address)
{
	struct location states = {.kind = LOCATION_NONE};
	uint64_t size = type_strip(variable->type)->size;
	if (variable->written && location->kind == LOCATION_FRAME)
		cudasim_error_free(symbols_location(variable->written, pc, &states));
	pthread_mutex_lock(&lock);
	/* Blocks beside each other may share memory. */
	for (unsigned i = 0; i < n_noted && i < N_NOTED; i++)
		if (overlaps(&noted[i], address, size))
			noted[i].scalar = 0;
	if (states.kind == LOCATION_FRAME)
		noted[n_noted++ % N_NOTED] = (struct noted){
			address, size, address + (uint64_t)(states.offset - location->offset),
			variable->written_scalar};
	pthread_mutex_unlock(&lock);
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
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; size && i < n_noted && i < N_NOTED; i++) {
		const struct noted *n = &noted[i];
		if (!n->scalar || address < n->address || address + size > n->address + n->size)
			continue;
		uint64_t last = (address + size - 1 - n->address) / n->scalar;
		for (uint64_t at = (address - n->address) / n->scalar; at <= last; at++)
			cudasim_error_free(value_memory_write(n->states + at, "\1", 1));
	}
	pthread_mutex_unlock(&lock);
}

bool unwritten_at(uint64_t address, uint64_t size)
{
	bool unwritten = false;
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; size && i < n_noted && i < N_NOTED; i++) {
		const struct noted *n = &noted[i];
		if (n->scalar && address >= n->address && address + size <= n->address + n->size) {
			unwritten = has_no_state(n, address, size);
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	return unwritten;
}
