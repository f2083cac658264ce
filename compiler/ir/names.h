/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - symbols that the objects of one compilation share. All are hidden
 * and carry the module's id, so that they meet nothing of the host's or of
 * another module's. */
#ifndef CUDASIM_COMPILER_NAMES_H
#define CUDASIM_COMPILER_NAMES_H

#include "device.h"

/* __cudasim_ID_WHAT or, with a name, __cudasim_ID_WHAT_NAME; malloc()ed, never
 * NULL. WHAT is one of
 *   sites, variables, base, armed, module    the tables
 *   var NAME                                  a variable, an alias into the image
 *   constant NAME                             a constant table
 *   function NAME                             a struct cudasim_function
 *   entry NAME, code NAME                     thunk of a kernel, a function whose
 *                                             address is taken; + name_body()
 *   loop NAME                                 a kernel over a block; + name_body() */
char *name_shared(const struct device_program *program, const char *what, const char *name);

/* Spell the program's id, which all those names hold. */
void name_set_id(struct device_program *program);

/* "v3", "v4" or "watched", for the stages that are bodies. */
const char *name_body(enum device_stage stage);

/* name_shared with "." and the body's name at the end. */
char *name_in_body(const struct device_program *program, const char *what, const char *name,
		   enum device_stage body);

/* A global's or function's name as a C string, valid until it is renamed. */
const char *name_of(LLVMValueRef global);

#endif
