/* SPDX-License-Identifier: Apache-2.0 */
/* coordinates.c - which device, kernel, block, thread a command names. */
#include "coordinates.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "text.h"

static const struct {
	const char *name;
	bool is_index; /* x, y, z */
} coordinates[N_COORDINATES] = {
	[COORDINATE_DEVICE] = {"device", false},  [COORDINATE_SM] = {"sm", false},
	[COORDINATE_WARP] = {"warp", false},      [COORDINATE_LANE] = {"lane", false},
	[COORDINATE_KERNEL] = {"kernel", false},  [COORDINATE_GRID] = {"grid", false},
	[COORDINATE_CLUSTER] = {"cluster", true}, [COORDINATE_BLOCK] = {"block", true},
	[COORDINATE_THREAD] = {"thread", true},   [COORDINATE_CLUSTER_DIM] = {"clusterDim", true},
};

/* ---- values of a thread ------------------------------------------------------------ */

static void cluster_of(const struct cudasim_block *block, uint64_t ret[3])
{
	for (int i = 0; i < 3; i++)
		ret[i] = block->ctaid[i] /
			 (block->cluster_nctaid[i] ? block->cluster_nctaid[i] : 1);
}

static void value_of(const struct cudasim_thread *thread, enum coordinate c, uint64_t ret[3])
{
	const struct cudasim_block *block = thread->block;
	ret[0] = ret[1] = ret[2] = 0;
	switch (c) {
	case COORDINATE_DEVICE:
		ret[0] = block->launch->device;
		break;
	case COORDINATE_SM:
		ret[0] = block->smid;
		break;
	case COORDINATE_WARP:
		ret[0] = thread->warp;
		break;
	case COORDINATE_LANE:
		ret[0] = thread->lane;
		break;
	case COORDINATE_KERNEL:
		ret[0] = focus_kernel_number(block->launch);
		break;
	case COORDINATE_GRID:
		ret[0] = block->launch->gridid;
		break;
	case COORDINATE_CLUSTER:
		cluster_of(block, ret);
		break;
	case COORDINATE_CLUSTER_DIM:
		for (int i = 0; i < 3; i++)
			ret[i] = block->cluster_nctaid[i];
		break;
	case COORDINATE_BLOCK:
		for (int i = 0; i < 3; i++)
			ret[i] = block->ctaid[i];
		break;
	case COORDINATE_THREAD:
		for (int i = 0; i < 3; i++)
			ret[i] = thread->tid[i];
		break;
	case N_COORDINATES:
		break;
	}
}

/* ---- reading --------------------------------------------------------------------------- */

static struct cudasim_error *bad_value(enum coordinate c, const char *text)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
				 "Invalid coordinates: %s %s is neither a number nor an index "
				 "(x,y,z).",
				 coordinates[c].name, text);
}

static bool find_name(const char *word, enum coordinate *ret)
{
	for (unsigned c = 0; c < N_COORDINATES; c++) {
		if (strcmp(word, coordinates[c].name))
			continue;
		*ret = (enum coordinate)c;
		return true;
	}
	return false;
}

static bool is_value(const char *text)
{
	return isdigit((unsigned char)*text) || strchr("(+-*", *text) || !strncmp(text, "all", 3) ||
	       !strncmp(text, "current", 7);
}

/* One number; relative ones count from what the focus has there. */
static bool read_number(const char **text, enum coordinate c, int axis, uint64_t *ret)
{
	const char *at = *text;
	char sign = *at == '+' || *at == '-' ? *at++ : 0;
	char *end;
	uint64_t base[3] = {0};
	if (!isdigit((unsigned char)*at))
		return false;
	uint64_t number = strtoull(at, &end, 0);
	if (sign && focus_get()->is_device)
		value_of(focus_get()->thread, c, base);
	*ret = sign == '+' ? base[axis] + number : sign == '-' ? base[axis] - number : number;
	*text = end;
	return true;
}

static bool read_keyword(const char **text, const char *word)
{
	size_t n = strlen(word);
	if (strncmp(*text, word, n) || isalnum((unsigned char)(*text)[n]))
		return false;
	*text += n;
	return true;
}

