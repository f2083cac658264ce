/* SPDX-License-Identifier: Apache-2.0 */
/* compare_launch.c - what two sides have in memory after the same launch.
 *
 * Only chunks that changed in one of them since the launch before are looked at, so a
 * difference is told where it arises, and again only where its chunk is written again.
 * Chunks whose hashes are equal are equal. Of others the bytes are fetched: from live
 * sides all of them, from a file those that it has. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

/* ---- bytes ------------------------------------------------------------------------ */

static bool covers(const struct piece *p, uint32_t memory, uint64_t from, uint64_t to)
{
	return p->memory == memory && p->offset < to && p->offset + p->n > from;
}

/* Where both have the same place of the program's memory it does not count that it lies
 * at another address: b's bytes become a's. */
static void equalize(const struct side *sa, struct piece *a, const struct side *sb, struct piece *b)
{
	for (uint32_t i = 0, k = 0; i < a->n_addresses && k < b->n_addresses;) {
		const struct record_address *x = &a->addresses[i], *y = &b->addresses[k];
		if (x->at != y->at) {
			i += x->at < y->at;
			k += y->at < x->at;
			continue;
		}
		if (x->offset == y->offset && side_match(sa, x->memory, sb) == y->memory)
			memcpy(b->bytes + y->at, a->bytes + x->at, 8);
		i++;
		k++;
	}
}

/* Both sides, and what is compared in them. */
struct pair {
	struct comparison *c;
	struct side *side[2];
	struct finding *finding;
};

static void tally_pieces(struct pair *p, struct piece *a, struct piece *b)
{
	struct tally *tally = &p->finding->tally;
	equalize(p->side[0], a, p->side[1], b);
	if (tally->type == VALUE_UNKNOWN && memcmp(a->bytes, b->bytes, a->n))
		tally->type = value_guess(a->bytes, b->bytes, a->n);
	if (tally->type != VALUE_UNKNOWN)
		tally_add(tally, &p->c->tolerance, a->offset, a->bytes, b->bytes, a->n);
}

/* Both are live. */
static struct cudasim_error *compare_live(struct pair *p, uint64_t from, uint64_t to)
{
	for (uint64_t at = from; at < to; at += RECORD_MAX_DATA) {
		uint32_t n = to - at < RECORD_MAX_DATA ? (uint32_t)(to - at) : RECORD_MAX_DATA;
		struct piece a = {0}, b = {0};
		struct cudasim_error *error = side_read(p->side[0], p->finding->memory[0], at, n,
							&a);
		if (!error)
			error = side_read(p->side[1], p->finding->memory[1], at, n, &b);
		if (!error)
			tally_pieces(p, &a, &b);
		piece_fini(&a);
		piece_fini(&b);
		if (error)
			return error;
	}
	return NULL;
}

/* One is a file: the pieces that it has. *seen: how many bytes these are. */
static struct cudasim_error *compare_file(struct pair *p, int file, uint64_t from, uint64_t to,
					  uint64_t *seen)
{
	const struct side *side = p->side[file];
	uint32_t here = p->finding->memory[file], there = p->finding->memory[!file];
	for (size_t i = 0; i < side->n_pieces; i++) {
		struct piece *known = &side->pieces[i], fetched = {0};
		if (!covers(known, here, from, to))
			continue;
		struct cudasim_error *error = side_read(p->side[!file], there, known->offset,
							known->n, &fetched);
		if (error)
			return error;
		tally_pieces(p, file ? &fetched : known, file ? known : &fetched);
		piece_fini(&fetched);
		*seen += known->n;
	}
	return NULL;
}

static struct cudasim_error *compare_chunk(struct pair *p, uint32_t chunk)
{
	struct finding *f = p->finding;
	const struct side_memory *m = &p->side[0]->memories[f->memory[0]];
	uint64_t from = chunk * m->chunk, n = m->size - from < m->chunk ? m->size - from : m->chunk;
	uint64_t before = f->tally.n_different, seen = n;
	struct cudasim_error *error = NULL;
	f->n_chunks++;
	if (p->side[0]->live && p->side[1]->live) {
		error = compare_live(p, from, from + n);
	} else {
		seen = 0;
		error = compare_file(p, !p->side[1]->live, from, from + n, &seen);
	}
	if (seen < n) {
		f->is_sampled = true;
		f->n_unseen += f->tally.n_different == before;
	} else if (f->tally.n_different == before) {
		/* Addresses told apart by hash only: the same memory, as it turned out. */
		f->n_chunks--;
	}
	return error;
}

