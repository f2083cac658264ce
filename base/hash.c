/* SPDX-License-Identifier: Apache-2.0 */
/* hash.c - open addressing with linear probing, at most half full; removal
 * shifts the cluster back instead of leaving tombstones (Knuth, The Art of
 * Computer Programming, volume 3, section 6.4, algorithm R). */
#include "hash.h"

#include <stdint.h>
#include <stdlib.h>

/* Fibonacci hashing; the high bits are the well-mixed ones. */
static size_t home(const struct hash *hash, const void *key)
{
	return (size_t)(((uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u) >> 20) &
	       (hash->n_slots - 1);
}

/* The key's slot, or the free one where it belongs. */
static struct hash_slot *lookup(const struct hash *hash, const void *key)
{
	size_t i = home(hash, key);
	while (hash->slots[i].key && hash->slots[i].key != key)
		i = (i + 1) & (hash->n_slots - 1);
	return &hash->slots[i];
}

void *hash_get(const struct hash *hash, const void *key)
{
	return hash->n_slots && key ? lookup(hash, key)->value : NULL;
}

static bool grow(struct hash *hash)
{
	struct hash bigger = {.n = hash->n, .n_slots = hash->n_slots ? 2 * hash->n_slots : 16};
	bigger.slots = calloc(bigger.n_slots, sizeof *bigger.slots);
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < hash->n_slots; i++)
		if (hash->slots[i].key)
			*lookup(&bigger, hash->slots[i].key) = hash->slots[i];
	free(hash->slots);
	*hash = bigger;
	return true;
}

bool hash_put(struct hash *hash, const void *key, void *value)
{
	if (2 * (hash->n + 1) > hash->n_slots && !grow(hash))
		return false;
	struct hash_slot *slot = lookup(hash, key);
	hash->n += !slot->key;
	*slot = (struct hash_slot){key, value};
	return true;
}

void *hash_remove(struct hash *hash, const void *key)
{
	if (!hash->n_slots || !key)
		return NULL;
	struct hash_slot *slot = lookup(hash, key);
	void *value = slot->value;
	if (!slot->key)
		return NULL;
	size_t mask = hash->n_slots - 1, hole = (size_t)(slot - hash->slots);
	for (size_t i = (hole + 1) & mask; hash->slots[i].key; i = (i + 1) & mask) {
		/* May this one move to the hole without passing its home? */
		size_t distance = (i - home(hash, hash->slots[i].key)) & mask;
		if (distance >= ((i - hole) & mask)) {
			hash->slots[hole] = hash->slots[i];
			hole = i;
		}
	}
	hash->slots[hole] = (struct hash_slot){0};
	hash->n--;
	return value;
}

void hash_fini(struct hash *hash)
{
	free(hash->slots);
	*hash = (struct hash){0};
}
