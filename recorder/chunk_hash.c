/* SPDX-License-Identifier: Apache-2.0 */
/* hash.c - four lanes of multiply and rotate over 64-bit words, mixed at the end (the
 * pattern of the xxHash and wyhash families, with constants of our own). Speed matters:
 * all memory of the program goes through here after each launch. Not for adversaries. */
#include <string.h>

#include "recorder.h"

enum { LANES = 4 };

/* Odd numbers with about as many ones as zeros. */
static const uint64_t multiplier[LANES] = {
	0x9e3779b97f4a7c15u,
	0xc2b2ae3d27d4eb4fu,
	0xd6e8feb86659fd93u,
	0xa0761d6478bd642fu,
};

static uint64_t rotate(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

struct state {
	uint64_t lane[LANES];
	uint64_t any; /* all words together */
};

static void add(struct state *s, unsigned lane, uint64_t word)
{
	s->any |= word;
	s->lane[lane] = rotate((s->lane[lane] ^ word) * multiplier[lane], 31);
}

static uint64_t finish(const struct state *s, size_t n)
{
	uint64_t hash = n;
	if (!s->any)
		return 0;
	for (unsigned i = 0; i < LANES; i++)
		hash = record_fold(hash, s->lane[i]);
	return hash ? hash : 1;
}

static uint64_t word_at(const unsigned char *bytes, size_t i, size_t n)
{
	uint64_t word = 0;
	memcpy(&word, bytes + i, n - i < 8 ? n - i : 8);
	return word;
}

/* Number and offset in the place of an address. */
static uint64_t replace(uint64_t word)
{
	const struct memory *m = memory_find(word);
	return m ? m->key ^ (word - m->address) : word;
}

static uint64_t hash_normal(const unsigned char *bytes, size_t n)
{
	struct state s = {{1, 2, 3, 4}, 0};
	for (size_t i = 0; i < n; i += 8)
		add(&s, i / 8 % LANES, replace(word_at(bytes, i, n)));
	return finish(&s, n);
}

void chunk_hash(const void *bytes, size_t n, uint64_t *plain, uint64_t *normal)
{
	struct state s = {{1, 2, 3, 4}, 0};
	const unsigned char *at = bytes;
	uint64_t low, high, candidates = 0;
	size_t i = 0;
	memory_bounds(&low, &high);
	high -= low;
	for (; i + 8 * LANES <= n; i += 8 * LANES) {
		uint64_t words[LANES];
		memcpy(words, at + i, sizeof words);
		for (unsigned lane = 0; lane < LANES; lane++) {
			add(&s, lane, words[lane]);
			candidates |= words[lane] - low < high;
		}
	}
	for (unsigned lane = 0; i < n; i += 8, lane++) {
		uint64_t word = word_at(at, i, n);
		add(&s, lane, word);
		candidates |= word - low < high;
	}
	*plain = finish(&s, n);
	*normal = candidates ? hash_normal(at, n) : *plain;
}
