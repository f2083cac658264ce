/* SPDX-License-Identifier: Apache-2.0 */
/* watchpoint_part.c - the element or member of what is watched that an access touches,
 * so that a change in a large array or structure is told by that part alone. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "watchpoint.h"

uint64_t watch_bits(const struct value *object, const unsigned char *bytes)
{
	uint64_t result = 0;
	for (uint32_t i = 0; i < object->bit_size && i < 64; i++) {
		uint32_t at = object->bit_offset + i;
		if (at / 8 < object->n_bytes)
			result |= (uint64_t)(bytes[at / 8] >> at % 8 & 1) << i;
	}
	return result;
}

/* One step down to the part that holds the bytes low..high-1 of an object of *type;
 * *offset is moved by where it lies. False where no single part does. */
static bool descend(const struct type **type, uint64_t *offset, uint64_t low, uint64_t high,
		    FILE *path)
{
	const struct type *t = type_strip(*type);
	if (t->kind == TYPE_ARRAY && t->target && type_strip(t->target)->size) {
		uint64_t size = type_strip(t->target)->size, index = (low - *offset) / size;
		if (high > *offset + (index + 1) * size)
			return false;
		fprintf(path, "[%" PRIu64 "]", index);
		*offset += index * size;
		*type = t->target;
		return true;
	}
	/* __half and its like are numbers, whatever they are made of. */
	if (t->float_format)
		return false;
	for (size_t i = 0; t->kind == TYPE_STRUCT && !t->is_union && i < t->n_members; i++) {
		const struct member *m = &t->members[i];
		uint64_t at = *offset + m->offset;
		if (m->is_static || m->bit_size || m->is_virtual_base || low < at ||
		    high > at + type_strip(m->type)->size)
			continue;
		if (m->name && !m->is_base)
			fprintf(path, ".%s", m->name);
		*offset = at;
		*type = m->type;
		return true;
	}
	return false;
}

void watch_part_find(const struct watchpoint *watch, uint64_t low, uint64_t high,
		     struct watch_part *ret)
{
	size_t size;
	FILE *path = open_memstream(&ret->path, &size);
	ret->type = watch->object.type;
	ret->offset = 0;
	if (!path) {
		ret->path = NULL;
		return;
	}
	while (!watch->object.bit_size && descend(&ret->type, &ret->offset, low, high, path))
		;
	fclose(path);
}

/* One that has been read is its number. */
static void print_bitfield(FILE *out, struct value *value, const unsigned char *bytes)
{
	uint64_t number = watch_bits(value, bytes);
	if (type_strip(value->type)->is_signed && value->bit_size < 64 &&
	    number >> (value->bit_size - 1) & 1)
		number |= ~0ull << value->bit_size;
	memset(value->bytes.small, 0, sizeof value->bytes.small);
	memcpy(value->bytes.small, &number, value->n_bytes < 8 ? value->n_bytes : 8);
	value_print(out, value, 0, 0, true);
}

void watch_part_print(FILE *out, const struct watchpoint *watch, const struct watch_part *part,
		      const unsigned char *bytes)
{
	struct value value = watch->object;
	value.is_lazy = false;
	if (value.bit_size) {
		print_bitfield(out, &value, bytes);
		return;
	}
	value.type = part->type;
	value.n_bytes = type_strip(part->type)->kind == TYPE_REFERENCE
				? sizeof(void *)
				: type_strip(part->type)->size;
	value.address += part->offset;
	bytes += part->offset;
	unsigned char *to = value.bytes.small;
	if (value.n_bytes > sizeof value.bytes.small)
		to = value.bytes.large = malloc(value.n_bytes);
	if (!to)
		return;
	memcpy(to, bytes, value.n_bytes);
	value_print(out, &value, 0, 0, true);
	value_fini(&value);
}
