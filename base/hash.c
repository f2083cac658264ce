/* SPDX-License-Identifier: Apache-2.0 */
/* hash.c - open addressing with linear probing, at most half full; removal
 * shifts the cluster back instead of leaving tombstones (Knuth, The Art of
 * Computer Programming, volume 3, section 6.4, algorithm R). */
#include "hash.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

/* FNV-1a (Fowler, Noll, Vo). */
static size_t home_of_text(const struct hash *hash, const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return (size_t)(h ^ h >> 32) & (hash->n_slots - 1);
}

static struct hash_slot *lookup_text(const struct hash *hash, const void *text)
{
	size_t i = home_of_text(hash, text);
	while (hash->slots[i].key && strcmp(hash->slots[i].key, text))
		i = (i + 1) & (hash->n_slots - 1);
	return &hash->slots[i];
}

typedef struct hash_slot *lookup_fn(const struct hash *hash, const void *key);

void *hash_get(const struct hash *hash, const void *key)
{
	return hash->n_slots && key ? lookup(hash, key)->value : NULL;
}

void *hash_text_get(const struct hash *hash, const char *text)
{
	return hash->n_slots && text ? lookup_text(hash, text)->value : NULL;
}

static bool grow(struct hash *hash, lookup_fn *slot_of)
{
	struct hash bigger = {.n = hash->n, .n_slots = hash->n_slots ? 2 * hash->n_slots : 16};
	bigger.slots = calloc(bigger.n_slots, sizeof *bigger.slots);
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < hash->n_slots; i++)
		if (hash->slots[i].key)
			*slot_of(&bigger, hash->slots[i].key) = hash->slots[i];
	free(hash->slots);
	*hash = bigger;
	return true;
}

static inline bool put(struct hash *hash, const void *key, void *value, lookup_fn *slot_of)
{
	if (2 * (hash->n + 1) > hash->n_slots && !grow(hash, slot_of))
		return false;
	struct hash_slot *slot = slot_of(hash, key);
	hash->n += !slot->key;
	*slot = (struct hash_slot){key, value};
	return true;
}

bool hash_put(struct hash *hash, const void *key, void *value)
{
	return put(hash, key, value, lookup);
}

bool hash_text_put(struct hash *hash, const char *text, void *value)
{
	return put(hash, text, value, lookup_text);
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