/* ---- memories ----------------------------------------------------------------------- */

static enum value_type type_of(const struct pair *p)
{
	const struct finding *f = p->finding;
	char number[16];
	snprintf(number, sizeof number, "%u", f->memory[0]);
	for (size_t i = p->c->n_rules; i-- > 0;) {
		const struct type_rule *rule = &p->c->rules[i];
		if (!rule->memory || !strcmp(rule->memory, number) ||
		    (f->kind == RECORD_VARIABLE && !strcmp(rule->memory, f->name)))
			return rule->type;
	}
	for (int i = 0; i < 2; i++)
		if (p->side[i]->memories[f->memory[i]].type)
			return p->side[i]->memories[f->memory[i]].type;
	return VALUE_UNKNOWN;
}

/* What the first chunk that has changed looks like, beside zeros; seldom asked. */
static struct cudasim_error *guess(struct side *side, const struct change *change)
{
	static const unsigned char zeros[RECORD_MIN_CHUNK];
	struct side_memory *m = &side->memories[change->memory];
	uint64_t at = change->to.chunk * m->chunk;
	struct piece piece = {0};
	if (!side->live || change->to.chunk == RECORD_WHOLE)
		return NULL;
	uint64_t n = m->size - at < sizeof zeros ? m->size - at : sizeof zeros;
	struct cudasim_error *error = side_read(side, change->memory, at, (uint32_t)n, &piece);
	if (!error && memcmp(piece.bytes, zeros, n))
		m->guess = value_guess(piece.bytes, zeros, n);
	piece_fini(&piece);
	return error;
}

/* Changes of one memory, from index i on: how many. */
static size_t run_of(const struct side *side, size_t i)
{
	size_t end = i;
	while (end < side->n_changes && side->changes[end].memory == side->changes[i].memory)
		end++;
	return end - i;
}

static struct record_chunk chunk_of(const struct side_memory *m, uint32_t chunk)
{
	return (struct record_chunk){chunk, m->plain ? m->plain[chunk] : 0,
				     m->normal ? m->normal[chunk] : 0};
}

static bool is_equal(struct record_chunk x, struct record_chunk y)
{
	return x.plain == y.plain || x.normal == y.normal;
}

/* One hash for each memory: the file had no room for more. Of the other side the same is
 * made from its chunks. */
static struct record_chunk whole(const struct side *side, size_t from, size_t n)
{
	struct record_chunk all = {.chunk = RECORD_WHOLE};
	if (n == 1 && side->changes[from].to.chunk == RECORD_WHOLE)
		return side->changes[from].to;
	for (size_t i = from; i < from + n; i++) {
		const struct record_chunk *c = &side->changes[i].to;
		all.plain = record_fold(record_fold(all.plain, c->chunk), c->plain);
		all.normal = record_fold(record_fold(all.normal, c->chunk), c->normal);
	}
	return all;
}

/* n changes from `from` on in each side, of the finding's memory. */
static struct cudasim_error *compare_memory(struct pair *p, const size_t from[2], const size_t n[2])
{
	const struct side_memory *m[2];
	struct finding *f = p->finding;
	size_t at[2] = {0, 0};
	bool limited = false;
	for (int i = 0; i < 2; i++) {
		m[i] = &p->side[i]->memories[f->memory[i]];
		limited |= p->side[i]->launch.limited;
	}
	f->kind = m[0]->kind;
	f->size = m[0]->size;
	f->name = m[0]->name;
	f->place = m[0]->place;
	f->tally.type = type_of(p);
	if (limited) {
		f->is_sampled = true;
		if (!is_equal(whole(p->side[0], from[0], n[0]), whole(p->side[1], from[1], n[1])))
			f->n_chunks = f->n_unseen = 1;
		return NULL;
	}
	while (at[0] < n[0] || at[1] < n[1]) {
		uint32_t next[2];
		for (int i = 0; i < 2; i++)
			next[i] = at[i] < n[i] ? p->side[i]->changes[from[i] + at[i]].to.chunk
					       : UINT32_MAX;
		uint32_t chunk = next[0] < next[1] ? next[0] : next[1];
		for (int i = 0; i < 2; i++)
			at[i] += next[i] == chunk;
		if (is_equal(chunk_of(m[0], chunk), chunk_of(m[1], chunk)))
			continue;
		struct cudasim_error *error = compare_chunk(p, chunk);
		if (error)
			return error;
	}
	return NULL;
}

