/* SPDX-License-Identifier: Apache-2.0 */
/* container.h - objects of library classes, such as std::vector, as what they hold.
 *
 * Which classes these are, and how they are read, is the matter of the room containers, which
 * registers itself here; printing and whatever else looks into containers asks here. */
#ifndef CUDASIM_DEBUGGER_CONTAINER_H
#define CUDASIM_DEBUGGER_CONTAINER_H

#include "value.h"

enum container_kind {
	CONTAINER_FIELDS,  /* children with names: {first = 1, second = 2} */
	CONTAINER_ARRAY,   /* {1, 2} */
	CONTAINER_MAP,     /* children are pairs of a key and a value: {[1] = 2} */
	CONTAINER_TEXT,    /* no children, a string */
	CONTAINER_COMPLEX, /* two children: 1 + -2i */
	CONTAINER_VALUE,   /* the only child is what is shown */
};

struct container {
	enum container_kind kind;
	char head[160]; /* what stands before the children: "std::vector of length 3, capacity 4" */
	const char *tail; /* of VALUE, what stands behind it; or NULL */
	uint64_t n; /* children; UINT64_MAX: until next() finds the end */
	/* The next child; of FIELDS its name, too. *end: there is none. NULL for TEXT and for
	 * elements that lie one behind the other. */
	struct cudasim_error *(*next)(struct container *c, struct value *ret, bool *end);
	char name[32];
	/* Of TEXT, and of elements one behind the other: their type and where the first lies. */
	const struct type *element;
	enum storage storage;
	uint64_t address;
	/* next()'s own. */
	struct value object;
	uint64_t index, place[4];
};

/* Look into an object; *is_container is false where its class is not known, or not in this
 * layout. Errors: what the object holds cannot be true (it may not be initialized), memory. */
struct cudasim_error *container_open(const struct value *object, struct container *ret,
				     bool *is_container);
void container_close(struct container *c);
/* The next child of any container but TEXT. */
struct cudasim_error *container_next(struct container *c, struct value *ret, bool *end);

/* What the room above does for container_open(). */
typedef struct cudasim_error *container_open_fn(const struct value *object, struct container *ret,
						bool *is_container);
void containers_set(container_open_fn *open);

/* The member that a path of names leads to ("_M_impl._M_start"), each looked for in bases and
 * in anonymous members, too. CUDASIM_E_FORMAT: there is none. */
struct cudasim_error *value_field(const struct value *object, const char *path, struct value *ret);

#endif
