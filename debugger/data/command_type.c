/* SPDX-License-Identifier: Apache-2.0 */
/* command_type.c - ptype and whatis. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "command_data.h"
#include "console.h"
#include "error.h"
#include "expression.h"
#include "stack.h"

static struct cudasim_error *type_of_text(const char *text, const struct type **ret,
					  enum storage *ret_storage, bool *ret_is_type)
{
	struct expression *expression;
	const struct frame *frame = frame_selected();
	/* Without an expression the last value of the history. */
	struct cudasim_error *error = expression_parse_in(*text ? text : "$", frame, &expression);
	if (error)
		return error;
	error = expression_type(expression, ret, ret_storage);
	if (ret_is_type) {
		const struct function *function = frame ? frame->function : NULL;
		*ret_is_type = !error && symbols_type(text, function) == *ret;
	}
	expression_free(expression);
	return error;
}

/* ---- ptype/o ------------------------------------------------------------------------ */

/* "double area[3]": bounds stand behind the name. */
static void print_declaration(const struct member *member)
{
	const struct type *type = member->type, *element = type;
	while (element->kind == TYPE_ARRAY)
		element = element->target;
	fprintf(console(), "%s %s", type_text(element),
		member->is_base ? "(base)"
		: member->name  ? member->name
				: "");
	for (; type->kind == TYPE_ARRAY; type = type->target)
		fprintf(console(), "[%" PRIu64 "]", type->n);
}

/* Members with offset and size in bytes, holes between them, and the whole size: the
 * form of gdb's ptype/o. */
static void print_layout(const struct type *type, int indent)
{
	uint64_t end = 0;
	fprintf(console(), "%s %s {\n",
		type->is_union   ? "union"
		: type->is_class ? "class"
				 : "struct",
		type->name ? type->name : "");
	for (size_t i = 0; i < type->n_members; i++) {
		const struct member *member = &type->members[i];
		uint64_t size = type_strip(member->type)->size;
		if (member->is_static)
			continue;
		if (!type->is_union && !member->bit_size && member->offset > end)
			fprintf(console(), "/* XXX %2" PRIu64 "-byte hole      */\n",
				member->offset - end);
		if (member->bit_size)
			fprintf(console(), "/* %6" PRIu64 ":%2u   | %7" PRIu64 " */",
				member->offset, member->bit_offset % 8, size);
		else
			fprintf(console(), "/* %6" PRIu64 "      | %7" PRIu64 " */", member->offset,
				size);
		fprintf(console(), "    %*s", indent, "");
		print_declaration(member);
		if (member->bit_size)
			fprintf(console(), " : %u", member->bit_size);
		fputs(";\n", console());
		if (member->offset + size > end)
			end = member->offset + size;
	}
	if (type->size > end && !type->is_union)
		fprintf(console(), "/* XXX %2" PRIu64 "-byte padding   */\n", type->size - end);
	fprintf(console(), "\n%*s/* total size (bytes): %4" PRIu64 " */\n%*s}\n", 23 + indent, "",
		type->size, 21 + indent, "");
}

static bool take_offsets(const char **argument, struct cudasim_error **error)
{
	bool offsets = false;
	*error = NULL;
	if (**argument != '/')
		return false;
	for ((*argument)++; **argument && !isspace((unsigned char)**argument); (*argument)++) {
		if (**argument == 'o')
			offsets = true;
		else if (!strchr("rmtM", **argument))
			*error = cudasim_error_new(CUDASIM_E_ARGUMENT, "unrecognized flag '%c'",
						   **argument);
		if (*error)
			return false;
	}
	*argument += strspn(*argument, " \t");
	return offsets;
}

struct cudasim_error *command_ptype(const char *argument)
{
	const struct type *type;
	enum storage storage = STORAGE_NONE;
	struct cudasim_error *error;
	bool offsets = take_offsets(&argument, &error);
	if (!error)
		error = type_of_text(argument, &type, &storage, NULL);
	if (error)
		return error;
	if (offsets && type_strip(type)->kind == TYPE_STRUCT) {
		fputs("/* offset      |    size */  type = ", console());
		print_layout(type_strip(type), 0);
		return NULL;
	}
	fputs("type = ", console());
	type_print(console(), type, storage, true);
	fputc('\n', console());
	return NULL;
}

struct cudasim_error *command_whatis(const char *argument)
{
	const struct type *type;
	enum storage storage = STORAGE_NONE;
	bool is_type;
	struct cudasim_error *error = type_of_text(argument, &type, &storage, &is_type);
	if (error)
		return error;
	/* Of a type's name one typedef is taken off. */
	if (is_type && type->kind == TYPE_TYPEDEF && type->target)
		type = type->target;
	fputs("type = ", console());
	type_print(console(), type, storage, false);
	fputc('\n', console());
	return NULL;
}
