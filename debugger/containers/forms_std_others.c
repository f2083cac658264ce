/* SPDX-License-Identifier: Apache-2.0 */
/* forms_std_others.c - libstdc++'s deques, adaptors, variants, iterators and atomics. */
#include <inttypes.h>
#include <stdio.h>

#include "error.h"
#include "forms.h"

/* ---- std::deque ---------------------------------------------------------------------------- */

/* Pieces of 512 bytes, or of one element that is larger, which a map of pointers lists. */
enum { PIECE_BYTES = 512 };

/* place[0]: in the map, the first piece's pointer; place[1]: of the first element in its piece;
 * place[2]: elements in a piece. */
static struct cudasim_error *next_in_deque(struct container *c, struct value *ret, bool *end)
{
	uint64_t piece, at = c->place[1] + c->index, size = type_strip(c->element)->size;
	struct cudasim_error *error = value_memory_read(
		c->place[0] + at / c->place[2] * sizeof piece, &piece, sizeof piece);
	*end = false;
	*ret = value_at(c->element, c->storage, piece + at % c->place[2] * size);
	return error;
}

static struct cudasim_error *open_deque(const struct value *object, const struct form *form,
					struct container *ret)
{
	uint64_t first, start, last, finish, end_node;
	ret->kind = CONTAINER_ARRAY;
	ret->next = next_in_deque;
	struct cudasim_error *error = field_pointer(object, "_M_impl._M_start._M_cur", &start,
						    &ret->element);
	if (!error)
		error = field_pointer(object, "_M_impl._M_start._M_first", &first, NULL);
	if (!error)
		error = field_pointer(object, "_M_impl._M_start._M_node", &ret->place[0], NULL);
	if (!error)
		error = field_pointer(object, "_M_impl._M_finish._M_cur", &finish, NULL);
	if (!error)
		error = field_pointer(object, "_M_impl._M_finish._M_first", &last, NULL);
	if (!error)
		error = field_pointer(object, "_M_impl._M_finish._M_node", &end_node, NULL);
	if (error)
		return error;
	uint64_t size = type_strip(ret->element)->size;
	if (!size || start < first || finish < last || end_node < ret->place[0] ||
	    end_node - ret->place[0] > INT64_MAX / PIECE_BYTES)
		return not_initialized("a std::deque from 0x%" PRIx64 " to 0x%" PRIx64
				       ": it may not be initialized",
				       start, finish);
	ret->place[2] = size < PIECE_BYTES ? PIECE_BYTES / size : 1;
	ret->place[1] = (start - first) / size;
	ret->n = (end_node - ret->place[0]) / sizeof end_node * ret->place[2] +
		 (finish - last) / size - ret->place[1];
	container_count(ret, form->name, ret->n);
	return NULL;
}

/* ---- std::variant ---------------------------------------------------------------------------- */

static struct cudasim_error *next_of_variant(struct container *c, struct value *ret, bool *end)
{
	*end = false;
	*ret = value_at(c->element, c->object.storage, c->object.address);
	return NULL;
}

/* A union of the first and of a union of the rest: all lie at its beginning. */
static struct cudasim_error *open_variant(const struct value *object, const struct form *form,
					  struct container *ret)
{
	char text[sizeof ret->head];
	const struct type *type = type_strip(object->type);
	uint64_t index;
	ret->kind = CONTAINER_ARRAY;
	ret->next = next_of_variant;
	struct cudasim_error *error = field_number(object, "_M_index", &index);
	if (!error)
		error = value_field(object, "_M_u", &ret->object);
	if (error)
		return error;
	if (!object->is_lvalue)
		return not_initialized("a std::variant that is not in memory");
	symbols_plain_name(type->name ? type->name : form->name, true, text, sizeof text);
	if (index >= type->n_arguments && (uint8_t)index != 0xff && (uint16_t)index != 0xffff)
		return not_initialized(
			"a std::variant of index %" PRIu64 ": it may not be initialized", index);
	if (index >= type->n_arguments) {
		container_head(ret, "%.100s [no contained value]", text);
		return NULL;
	}
	ret->n = 1;
	container_head(ret, "%.100s [index %" PRIu64 "]", text, index);
	return argument_type(type, index, &ret->element);
}

/* ---- adaptors -------------------------------------------------------------------------------- */

static struct cudasim_error *open_wrapper(const struct value *object, const struct form *form,
					  struct container *ret)
{
	container_head(ret, "%s wrapping: ", form->name);
	return open_only(object, form, ret);
}

static struct cudasim_error *open_list_iterator(const struct value *object, const struct form *form,
						struct container *ret)
{
	ret->kind = CONTAINER_VALUE;
	ret->n = 1;
	struct cudasim_error *error = argument_type(object->type, 0, &ret->element);
	if (!error)
		error = field_pointer(object, form->paths[0], &ret->address, NULL);
	if (!error && !ret->address)
		return not_initialized("an iterator that points at nothing");
	if (!error)
		ret->address += align_up(form->paths[1] ? 32 : 16, ret->element);
	return error;
}

const struct form forms_std_others[] = {
	{"std::deque", open_deque, {NULL}},
	{"std::variant", open_variant, {NULL}},
	{"std::stack", open_wrapper, {"c"}},
	{"std::queue", open_wrapper, {"c"}},
	{"std::priority_queue", open_wrapper, {"c"}},
	{"__gnu_cxx::__normal_iterator", open_pointee, {"_M_current"}},
	{"std::_Deque_iterator", open_pointee, {"_M_cur"}},
	{"std::_List_iterator", open_list_iterator, {"_M_node", NULL}},
	{"std::_Rb_tree_iterator", open_list_iterator, {"_M_node", "of a tree"}},
	{"std::_Rb_tree_const_iterator", open_list_iterator, {"_M_node", "of a tree"}},
	{"std::reference_wrapper", open_pointee, {"_M_data"}},
	{"std::atomic", open_atomic, {"_M_i"}},
	{NULL, NULL, {NULL}},
};