static struct cudasim_error *add_finding(struct result *r, const struct finding *f)
{
	struct finding *more = realloc(r->findings, (r->n + 1) * sizeof *more);
	if (!more)
		return &cudasim_error_nomem;
	r->findings = more;
	more[r->n] = *f;
	more[r->n].name = text_copy(f->name);
	more[r->n].place = text_copy(f->place);
	r->n++;
	return NULL;
}

/* Index of side's changes of a memory; n_changes where there are none. */
static size_t changes_of(const struct side *side, uint32_t memory)
{
	size_t from = 0, to = side->n_changes;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (side->changes[middle].memory < memory)
			from = middle + 1;
		else
			to = middle;
	}
	return from < side->n_changes && side->changes[from].memory == memory ? from
									      : side->n_changes;
}

static struct cudasim_error *compare_matched(struct comparison *c, struct side *a, struct side *b,
					     uint32_t x, uint32_t y, struct result *r)
{
	struct finding f = {.memory = {x, y}};
	if (a->memories[x].size != b->memories[y].size) {
		free(r->message);
		r->message = text_format("variable %s has %" PRIu64
					 " bytes in the %s run and %" PRIu64 " in the %s run",
					 a->memories[x].name, a->memories[x].size, a->label,
					 b->memories[y].size, b->label);
		return NULL;
	}
	struct pair p = {c, {a, b}, &f};
	size_t from[2] = {changes_of(a, x), changes_of(b, y)};
	size_t n[2] = {run_of(a, from[0]), run_of(b, from[1])};
	struct cudasim_error *error = compare_memory(&p, from, n);
	return error || !f.n_chunks ? error : add_finding(r, &f);
}

/* All memories that changed in either; variables that one side does not have are another
 * compiler's business. */
static struct cudasim_error *compare_memories(struct comparison *c, struct side *a, struct side *b,
					      struct result *r)
{
	struct cudasim_error *error = NULL;
	for (size_t i = 0; !error && i < a->n_changes; i += run_of(a, i)) {
		uint32_t x = a->changes[i].memory, y = side_match(a, x, b);
		if (y != UINT32_MAX)
			error = compare_matched(c, a, b, x, y, r);
	}
	for (size_t i = 0; !error && i < b->n_changes; i += run_of(b, i)) {
		uint32_t y = b->changes[i].memory, x = side_match(b, y, a);
		if (x != UINT32_MAX && changes_of(a, x) == a->n_changes)
			error = compare_matched(c, a, b, x, y, r);
	}
	return error;
}

/* Counts the launch by what it has changed in a. */
static struct cudasim_error *count_data(struct comparison *c, struct side *a,
					const struct result *r)
{
	bool floating = false, other = false;
	for (size_t i = 0; i < a->n_changes; i += run_of(a, i)) {
		struct finding f = {.memory = {a->changes[i].memory, a->changes[i].memory}};
		struct side_memory *m = &a->memories[a->changes[i].memory];
		f.kind = m->kind;
		f.name = m->name;
		enum value_type type = type_of(&(struct pair){c, {a, a}, &f});
		if (!type && !m->guess) {
			struct cudasim_error *error = guess(a, &a->changes[i]);
			if (error)
				return error;
		}
		bool is_floating = value_is_floating(type ? type : m->guess);
		floating |= is_floating;
		other |= !is_floating;
	}
	enum data data = !floating ? DATA_OTHER : other ? DATA_BOTH : DATA_FLOATING;
	c->by_data[data].launches++;
	c->by_data[data].equal += r->verdict == VERDICT_EQUAL;
	return NULL;
}

/* ---- launches --------------------------------------------------------------------------- */

static char *geometry(const struct side_launch *l)
{
	return text_format("%s<<<(%u,%u,%u), (%u,%u,%u), %" PRIu64 ">>>", l->display, l->grid[0],
			   l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
			   l->shared);
}

