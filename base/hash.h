/* SPDX-License-Identifier: Apache-2.0 */
/* hash.h - a table from addresses to pointers.
 *
 * Keys are compared by value and never NULL; what they and the values point to
 * stays the caller's. No locking. */
#ifndef CUDASIM_BASE_HASH_H
#define CUDASIM_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>

struct hash_slot {
	const void *key; /* NULL: free */
	void *value;
};

/* All zero is an empty table. */
struct hash {
	struct hash_slot *slots;
	size_t n, n_slots; /* n_slots is 0 or a power of two, above n */
};

/* NULL where the key is not there. */
void *hash_get(const struct hash *hash, const void *key);
/* Adds or replaces; value is not NULL. False where memory is out. */
bool hash_put(struct hash *hash, const void *key, void *value);
/* Returns what was there, or NULL. */
void *hash_remove(struct hash *hash, const void *key);
void hash_fini(struct hash *hash);

#endif
