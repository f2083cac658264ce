/* SPDX-License-Identifier: Apache-2.0 */
/* surface.c - what device code calls for surface reads and writes.
 *
 * x counts bytes and has to be a multiple of the value's size; accesses beyond the
 * array go by the boundary mode: trap ends the launch, clamp takes the nearest
 * place, zero reads 0 and writes nothing. */
#include <stdio.h>
#include <string.h>
#include <surface_types.h>

#include "dispatch.h"
#include "texture.h"
#include "texture_table.h"

static void die(enum cudasim_fault_kind kind, int error, const char *what,
		const struct cudasim_surface_place *at, const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	struct fault fault = {.kind = kind, .error = error, .site = site};
	snprintf(fault.what, sizeof fault.what, "surface access at byte %d, row %d, %d: %s", at->x,
		 at->y, at->layer ? at->layer : at->z, what);
	t->pub.site = site;
	dispatch_die(t, &fault);
}

/* Each coordinate within [0, size): false where the access is to do nothing. */
static bool bounded(int32_t *x, uint64_t size, unsigned step, enum cudaSurfaceBoundaryMode mode,
		    bool *outside)
{
	if (*x >= 0 && (uint64_t)(uint32_t)*x < size)
		return true;
	*outside = true;
	if (mode != cudaBoundaryModeClamp)
		return false;
	*x = *x < 0 ? 0 : (int32_t)(size - step);
	return true;
}

static bool fits(const struct texture *t, unsigned op)
{
	unsigned shape = op & CUDASIM_FETCH_SHAPE;
	if (shape == CUDASIM_FETCH_CUBE)
		return t->shape == SHAPE_CUBE;
	if (shape == CUDASIM_FETCH_3D)
		return t->shape == SHAPE_VOLUME || t->shape == SHAPE_FLAT;
	return t->shape == SHAPE_FLAT || t->shape == SHAPE_CUBE;
}

static unsigned char *place(const struct texture *t, unsigned op, unsigned size,
			    const struct cudasim_surface_place *where,
			    const struct cudasim_site *site)
{
	const struct texture_level *l = &t->levels[0];
	const unsigned shape = op & CUDASIM_FETCH_SHAPE;
	const enum cudaSurfaceBoundaryMode mode = op >> CUDASIM_SURFACE_MODE_SHIFT & 3;
	struct cudasim_surface_place at = *where;
	bool outside = false, there;
	if ((uint32_t)at.x % size)
		die(CUDASIM_FAULT_MISALIGNED, ERROR_MISALIGNED_ADDRESS, "misaligned address", where,
		    site);
	/* Layers and faces go by the mode as well; a negative one is a large one. */
	bool slices = shape == CUDASIM_FETCH_CUBE || op & CUDASIM_FETCH_LAYERED;
	int32_t z = slices ? at.layer : shape == CUDASIM_FETCH_3D ? at.z : 0;
	int32_t y = shape == CUDASIM_FETCH_1D ? 0 : at.y;
	there = bounded(&at.x, (uint64_t)l->width * t->format.bytes, size, mode, &outside);
	there = bounded(&y, l->height, 1, mode, &outside) && there;
	if (slices && z < 0)
		z = INT32_MAX;
	there = bounded(&z, l->depth, 1, mode, &outside) && there;
	if (outside && mode == cudaBoundaryModeTrap)
		die(CUDASIM_FAULT_ADDRESS, ERROR_ILLEGAL_ADDRESS,
		    "outside: an illegal memory access was encountered", where, site);
	if (!there)
		return NULL;
	return (unsigned char *)(uintptr_t)l->base + (uint32_t)z * l->slice +
	       (uint32_t)y * l->pitch + (uint32_t)at.x;
}

void __cudasim_surface(uint32_t op, uint64_t object, const struct cudasim_surface_place *where,
		       void *value, const struct cudasim_site *site)
{
	struct cudasim_thread *self = __cudasim_self;
	struct fetcher who = {self->want & CUDASIM_WANT_ACCESS ? self : NULL, site};
	const unsigned size = op >> CUDASIM_SURFACE_SIZE_SHIFT;
	const bool write = op & CUDASIM_SURFACE_WRITE;
	unsigned char *at = NULL;
	self->site = site;
	const struct texture *t = texture_open(object, "surface", site);
	if (t && (t->shape == SHAPE_LINEAR || !fits(t, op)))
		texture_mismatch(object, "surface", site);
	else if (t)
		at = place(t, op, size, where, site);
	if (at)
		texture_access(&who, at, size, write);
	if (write && at)
		memcpy(at, value, size);
	else if (!write && at)
		memcpy(value, at, size);
	else if (!write)
		memset(value, 0, size);
}