/* How the runs no longer belong together; NULL where they do. */
static char *diverged(const struct side *a, const struct side *b)
{
	const struct side_launch *x = &a->launch, *y = &b->launch;
	if ((strcmp(x->kernel, y->kernel) && strcmp(x->display, y->display)) ||
	    memcmp(x->grid, y->grid, sizeof x->grid) ||
	    memcmp(x->block, y->block, sizeof x->block) || x->shared != y->shared) {
		char *here = geometry(x), *there = geometry(y);
		char *text = text_format("launch %" PRIu64
					 " is %s in the %s run and %s in the %s run",
					 x->index, here, a->label, there, b->label);
		free(here);
		free(there);
		return text;
	}
	if (x->stream != y->stream)
		return text_format("launch %" PRIu64 ", %s, is in stream %u in the %s run and in "
				   "stream %u in the %s run",
				   x->index, x->display, x->stream, a->label, y->stream, b->label);
	uint32_t n = a->n_allocations < b->n_allocations ? a->n_allocations : b->n_allocations;
	for (uint32_t i = 0; i < n; i++) {
		const struct side_memory *m = &a->memories[a->allocations[i]];
		const struct side_memory *k = &b->memories[b->allocations[i]];
		if (m->size != k->size || m->chunk != k->chunk || m->kind != k->kind)
			return text_format(
				"allocation %u is %" PRIu64 " bytes by %s in the %s run and "
				"%" PRIu64 " bytes by %s in the %s run",
				i, m->size, m->name, a->label, k->size, k->name, b->label);
	}
	if (a->n_allocations != b->n_allocations)
		return text_format(
			"before launch %" PRIu64 " there are %u allocations in the %s run "
			"and %u in the %s run",
			x->index, a->n_allocations, a->label, b->n_allocations, b->label);
	return NULL;
}

static enum verdict judge(const struct comparison *c, const struct result *r)
{
	enum verdict verdict = VERDICT_EQUAL;
	if (r->message)
		return VERDICT_DIFFERENT;
	for (size_t i = 0; i < r->n; i++) {
		const struct finding *f = &r->findings[i];
		/* What a file does not tell may be within the tolerance only where what it
		 * does tell is. */
		bool unseen = f->n_unseen && (!c->tolerance.is_given || !f->tally.n_different);
		if (f->tally.n_beyond || unseen)
			return VERDICT_DIFFERENT;
		verdict = VERDICT_WITHIN;
	}
	return verdict;
}

static void count(struct comparison *c, const struct result *r)
{
	bool integer = false;
	c->n_verdicts[r->verdict]++;
	for (size_t i = 0; i < r->n; i++) {
		const struct tally *t = &r->findings[i].tally;
		if (!value_is_floating(t->type)) {
			integer |= t->n_different;
			continue;
		}
		for (unsigned b = 0; b < VALUE_BUCKETS; b++)
			c->buckets[b] += t->buckets[b];
	}
	c->n_integer_launches += integer;
}

static void result_fini(struct result *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->findings[i].name);
		free(r->findings[i].place);
		free(r->findings[i].first.place);
		free(r->findings[i].worst.place);
	}
	free(r->findings);
	free(r->kernel);
	free(r->message);
}

static struct cudasim_error *keep(struct comparison *c, struct result *r)
{
	if (r->verdict == VERDICT_EQUAL || c->n_results == COMPARE_MAX_RESULTS) {
		c->n_untold += r->verdict != VERDICT_EQUAL;
		result_fini(r);
		return NULL;
	}
	struct result *more = realloc(c->results, (c->n_results + 1) * sizeof *more);
	if (!more) {
		result_fini(r);
		return &cudasim_error_nomem;
	}
	c->results = more;
	more[c->n_results++] = *r;
	return NULL;
}

struct cudasim_error *compare_launches(struct comparison *c, struct side *a, struct side *b)
{
	const struct side_launch *x = &a->launch, *y = &b->launch;
	c->divergence = diverged(a, b);
	if (c->divergence)
		return NULL;
	struct result r = {.launch = x->index, .kernel = geometry(x)};
	struct cudasim_error *error = NULL;
	c->n_launches++;
	if (x->error != y->error)
		r.message =
			text_format("ended with CUDA error %d in the %s run and %d in the %s run",
				    x->error, a->label, y->error, b->label);
	else if (x->watched != y->watched && !x->error)
		error = cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"launch %" PRIu64
			" is recorded in one run only: give --kernel as it was given "
			"when the recording was made",
			x->index);
	else if (!x->watched && !x->error)
		c->n_unwatched++;
	else
		error = compare_memories(c, a, b, &r);
	if (error) {
		result_fini(&r);
		return error;
	}
	r.verdict = judge(c, &r);
	count(c, &r);
	if (x->watched && !x->error)
		error = count_data(c, a, &r);
	if (error) {
		result_fini(&r);
		return error;
	}
	return keep(c, &r);
}

void comparison_fini(struct comparison *c)
{
	for (size_t i = 0; i < c->n_results; i++)
		result_fini(&c->results[i]);
	free(c->results);
	free(c->rules);
	free(c->divergence);
}
