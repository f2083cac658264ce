/* SPDX-License-Identifier: Apache-2.0 */
/* forms_std_nodes.c - libstdc++'s classes whose elements lie in nodes of their own: lists, trees,
 * hash tables.
 *
 * A node's element lies behind its links, aligned: 8 bytes of a hash table's, 16 of a list's, 32 of
 * a tree's (colour, parent, left, right). Links are never followed further than the number of
 * elements that the object says, nor within a tree deeper than one can be. */
#include <inttypes.h>
#include <stdio.h>

#include "error.h"
#include "forms.h"

enum { NODE_NEXT = 0, NODE_PARENT = 8, NODE_LEFT = 16, NODE_RIGHT = 24, NODE_ELEMENT = 32 };
enum { MAX_HEIGHT = 128 }; /* of a red-black tree of 2^64 nodes */

static struct cudasim_error *link_of(uint64_t node, uint64_t offset, uint64_t *ret)
{
	return value_memory_read(node + offset, ret, sizeof *ret);
}

static void name_index(struct container *c)
{
	snprintf(c->name, sizeof c->name, "[%" PRIu64 "]", c->index);
}

/* The links have ended before as many elements were met as the object says. */
static struct cudasim_error *ended(const struct container *c)
{
	return c->n == UINT64_MAX ? NULL
				  : not_initialized("the nodes end after %" PRIu64 " of %" PRIu64
						    " elements: it may not be initialized",
						    c->index, c->n);
}

/* ---- lists --------------------------------------------------------------------------------- */

/* place[0]: the node, place[1]: the one that ends the list, place[2]: bytes before the element */
static struct cudasim_error *next_in_list(struct container *c, struct value *ret, bool *end)
{
	uint64_t node = c->place[0];
	name_index(c);
	*end = node == c->place[1];
	if (*end)
		return ended(c);
	*ret = value_at(c->element, c->storage, node + align_up(c->place[2], c->element));
	return link_of(node, NODE_NEXT, &c->place[0]);
}

static struct cudasim_error *start_list(const struct value *object, const struct form *form,
					struct container *ret)
{
	ret->kind = CONTAINER_FIELDS;
	ret->next = next_in_list;
	struct cudasim_error *error = argument_type(object->type, 0, &ret->element);
	if (!error)
		error = field_pointer(object, form->paths[0], &ret->place[0], NULL);
	return error;
}

static struct cudasim_error *open_list(const struct value *object, const struct form *form,
				       struct container *ret)
{
	struct value head;
	struct cudasim_error *error = start_list(object, form, ret);
	if (!error)
		error = field_number(object, form->paths[1], &ret->n);
	if (!error)
		error = value_field(object, form->paths[2], &head);
	if (error)
		return error;
	ret->place[1] = head.address;
	ret->place[2] = 16;
	value_fini(&head);
	container_head(ret, "%s%s", ret->n ? "" : "empty ", form->name);
	return NULL;
}

static struct cudasim_error *open_forward_list(const struct value *object, const struct form *form,
					       struct container *ret)
{
	struct cudasim_error *error = start_list(object, form, ret);
	if (error)
		return error;
	ret->place[2] = 8;
	ret->n = ret->place[0] ? UINT64_MAX : 0;
	container_head(ret, "%s%s", ret->n ? "" : "empty ", form->name);
	return NULL;
}

/* ---- trees --------------------------------------------------------------------------------- */

static struct cudasim_error *broken(void)
{
	return not_initialized("the links of the container's nodes end nowhere");
}

/* What follows the node in order. */
static struct cudasim_error *successor(uint64_t node, uint64_t *ret)
{
	uint64_t right, next, height = 0;
	struct cudasim_error *error = link_of(node, NODE_RIGHT, &right);
	if (!error && right) {
		for (next = right; !error && next && height++ < MAX_HEIGHT; next = right) {
			*ret = next;
			error = link_of(next, NODE_LEFT, &right);
		}
	} else if (!error) {
		error = link_of(node, NODE_PARENT, ret);
		while (!error && height++ < MAX_HEIGHT &&
		       !(error = link_of(*ret, NODE_RIGHT, &right)) && right == node) {
			node = *ret;
			error = link_of(node, NODE_PARENT, ret);
		}
	}
	return error ? error : height > MAX_HEIGHT ? broken() : NULL;
}