static struct cudasim_error *read_value(const char **text, enum coordinate c,
					struct coordinates *ret)
{
	const char *at = *text;
	int axis = 0;
	ret->has_value[c] = true;
	if (read_keyword(&at, "all") || *at == '*') {
		at += *at == '*';
		ret->any[c] = true;
		*text = at;
		return NULL;
	}
	if (read_keyword(&at, "current")) {
		if (focus_get()->is_device)
			value_of(focus_get()->thread, c, ret->value[c]);
		*text = at;
		return NULL;
	}
	bool bracket = *at == '(';
	if (bracket)
		at = text_skip(at + 1);
	for (;;) {
		if (!read_number(&at, c, axis, &ret->value[c][axis]))
			return bad_value(c, *text);
		at = text_skip(at);
		if (*at != ',' || ++axis == 3 || !coordinates[c].is_index)
			break;
		at = text_skip(at + 1);
	}
	if (bracket && *at++ != ')')
		return bad_value(c, *text);
	if (*at && !isspace((unsigned char)*at) && !isalpha((unsigned char)*at))
		return bad_value(c, *text);
	*text = at;
	return NULL;
}

struct cudasim_error *coordinates_parse(const char *text, const char *command,
					struct coordinates *ret)
{
	memset(ret, 0, sizeof *ret);
	for (text = text_skip(text); *text; text = text_skip(text)) {
		char word[32];
		size_t n = 0;
		enum coordinate c;
		while (isalpha((unsigned char)text[n]))
			n++;
		if (!n)
			n = strcspn(text, " \t");
		snprintf(word, sizeof word, "%.*s", (int)n, text);
		if (!find_name(word, &c))
			return cudasim_error_new(
				CUDASIM_E_ARGUMENT,
				"Undefined %s command: \"%.*s\".  Try \"help %s\".", command,
				(int)n, text, command);
		text = text_skip(text + n);
		if (!ret->is_named[c])
			ret->names[ret->n++] = c;
		ret->is_named[c] = true;
		if (!*text || !is_value(text))
			continue;
		if (c == COORDINATE_CLUSTER_DIM)
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "clusterDim cannot be selected.");
		struct cudasim_error *error = read_value(&text, c, ret);
		if (error)
			return error;
	}
	return NULL;
}

/* ---- matching ---------------------------------------------------------------------------- */

static bool matches(const struct coordinates *c, enum coordinate name, const uint64_t value[3])
{
	return !c->has_value[name] || c->any[name] ||
	       !memcmp(c->value[name], value, 3 * sizeof value[0]);
}

bool coordinates_match_launch(const struct coordinates *c, const struct cudasim_launch *launch)
{
	return matches(c, COORDINATE_DEVICE, (uint64_t[3]){launch->device}) &&
	       matches(c, COORDINATE_GRID, (uint64_t[3]){launch->gridid}) &&
	       matches(c, COORDINATE_KERNEL, (uint64_t[3]){focus_kernel_number(launch)});
}

bool coordinates_match_block(const struct coordinates *c, const struct cudasim_block *block)
{
	uint64_t cluster[3];
	cluster_of(block, cluster);
	return coordinates_match_launch(c, block->launch) &&
	       matches(c, COORDINATE_SM, (uint64_t[3]){block->smid}) &&
	       matches(c, COORDINATE_CLUSTER, cluster) &&
	       matches(c, COORDINATE_BLOCK,
		       (uint64_t[3]){block->ctaid[0], block->ctaid[1], block->ctaid[2]});
}

bool coordinates_match_thread(const struct coordinates *c, const struct cudasim_thread *thread)
{
	const uint32_t *t = thread->tid;
	return coordinates_match_block(c, thread->block) &&
	       matches(c, COORDINATE_WARP, (uint64_t[3]){thread->warp}) &&
	       matches(c, COORDINATE_LANE, (uint64_t[3]){thread->lane}) &&
	       matches(c, COORDINATE_THREAD, (uint64_t[3]){t[0], t[1], t[2]});
}

