/* SPDX-License-Identifier: Apache-2.0 */
/* object.h - reading device code back out of objects and archives. */
#ifndef CUDASIM_DRIVER_OBJECT_H
#define CUDASIM_DRIVER_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "words.h"

/* The section of an object that carries its relocatable device code, sealed (seal.h). */
#define OBJECT_BITCODE_SECTION ".cudasim.bc"

/* clang's call that registers an -fgpu-rdc object is to this and a name. */
#define OBJECT_REGISTER_PREFIX "__cudaRegisterLinkedBinary_"

/* With --gpu, bitcode for each architecture of the GPU code: this and its name. */
#define OBJECT_GPU_SECTION OBJECT_BITCODE_SECTION "."

/* An object's relocatable device code; lives until the visitor returns. */
struct object_code {
	const char *name;      /* for people: "libx.a(y.o)" */
	const void *bitcode;   /* NULL if the object has none in the section asked for */
	size_t n_bytes;
	const char *registers; /* what follows the prefix above in the object's undefined
	                        * symbols, NULL if there is none */
	bool has_gpu;          /* it has bitcode for GPUs */
};

typedef struct cudasim_error *object_visitor(const struct object_code *code, void *context);

/* Visits the object at path, or every object in the archive at path, that has
 * device code, or what -ltoir made (NAME.ltoir) (in OBJECT_BITCODE_SECTION); shows what is in the section. Other files
 * that the linker takes (shared objects, scripts) are passed over. Errors:
 * CUDASIM_E_FORMAT for a corrupt file and for device code that is not as it was
 * packed, CUDASIM_E_SYSTEM. */
struct cudasim_error *object_visit(const char *path, const char *section, object_visitor *visit,
				   void *context);

/* Whether the object at path has a section of that name. Errors as above. */
struct cudasim_error *object_has_section(const char *path, const char *section, bool *ret);

/* The name that an object registers under, NULL if it does not; the caller
 * frees it. */
struct cudasim_error *object_registers(const char *path, char **ret);

#endif
