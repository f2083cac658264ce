/* SPDX-License-Identifier: Apache-2.0 */
/* hash.h - a table from addresses, or from texts, to pointers.
 *
 * Keys are compared by value and never NULL; what they and the values point to
 * stays the caller's. A small number is kept as a pointer by hash_number(). The hash_text_*()
 * functions compare keys as texts; a table has keys of one kind. No locking.
 *
 * Tables of their own, with hash_mix(), have elements that are found by more than a pointer
 * (compiler/ir/pass_sites.c) or must be small (checkers/race/, checkers/report/finding.c,
 * sim/hangs/hang.c); each says so. */
#ifndef CUDASIM_BASE_HASH_H
#define CUDASIM_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_slot {
	const void *key; /* NULL: free */
	void *value;
};

/* All zero is an empty table. */
struct hash {
	struct hash_slot *slots;
	size_t n, n_slots; /* n_slots is 0 or a power of two, above n */
};

/* h with one more word of a key: multiplicative hashing, the high bits are the well-mixed ones
 * (Knuth, volume 3, section 6.4). Begin with any h. */
static inline uint64_t hash_mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* A number as a value that is not NULL, and back; 0 for a NULL. */
static inline void *hash_number(size_t number)
{
	return (void *)(uintptr_t)(number + 1);
}

static inline size_t hash_number_of(const void *value)
{
	return value ? (size_t)(uintptr_t)value - 1 : 0;
}

/* NULL where the key is not there. */
void *hash_get(const struct hash *hash, const void *key);
/* Adds or replaces; value is not NULL. False where memory is out. */
bool hash_put(struct hash *hash, const void *key, void *value);
/* Returns what was there, or NULL. */
void *hash_remove(struct hash *hash, const void *key);
void hash_fini(struct hash *hash);

/* The same of texts. */
void *hash_text_get(const struct hash *hash, const char *text);
bool hash_text_put(struct hash *hash, const char *text, void *value);

#endif