void coordinates_default(struct coordinates *c, enum coordinate name)
{
	if (c->has_value[name] || !focus_get()->is_device)
		return;
	c->has_value[name] = true;
	value_of(focus_get()->thread, name, c->value[name]);
}

/* ---- going through what is in flight ------------------------------------------------------ */

enum { MOST_LAUNCHES = 64 };

static size_t blocks_of(struct cudasim_launch *launch, const struct coordinates *c,
			struct cudasim_block ***blocks, size_t n)
{
	size_t more = cudasim_blocks(launch, NULL, 0);
	struct cudasim_block **grown = realloc(*blocks, (n + more + 1) * sizeof **blocks);
	if (!grown)
		return n;
	*blocks = grown;
	size_t got = cudasim_blocks(launch, grown + n, more), kept = n;
	for (size_t i = 0; i < got && i < more; i++)
		if (coordinates_match_block(c, grown[n + i]))
			grown[kept++] = grown[n + i];
	return kept;
}

size_t coordinates_blocks(const struct coordinates *c, struct cudasim_block ***ret)
{
	struct cudasim_launch *launches[MOST_LAUNCHES];
	size_t n = cudasim_launches(launches, MOST_LAUNCHES), n_blocks = 0;
	*ret = NULL;
	for (size_t i = 0; i < n && i < MOST_LAUNCHES; i++)
		if (coordinates_match_launch(c, launches[i]))
			n_blocks = blocks_of(launches[i], c, ret, n_blocks);
	return n_blocks;
}

void coordinates_each_thread(const struct coordinates *c,
			     bool (*f)(void *user, struct cudasim_thread *thread), void *user)
{
	struct cudasim_block **blocks;
	size_t n = coordinates_blocks(c, &blocks);
	for (size_t i = 0; i < n; i++) {
		uint32_t n_threads = cudasim_block_size(blocks[i]);
		for (uint32_t t = 0; t < n_threads; t++) {
			struct cudasim_thread *thread = cudasim_block_thread(blocks[i], t);
			if (!coordinates_match_thread(c, thread) || !focus_can_see(thread))
				continue;
			if (!f(user, thread)) {
				free(blocks);
				return;
			}
		}
	}
	free(blocks);
}

struct nearest {
	struct cudasim_thread *thread;
	unsigned score;
};

static unsigned nearness(const struct focus *focus, const struct cudasim_thread *thread)
{
	const struct cudasim_block *block = thread->block;
	if (!focus->is_device)
		return 0;
	return (unsigned)(block->launch == focus->launch) << 4 |
	       (unsigned)(block == focus->block) << 3 |
	       (unsigned)!memcmp(thread->tid, focus->thread_index, sizeof thread->tid) << 2 |
	       (unsigned)(thread->warp == focus->thread->warp) << 1 |
	       (unsigned)(thread->lane == focus->thread->lane);
}

static bool consider(void *user, struct cudasim_thread *thread)
{
	struct nearest *nearest = user;
	unsigned score = nearness(focus_get(), thread);
	if (!nearest->thread || score > nearest->score)
		*nearest = (struct nearest){thread, score};
	return true;
}

struct cudasim_thread *coordinates_find(const struct coordinates *c)
{
	struct nearest nearest = {NULL, 0};
	coordinates_each_thread(c, consider, &nearest);
	return nearest.thread;
}

/* ---- printing -------------------------------------------------------------------------------- */

void coordinates_print(FILE *out, const struct coordinates *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		enum coordinate name = c->names[i];
		uint64_t v[3];
		value_of(focus_get()->thread, name, v);
		fprintf(out, "%s%s ", i ? ", " : "",
			name == COORDINATE_CLUSTER_DIM ? "cluster dim" : coordinates[name].name);
		if (coordinates[name].is_index)
			fprintf(out, "(%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", v[0], v[1], v[2]);
		else
			fprintf(out, "%" PRIu64, v[0]);
	}
	fputc('\n', out);
}
