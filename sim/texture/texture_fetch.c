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
	complain(handle, what, "does not have the shape that the call needs", site);
}

static void die_of_handle(uint64_t handle, const char *what, const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	struct fault fault = {
		.kind = CUDASIM_FAULT_ADDRESS,
		.error = ERROR_ILLEGAL_ADDRESS,
		.site = site,
	};
	snprintf(fault.what, sizeof fault.what,
		 "0x%llx is not a %s object: an illegal memory access was encountered",
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
	enum {
		GLOBAL = 1u << CUDASIM_ACCESS_SPACE_SHIFT,
		SCOPE = (uint32_t)CUDASIM_SCOPE_DEVICE << CUDASIM_ACCESS_SCOPE_SHIFT
	};
	if (who->thread)
		__cudasim_on_access(at, size,
				    (store ? CUDASIM_ACCESS_STORE : CUDASIM_ACCESS_LOAD) | GLOBAL |
					    SCOPE,
				    who->site);
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

/* The texels that a fetch makes its answer of, from one level or from two. */
struct cell {
	const unsigned char *at[16];
	uint32_t weights[16];
	unsigned n;     /* a multiple of four */
	uint32_t whole; /* the weights of the level to come, in 256ths */
};

static const unsigned char *texel_at(const struct plane *p, int32_t x, int32_t y, int32_t z)
{
	return x < 0 || y < 0 || z < 0 ? p->t->border : address(p, x, y, z);
}

/* A linear filter's. */
static void cell_add(const struct plane *p, struct axis x, struct axis y, struct axis z,
		     bool volume, struct cell *cell)
{
	const unsigned char **at = cell->at + cell->n;
	uint32_t weights[8];
	filter_weights(cell->whole, x.weight, y.weight, z.weight, weights);
	for (unsigned k = 0; k < (volume ? 8 : 4); k++) {
		cell->weights[cell->n++] = weights[k];
		at[k] = p->t->border;
		if (weights[k])
			at[k] = texel_at(p, x.index[k & 1], y.index[k >> 1 & 1], z.index[k >> 2]);
	}
}

/* A single one. */
static void cell_add_one(const struct texture *t, const unsigned char *at, struct cell *cell)
{
	for (unsigned k = 0; k < 4; k++) {
		cell->weights[cell->n] = k ? 0 : cell->whole;
		cell->at[cell->n++] = k ? t->border : at;
	}
}

static struct texel cell_filter(const struct texture *t, const struct cell *cell)
{
	const struct texel_format *f = &t->format;
	struct texel ret = {{0}}, texels[16];
	uint32_t values[16];
	int32_t numbers[16];
	for (unsigned k = 0; k < cell->n; k++)
		texels[k] = texel_read(f, cell->at[k]);
	for (unsigned c = 0; c < f->n_channels; c++) {
		enum channel_way way = texel_way(f, c);
		for (unsigned k = 0; k < cell->n; k++)
			values[k] = texels[k].v[c];
		if (way == WAY_FLOAT || way == WAY_HALF || way == WAY_SRGB) {
			ret.v[c] = filter_floats(values, cell->weights, cell->n, way);
			continue;
		}
		for (unsigned k = 0; k < cell->n; k++)
			numbers[k] = texel_number(f, cell->at[k], c);
		ret.v[c] = filter_numbers(numbers, cell->weights, cell->n, way);
	}
	return ret;
}

/* ---- shapes ----------------------------------------------------------------------- */

static struct axis along(const struct texture *t, unsigned k, float x, uint32_t size)
{
	return (t->linear ? axis_linear : axis_point)(x, size, t->normalized_coords, t->address[k]);
}

static const struct axis first_texel = {{0, 0}, 0};

static void take_flat(const struct plane *p, const struct cudasim_fetch *how, unsigned shape,
		      bool layered, struct cell *cell)
{
	const struct texture *t = p->t;
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
	if (t->linear)
		cell_add(p, x, y, z, volume, cell);
	else
		cell_add_one(t, texel_at(p, x.index[0], y.index[0], z.index[0]), cell);
}

/* The texel at x, y of a cube's face, or beyond one of its edges; at a corner, where
 * three faces meet, one is missing: NULL. */
static const unsigned char *cube_texel(const struct plane *p, unsigned face, int32_t x, int32_t y)
{
	if (!cube_neighbour(&face, &x, &y, (int32_t)p->level->width))
		return NULL;
	return address(p, x, y, (int32_t)face);
}

static int32_t within(double x, uint32_t size)
{
	int32_t i = (int32_t)floor(x * size);
	return (uint32_t)i < size ? i : (int32_t)size - 1;
}

/* Texels beyond a face's edges are its neighbours'. */
static void take_seamless(const struct plane *p, const struct cube_place *at, struct cell *cell)
{
	uint32_t size = p->level->width, weights[8];
	const unsigned char *texels[4], *some = NULL;
	int32_t x = (int32_t)floor(at->x * size * 256 + 0.5) - 128;
	int32_t y = (int32_t)floor(at->y * size * 256 + 0.5) - 128;
	filter_weights(cell->whole, (uint32_t)x & 255, (uint32_t)y & 255, 0, weights);
	for (unsigned k = 0; k < 4; k++) {
		texels[k] = cube_texel(p, at->face, (x >> 8) + (int32_t)(k & 1),
				       (y >> 8) + (int32_t)(k >> 1));
		some = texels[k] ? texels[k] : some;
	}
	for (unsigned k = 0; k < 4; k++) {
		cell->weights[cell->n] = weights[k];
		cell->at[cell->n++] = texels[k] ? texels[k] : some;
	}
}

static void take_cube(const struct plane *p, const struct cudasim_fetch *how, struct cell *cell)
{
	struct cube_place at = cube_place(how->x, how->y, how->z);
	uint32_t size = p->level->width;
	struct axis face = {{(int32_t)at.face, (int32_t)at.face}, 0};
	if (!p->t->linear)
		cell_add_one(p->t,
			     address(p, within(at.x, size), within(at.y, size), (int32_t)at.face),
			     cell);
	else if (p->t->seamless)
		take_seamless(p, &at, cell);
	else
		cell_add(p, axis_linear((float)at.x, size, true, cudaAddressModeClamp),
			 axis_linear((float)at.y, size, true, cudaAddressModeClamp), face, false,
			 cell);
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
		struct texel one = texel_read(&t->format,
					      i < 0 || j < 0 ? t->border : address(p, i, j, 0));
		ret.v[k] = one.v[how->component & 3];
	}
	return ret;
}

/* ---- levels ----------------------------------------------------------------------- */

static bool fits(const struct texture *t, unsigned shape)
{
	switch (shape) {
	case CUDASIM_FETCH_INDEX:
		return t->shape == SHAPE_LINEAR;
	case CUDASIM_FETCH_3D:
		return t->shape == SHAPE_VOLUME;
	case CUDASIM_FETCH_CUBE:
		return t->shape == SHAPE_CUBE;
	default:
		return t->shape == SHAPE_FLAT;
	}
}

static uint32_t layer_of(const struct texture *t, int32_t layer)
{
	/* A negative layer is a large one. */
	uint32_t last = t->n_layers - 1, n = (uint32_t)layer > last ? last : (uint32_t)layer;
	return t->shape == SHAPE_CUBE ? 6 * n : n;
}

static struct plane plane_of(const struct texture *t, unsigned level, unsigned op,
			     const struct cudasim_fetch *how, const struct fetcher *who)
{
	return (struct plane){
		t,
		&t->levels[level],
		op & CUDASIM_FETCH_LAYERED ? layer_of(t, how->layer) : 0,
		who,
	};
}

static void take_level(const struct texture *t, unsigned level, uint32_t whole, unsigned op,
		       const struct cudasim_fetch *how, const struct fetcher *who,
		       struct cell *cell)
{
	struct plane p = plane_of(t, level, op, how, who);
	unsigned shape = op & CUDASIM_FETCH_SHAPE;
	cell->whole = whole;
	if (shape == CUDASIM_FETCH_CUBE)
		take_cube(&p, how, cell);
	else
		take_flat(&p, how, shape, op & CUDASIM_FETCH_LAYERED, cell);
}

/* In 256ths, from derivatives in texels of level 0. */
static int32_t gradient_lod(const struct texture *t, unsigned op, const struct cudasim_fetch *how)
{
	const struct texture_level *l = &t->levels[0];
	const uint32_t sizes[3] = {l->width, l->height, l->depth};
	unsigned shape = op & CUDASIM_FETCH_SHAPE;
	unsigned n = shape == CUDASIM_FETCH_1D ? 1 : shape == CUDASIM_FETCH_2D ? 2 : 3;
	float dx[3] = {0}, dy[3] = {0};
	for (unsigned k = 0; k < n; k++) {
		float scale = !t->normalized_coords         ? 1
			      : shape == CUDASIM_FETCH_CUBE ? (float)l->width / 2
							    : (float)sizes[k];
		dx[k] = how->dx[k] * scale;
		dy[k] = how->dy[k] * scale;
	}
	return lod_of_gradients(dx, dy);
}

/* The level of detail in 256ths, within the texture's bounds. */
static uint32_t lod256(const struct texture *t, int32_t lod)
{
	int32_t l = lod + t->bias;
	l = l < t->min_lod ? t->min_lod : l > t->max_lod ? t->max_lod : l;
	return l < 0 ? 0 : (uint32_t)l;
}

/* Device code has no derivatives of its own: plain fetches read the finest level. */
static void take(const struct texture *t, unsigned op, const struct cudasim_fetch *how,
		 const struct fetcher *who, struct cell *cell)
{
	if (t->n_levels == 1 || !(op & (CUDASIM_FETCH_LOD | CUDASIM_FETCH_GRADIENT))) {
		take_level(t, 0, 256, op, how, who, cell);
		return;
	}
	uint32_t last = 256 * (t->n_levels - 1);
	uint32_t l = lod256(t, op & CUDASIM_FETCH_LOD ? lod_fixed(how->lod)
						      : gradient_lod(t, op, how));
	l = t->mip_linear ? l : (l + 128) & ~255u;
	l = l > last ? last : l;
	take_level(t, l >> 8, 256 - (l & 255), op, how, who, cell);
	if (l & 255)
		take_level(t, (l >> 8) + 1, l & 255, op, how, who, cell);
}

static struct texel fetch(const struct texture *t, unsigned op, const struct cudasim_fetch *how,
			  const struct fetcher *who)
{
	struct plane p = plane_of(t, 0, op, how, who);
	if ((op & CUDASIM_FETCH_SHAPE) == CUDASIM_FETCH_INDEX)
		return fetch_index(&p, how->index);
	if (op & CUDASIM_FETCH_GATHER)
		return gather(&p, how);
	struct cell cell;
	cell.n = 0;
	take(t, op, how, who, &cell);
	/* What is not filtered stays as it is, NaN and integers, too. */
	return cell.n == 4 && !t->linear ? texel_read(&t->format, cell.at[0])
					 : cell_filter(t, &cell);
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
