/* SPDX-License-Identifier: Apache-2.0 */
/* texture.h - what device code asks of a texture or surface object: the part of abi.h
 * that our own headers for device code (compat/cudasim_texture.h) need, too. */
#ifndef CUDASIM_TEXTURE_H
#define CUDASIM_TEXTURE_H

/* A fetch's op: a shape and flags. */
enum {
	CUDASIM_FETCH_1D,
	CUDASIM_FETCH_2D,
	CUDASIM_FETCH_3D,
	CUDASIM_FETCH_CUBE,
	CUDASIM_FETCH_INDEX,              /* tex1Dfetch: index */
	CUDASIM_FETCH_SHAPE = 7,          /* mask of the above */
	CUDASIM_FETCH_LAYERED = 1u << 3,  /* with layer */
	CUDASIM_FETCH_LOD = 1u << 4,      /* with lod */
	CUDASIM_FETCH_GRADIENT = 1u << 5, /* with dx, dy */
	CUDASIM_FETCH_GATHER = 1u << 6,   /* of 2D: four texels' channel `component` */
};

/* Coordinates in texels, or normalized, as the object says; dx and dy alike. */
struct cudasim_fetch {
	float x, y, z;
	int layer, index, component;
	float lod, dx[3], dy[3];
};

/* A surface access's op: shape and layers as above, and these. */
enum {
	CUDASIM_SURFACE_MODE_SHIFT = 8, /* enum cudaSurfaceBoundaryMode: zero, clamp, trap */
	CUDASIM_SURFACE_WRITE = 1u << 12,
	CUDASIM_SURFACE_SIZE_SHIFT = 16, /* bytes of the value: 1, 2, 4, 8, 16 */
};

/* x in bytes; of cubemaps layer is the face, or 6 times the layer and the face. */
struct cudasim_surface_place {
	int x, y, z, layer;
};

#endif
