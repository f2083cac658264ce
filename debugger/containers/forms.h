/* SPDX-License-Identifier: Apache-2.0 */
/* forms.h - the classes that are known, a table for each family of them.
 *
 * A form says where in the object its parts lie, by paths of members, and which function makes a
 * container of them. What the paths name was read in the libraries' headers; an object that does
 * not have these members is of another version, and printed as any other struct. */
#ifndef CUDASIM_DEBUGGER_FORMS_H
#define CUDASIM_DEBUGGER_FORMS_H

#include "container.h"

struct form {
	const char *name; /* of the class: without template arguments and versions */
	struct cudasim_error *(*open)(const struct value *object, const struct form *form,
				      struct container *ret);
	const char *paths[3]; /* as open wants them */
};
/* Each ends with a name that is NULL. Of several forms of a name the first that fits is taken. */
extern const struct form forms_cuda[], forms_std[], forms_std_nodes[], forms_std_others[],
	forms_thrust[];

/* ---- forms that several families have (open.c) --------------------------------------------- */

/* paths: pointers to the first element, behind the last one, and behind the memory. */
struct cudasim_error *open_pointers(const struct value *object, const struct form *form,
				    struct container *ret);
/* paths: pointer to the first element, their number, how many there is memory for or NULL. */
struct cudasim_error *open_counted(const struct value *object, const struct form *form,
				   struct container *ret);
/* The same of a span, whose number may be its second template argument. */
struct cudasim_error *open_span(const struct value *object, const struct form *form,
				struct container *ret);
/* paths: an array, which is the whole container. */
struct cudasim_error *open_array(const struct value *object, const struct form *form,
				 struct container *ret);
/* paths: pointer to the characters, their number. */
struct cudasim_error *open_text(const struct value *object, const struct form *form,
				struct container *ret);
/* paths: members that are shown under their last name. */
struct cudasim_error *open_members(const struct value *object, const struct form *form,
				   struct container *ret);
/* paths: the real and the imaginary part. */
struct cudasim_error *open_complex(const struct value *object, const struct form *form,
				   struct container *ret);
/* paths: the value, whether there is one. */
struct cudasim_error *open_optional(const struct value *object, const struct form *form,
				    struct container *ret);
/* paths: a pointer; shown as get(). */
struct cudasim_error *open_handle(const struct value *object, const struct form *form,
				  struct container *ret);
/* paths: a member, or a pointer to it that is followed; it stands for the object. */
struct cudasim_error *open_only(const struct value *object, const struct form *form,
				struct container *ret);
struct cudasim_error *open_pointee(const struct value *object, const struct form *form,
				   struct container *ret);
/* paths: a number that is shown as NAME<TYPE> = { 5 }. */
struct cudasim_error *open_atomic(const struct value *object, const struct form *form,
				  struct container *ret);

/* ---- for the families' own ------------------------------------------------------------------ */

/* Head and children. */
void container_head(struct container *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* "std::map with 2 elements" */
void container_count(struct container *c, const char *name, uint64_t n);
/* "std::optional<int>": form's name with the first template argument. */
void container_instance(struct container *c, const struct value *object, const char *name);
struct cudasim_error *field_number(const struct value *object, const char *path, uint64_t *ret);
/* What the pointer there holds; where ret_target is given, what it points at. */
struct cudasim_error *field_pointer(const struct value *object, const char *path, uint64_t *ret,
				    const struct type **ret_target);
/* The i-th template argument of the object's class; CUDASIM_E_FORMAT where there is none. */
struct cudasim_error *argument_type(const struct type *type, size_t i, const struct type **ret);
/* The base whose class has this name (plain, without arguments); CUDASIM_E_FORMAT. */
struct cudasim_error *base_named(const struct value *object, const char *name, size_t skip,
				 struct value *ret);
/* What a thing of the library holds cannot be true. */
struct cudasim_error *not_initialized(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
uint64_t align_up(uint64_t offset, const struct type *type);
/* A copy of the object for next(). */
struct cudasim_error *container_keep(struct container *c, const struct value *object);

#endif
