/* SPDX-License-Identifier: Apache-2.0 */
/* texture_fetch.c - what device code calls for a texture fetch. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dispatch.h"
#include "log.h"
#include "texture.h"
#include "texture_table.h"

/* ---- objects ---------------------------------------------------------------------- */

/* Once per place, and for no more places than this. */
enum { MAX_COMPLAINTS = 64 };

static void complain(uint64_t handle, const char *what, const char *why,
		     const struct cudasim_site *site)
{
	static const struct cudasim_site *seen[MAX_COMPLAINTS];
	for (unsigned i = 0; i < MAX_COMPLAINTS; i++) {
		const struct cudasim_site *none = NULL;
		if (seen[i] == site)
			return;
		if (!seen[i] && __atomic_compare_exchange_n(&seen[i], &none, site, false,
							    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			log_line("%s:%u: %s object %llu %s: it reads as zeros, and writes are lost",
				 site->file, site->line, what, (unsigned long long)handle, why);
			return;
		}
	}
}

void texture_mismatch(uint64_t handle, const char *what, const struct cudasim_site *site)
{
	complain(handle, what, "has another shape than the call wants", site);
}

static void die_of_handle(uint64_t handle, const char *what, const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	struct fault fault = {
		.kind = CUDASIM_FAULT_ADDRESS, .error = ERROR_ILLEGAL_ADDRESS, .site = site,
	};
	snprintf(fault.what, sizeof fault.what,
		 "0x%llx is no %s object: an illegal memory access was encountered",
		 (unsigned long long)handle, what);
	t->pub.site = site;
	dispatch_die(t, &fault);
}

const struct texture *texture_open(uint64_t handle, const char *what,
				   const struct cudasim_site *site)
{
	const struct texture *t = texture_find(handle);
	if (__builtin_expect(t != NULL, 1))
		return t;
	if (handle >= MAX_OBJECTS)
		die_of_handle(handle, what, site);
	complain(handle, what, "does not exist", site);
	return NULL;
}

void texture_access(const struct fetcher *who, const void *at, unsigned size, bool store)
{
	enum { GLOBAL = 1u << CUDASIM_ACCESS_SPACE_SHIFT,
	       SCOPE = (uint32_t)CUDASIM_SCOPE_DEVICE << CUDASIM_ACCESS_SCOPE_SHIFT };
	if (who->thread)
		__cudasim_on_access(at, size, (store ? CUDASIM_ACCESS_STORE : CUDASIM_ACCESS_LOAD) |
						      GLOBAL | SCOPE, who->site);
}

/* ---- texels ----------------------------------------------------------------------- */

/* One level of one layer or face. */
struct plane {
	const struct texture *t;
	const struct texture_level *level;
	uint32_t slice; /* the first: layer or face */
	const struct fetcher *who;
};

static const unsigned char *address(const struct plane *p, int32_t x, int32_t y, int32_t z)
{
	const unsigned char *at = p->level->base + (p->slice + (uint32_t)z) * p->level->slice +
				  (uint32_t)y * p->level->pitch + (uint32_t)x * p->t->format.bytes;
	texture_access(p->who, at, p->t->format.bytes, false);
	return at;
}

/* The eight (four, without z) texels of a linear filter. */
struct cell {
	const unsigned char *at[8];
	uint32_t weights[8];
	unsigned n;
};

static void cell_fill(const struct plane *p, struct axis x, struct axis y, struct axis z,
		      bool volume, struct cell *cell)
{
	filter_weights(x.weight, y.weight, z.weight, cell->weights);
	cell->n = volume ? 8 : 4;
	for (unsigned k = 0; k < cell->n; k++) {
		int32_t i = x.index[k & 1], j = y.index[k >> 1 & 1], l = z.index[k >> 2];
		cell->at[k] = p->t->border;
		if (i >= 0 && j >= 0 && l >= 0 && cell->weights[k])
			cell->at[k] = address(p, i, j, l);
	}
}

static uint32_t cell_channel(const struct texel_format *f, const struct cell *cell, unsigned c)
{
	enum channel_way way = texel_way(f, c);
	if (way == WAY_FLOAT || way == WAY_HALF) {
		uint32_t values[8];
		for (unsigned k = 0; k < cell->n; k++)
			values[k] = texel_read(f, cell->at[k]).v[c];
		return filter_floats(values, cell->weights, cell->n, way == WAY_HALF);
	}
	int32_t numbers[8];
	for (unsigned k = 0; k < cell->n; k++)
		numbers[k] = texel_number(f, cell->at[k], c);
	return filter_numbers(numbers, cell->weights, cell->n, way);
}

static struct texel cell_filter(const struct texture *t, const struct cell *cell)
{
	struct texel ret = {{0}};
	for (unsigned c = 0; c < t->format.n_channels; c++)
		ret.v[c] = cell_channel(&t->format, cell, c);
	return ret;
}

/* ---- shapes ----------------------------------------------------------------------- */

static struct axis along(const struct texture *t, unsigned k, float x, uint32_t size)
{
	return (t->linear ? axis_linear : axis_point)(x, size, t->normalized_coords, t->address[k]);
}

static const struct axis first_texel = {{0, 0}, 0};

static struct texel read_one(const struct plane *p, struct axis x, struct axis y, struct axis z)
{
	if (x.index[0] < 0 || y.index[0] < 0 || z.index[0] < 0)
		return texel_read(&p->t->format, p->t->border);
	return texel_read(&p->t->format, address(p, x.index[0], y.index[0], z.index[0]));
}

static struct texel fetch_flat(const struct plane *p, const struct cudasim_fetch *how,
			       unsigned shape, bool layered)
{
	const struct texture *t = p->t;
	struct cell cell;
	bool volume = shape == CUDASIM_FETCH_3D;
	struct axis x = along(t, 0, how->x, p->level->width), y = first_texel, z = first_texel;
	/* One dimension without layers is two with y = 0: with a border, half of a linear
	 * filter's weight is outside. */
	if (shape != CUDASIM_FETCH_1D)
		y = along(t, 1, how->y, p->level->height);
	else if (!layered)
		y = along(t, 1, 0, p->level->height);
	if (volume)
		z = along(t, 2, how->z, p->level->depth);
	if (!t->linear)
		return read_one(p, x, y, z);
	cell_fill(p, x, y, z, volume, &cell);
	return cell_filter(t, &cell);
}

/* The texel at x, y of a cube's face, or beyond one of its edges; at a corner, where
 * three faces meet, one is missing: NULL. */
static const unsigned char *cube_texel(const struct plane *p, unsigned face, int32_t x, int32_t y)
{
	if (!cube_neighbour(&face, &x, &y, (int32_t)p->level->width))
		return NULL;
	return address(p, x, y, (int32_t)face);
}

static struct texel fetch_cube(const struct plane *p, const struct cudasim_fetch *how)
{
	const struct texture *t = p->t;
	struct cube_place at = cube_place(how->x, how->y, how->z);
	uint32_t size = p->level->width;
	if (!t->linear) {
		int32_t x = (int32_t)floor(at.x * size), y = (int32_t)floor(at.y * size);
		x = (uint32_t)x < size ? x : (int32_t)size - 1;
		y = (uint32_t)y < size ? y : (int32_t)size - 1;
		return texel_read(&t->format, address(p, x, y, (int32_t)at.face));
	}
	int32_t fx = (int32_t)floor(at.x * size * 256 + 0.5) - 128;
	int32_t fy = (int32_t)floor(at.y * size * 256 + 0.5) - 128;
	struct cell cell = {.n = 4};
	filter_weights((uint32_t)fx & 255, (uint32_t)fy & 255, 0, cell.weights);
	const unsigned char *some = NULL;
	for (unsigned k = 0; k < 4; k++) {
		cell.at[k] = cube_texel(p, at.face, (fx >> 8) + (int32_t)(k & 1),
					(fy >> 8) + (int32_t)(k >> 1));
		some = cell.at[k] ? cell.at[k] : some;
	}
	for (unsigned k = 0; k < 4; k++)
		cell.at[k] = cell.at[k] ? cell.at[k] : some;
	return cell_filter(t, &cell);
}

static struct texel fetch_index(const struct plane *p, int32_t index)
{
	if (index < 0 || (uint32_t)index >= p->level->width)
		return (struct texel){{0}};
	return texel_read(&p->t->format, address(p, index, 0, 0));
}

/* The four texels that a linear filter would take, counter-clockwise from lower left. */
static struct texel gather(const struct plane *p, const struct cudasim_fetch *how)
{
	static const unsigned order[4] = {2, 3, 1, 0};
	const struct texture *t = p->t;
	struct axis x = axis_linear(how->x, p->level->width, t->normalized_coords, t->address[0]);
	struct axis y = axis_linear(how->y, p->level->height, t->normalized_coords, t->address[1]);
	struct texel ret = {{0}};
	for (unsigned k = 0; k < 4; k++) {
		int32_t i = x.index[order[k] & 1], j = y.index[order[k] >> 1];
		struct texel one = texel_read(&t->format, i < 0 || j < 0 ? t->border
								     : address(p, i, j, 0));
		ret.v[k] = one.v[how->component & 3];
	}
	return ret;
}

/* ---- levels ----------------------------------------------------------------------- */

static bool fits(const struct texture *t, unsigned shape)
{
	switch (shape) {
	case CUDASIM_FETCH_INDEX: return t->shape == SHAPE_LINEAR;
	case CUDASIM_FETCH_3D: return t->shape == SHAPE_VOLUME;
	case CUDASIM_FETCH_CUBE: return t->shape == SHAPE_CUBE;
	default: return t->shape == SHAPE_FLAT;
	}
}

static uint32_t layer_of(const struct texture *t, int32_t layer)
{
	/* A negative layer is a large one. */
	uint32_t last = t->n_layers - 1, n = (uint32_t)layer > last ? last : (uint32_t)layer;
	return t->shape == SHAPE_CUBE ? 6 * n : n;
}

static struct texel fetch_level(const struct texture *t, unsigned level, unsigned op,
				const struct cudasim_fetch *how, const struct fetcher *who)
{
	struct plane p = {t, &t->levels[level], op & CUDASIM_FETCH_LAYERED ? layer_of(t, how->layer) : 0,
			  who};
	unsigned shape = op & CUDASIM_FETCH_SHAPE;
	if (shape == CUDASIM_FETCH_INDEX)
		return fetch_index(&p, how->index);
	if (op & CUDASIM_FETCH_GATHER)
		return gather(&p, how);
	if (shape == CUDASIM_FETCH_CUBE)
		return fetch_cube(&p, how);
	return fetch_flat(&p, how, shape, op & CUDASIM_FETCH_LAYERED);
}

/* Derivatives in texels of level 0. */
static float gradient_lod(const struct texture *t, unsigned op, const struct cudasim_fetch *how)
{
	const struct texture_level *l = &t->levels[0];
	const uint32_t sizes[3] = {l->width, l->height, l->depth};
	unsigned shape = op & CUDASIM_FETCH_SHAPE;
	unsigned n = shape == CUDASIM_FETCH_1D ? 1 : shape == CUDASIM_FETCH_2D ? 2 : 3;
	float dx[3], dy[3];
	for (unsigned k = 0; k < n; k++) {
		float scale = shape == CUDASIM_FETCH_CUBE ? (float)l->width / 2 : (float)sizes[k];
		dx[k] = how->dx[k] * scale;
		dy[k] = how->dy[k] * scale;
	}
	return lod_of_gradients(dx, dy, n);
}

/* The level of detail in 256ths, within the texture's bounds. */
static int32_t lod256(const struct texture *t, float lod)
{
	lod += t->bias;
	lod = isnan(lod) ? 0 : lod;
	lod = lod < t->min_lod ? t->min_lod : lod > t->max_lod ? t->max_lod : lod;
	lod = lod < 0 ? 0 : lod > MAX_LEVELS ? MAX_LEVELS : lod;
	return (int32_t)floor((double)lod * 256);
}

static struct texel blend(struct texel a, struct texel b, uint32_t weight, unsigned n_channels)
{
	const uint32_t weights[4] = {256 - weight, weight, 0, 0};
	struct texel ret = {{0}};
	for (unsigned c = 0; c < n_channels; c++) {
		const uint32_t values[4] = {a.v[c], b.v[c], 0, 0};
		ret.v[c] = filter_floats(values, weights, 4, false);
	}
	return ret;
}

static struct texel fetch(const struct texture *t, unsigned op, const struct cudasim_fetch *how,
			  const struct fetcher *who)
{
	/* Device code has no derivatives of its own: plain fetches read the finest level. */
	if (t->n_levels == 1 || !(op & (CUDASIM_FETCH_LOD | CUDASIM_FETCH_GRADIENT)))
		return fetch_level(t, 0, op, how, who);
	float lod = op & CUDASIM_FETCH_LOD ? how->lod : gradient_lod(t, op, how);
	int32_t l = lod256(t, lod);
	unsigned last = t->n_levels - 1;
	if (!t->mip_linear) {
		unsigned level = (unsigned)(l + 128) >> 8;
		return fetch_level(t, level > last ? last : level, op, how, who);
	}
	unsigned level = (unsigned)l >> 8, weight = (unsigned)l & 255;
	if (level >= last)
		return fetch_level(t, last, op, how, who);
	struct texel a = fetch_level(t, level, op, how, who);
	return weight ? blend(a, fetch_level(t, level + 1, op, how, who), weight,
			      t->format.n_channels) : a;
}

void __cudasim_texture(uint32_t op, uint64_t object, const struct cudasim_fetch *how, void *ret,
		       const struct cudasim_site *site)
{
	struct cudasim_thread *self = __cudasim_self;
	struct fetcher who = {self->want & CUDASIM_WANT_ACCESS ? self : NULL, site};
	struct texel texel = {{0}};
	self->site = site;
	const struct texture *t = texture_open(object, "texture", site);
	if (t && !fits(t, op & CUDASIM_FETCH_SHAPE))
		texture_mismatch(object, "texture", site);
	else if (t)
		texel = fetch(t, op, how, &who);
	memcpy(ret, &texel, sizeof texel);
}