static struct cudasim_error *next_in_tree(struct container *c, struct value *ret, bool *end)
{
	uint64_t node = c->place[0];
	name_index(c);
	*end = false;
	*ret = value_at(c->element, c->storage, node + align_up(NODE_ELEMENT, c->element));
	return c->index + 1 < c->n ? successor(node, &c->place[0]) : NULL;
}

static struct cudasim_error *open_tree(const struct value *object, const struct form *form,
				       enum container_kind kind, struct container *ret)
{
	struct value tree;
	ret->kind = kind;
	ret->next = next_in_tree;
	struct cudasim_error *error = value_field(object, "_M_t", &tree);
	if (error)
		return error;
	error = argument_type(tree.type, 1, &ret->element);
	if (!error)
		error = field_pointer(&tree, "_M_impl._M_header._M_left", &ret->place[0], NULL);
	if (!error)
		error = field_number(&tree, "_M_impl._M_node_count", &ret->n);
	value_fini(&tree);
	container_count(ret, form->name, ret->n);
	return error;
}

static struct cudasim_error *open_map(const struct value *object, const struct form *form,
				      struct container *ret)
{
	return open_tree(object, form, CONTAINER_MAP, ret);
}

static struct cudasim_error *open_set(const struct value *object, const struct form *form,
				      struct container *ret)
{
	return open_tree(object, form, CONTAINER_FIELDS, ret);
}

/* ---- hash tables ----------------------------------------------------------------------------- */

static struct cudasim_error *next_in_table(struct container *c, struct value *ret, bool *end)
{
	uint64_t node = c->place[0];
	name_index(c);
	*end = !node;
	if (*end)
		return ended(c);
	*ret = value_at(c->element, c->storage, node + align_up(8, c->element));
	return link_of(node, NODE_NEXT, &c->place[0]);
}

static struct cudasim_error *open_table(const struct value *object, const struct form *form,
					enum container_kind kind, struct container *ret)
{
	struct value table;
	ret->kind = kind;
	ret->next = next_in_table;
	struct cudasim_error *error = value_field(object, "_M_h", &table);
	if (error)
		return error;
	error = argument_type(table.type, 1, &ret->element);
	if (!error)
		error = field_pointer(&table, "_M_before_begin._M_nxt", &ret->place[0], NULL);
	if (!error)
		error = field_number(&table, "_M_element_count", &ret->n);
	value_fini(&table);
	container_count(ret, form->name, ret->n);
	return error;
}

static struct cudasim_error *open_hash_map(const struct value *object, const struct form *form,
					   struct container *ret)
{
	return open_table(object, form, CONTAINER_MAP, ret);
}

static struct cudasim_error *open_hash_set(const struct value *object, const struct form *form,
					   struct container *ret)
{
	return open_table(object, form, CONTAINER_FIELDS, ret);
}

#define LIST "_M_impl._M_node._M_next", "_M_impl._M_node._M_size", "_M_impl._M_node"

const struct form forms_std_nodes[] = {
	{"std::list", open_list, {LIST}},
	{"std::forward_list", open_forward_list, {"_M_impl._M_head._M_next"}},
	{"std::map", open_map, {NULL}},
	{"std::multimap", open_map, {NULL}},
	{"std::set", open_set, {NULL}},
	{"std::multiset", open_set, {NULL}},
	{"std::unordered_map", open_hash_map, {NULL}},
	{"std::unordered_multimap", open_hash_map, {NULL}},
	{"std::unordered_set", open_hash_set, {NULL}},
	{"std::unordered_multiset", open_hash_set, {NULL}},
	{NULL, NULL, {NULL}},
};
