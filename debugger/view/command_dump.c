/* SPDX-License-Identifier: Apache-2.0 */
/* command_dump.c - memory and values in files, and back: gdb's dump, append and restore, of which
 * the format binary is here. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "baton.h"
#include "command_view.h"
#include "console.h"
#include "error.h"
#include "expression.h"
#include "file_writer.h"
#include "shape.h"
#include "text.h"
#include "unwritten.h"

enum { CHUNK = 1 << 16 };

/* ---- arguments ------------------------------------------------------------------------------- */

/* A word that ends at a blank outside of brackets and quotes; cut off, *rest is behind it. */
static char *cut_word(char **rest)
{
	char *start = *rest, quote = 0;
	start += strspn(start, " \t");
	char *c = start;
	int depth = 0;
	for (; *c && (depth || quote || !strchr(" \t", *c)); c++) {
		if (quote)
			quote = *c == quote ? 0 : quote;
		else if (*c == '"' || *c == '\'')
			quote = *c;
		else
			depth += strchr("([{", *c) ? 1 : strchr(")]}", *c) ? -1 : 0;
	}
	*rest = *c ? c + 1 : c;
	*c = 0;
	return start;
}

/* A file's name without the quotes around it. */
static char *cut_name(char **rest)
{
	char *name = cut_word(rest);
	size_t n = strlen(name);
	if (n > 1 && (*name == '"' || *name == '\'') && name[n - 1] == *name) {
		name[n - 1] = 0;
		name++;
	}
	return name;
}

static struct cudasim_error *address_of(const char *text, uint64_t *ret, enum storage *ret_storage)
{
	struct value value;
	struct cudasim_error *error = evaluate_text(text, &value);
	if (error)
		return error;
	error = value_to_address(&value, ret, ret_storage);
	value_fini(&value);
	return error;
}

/* ---- writing files ------------------------------------------------------------------------------ */

typedef struct cudasim_error *opener(const char *path, struct file_writer *ret);

static struct cudasim_error *write_memory(const char *path, opener *open, uint64_t start,
					  uint64_t stop)
{
	struct file_writer file;
	unsigned char *bytes = malloc(CHUNK);
	if (!bytes)
		return &cudasim_error_nomem;
	/* What cannot be read is found before the file is touched. */
	struct cudasim_error *error =
		value_memory_read(start, bytes, stop - start < CHUNK ? stop - start : CHUNK);
	if (!error && !(error = open(path, &file))) {
		while (!error && start < stop && !(error = interrupt_quits())) {
			uint64_t n = stop - start < CHUNK ? stop - start : CHUNK;
			error = value_memory_read(start, bytes, n);
			if (!error)
				error = file_write(&file, bytes, n);
			start += n;
		}
		error = file_close(&file, error);
	}
	free(bytes);
	return error;
}

static struct cudasim_error *dump_memory(char *text, opener *open)
{
	uint64_t start, stop;
	char *path = cut_name(&text), *from = cut_word(&text);
	char *to = (char *)text_skip(text);
	if (!*path)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Missing filename.");
	if (!*from || !*to)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Missing %s address.",
					 *from ? "stop" : "start");
	struct cudasim_error *error = address_of(from, &start, NULL);
	if (!error)
		error = address_of(to, &stop, NULL);
	if (!error && stop <= start)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "Invalid memory address range (start >= end).");
	return error ? error : write_memory(path, open, start, stop);
}

static struct cudasim_error *dump_value(char *text, opener *open)
{
	struct value value, object;
	struct file_writer file;
	char *path = cut_name(&text);
	text = (char *)text_skip(text);
	if (!*path)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Missing filename.");
	if (!*text)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "No value to dump.");
	struct cudasim_error *error = evaluate_text(text, &value);
	if (error)
		return error;
	error = value_object(&value, &object);
	value_fini(&value);
	if (!error && (object.is_void || !object.type))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "A void value has no bytes.");
	if (!error && object.is_lazy && object.is_lvalue && !object.bit_size)
		return write_memory(path, open, object.address,
				    object.address + type_strip(object.type)->size);
	if (!error)
		error = value_fetch(&object);
	if (!error && !(error = open(path, &file)))
		error = file_close(&file, file_write(&file, value_bytes(&object), object.n_bytes));
	value_fini(&object);
	return error;
}

static struct cudasim_error *with_copy(const char *argument,
				       struct cudasim_error *(*run)(char *, opener *), opener *open)
{
	char *copy = strdup(argument);
	if (!copy)
		return &cudasim_error_nomem;
	struct cudasim_error *error = run(copy, open);
	free(copy);
	return error;
}

struct cudasim_error *command_dump_memory(const char *argument)
{
	return with_copy(argument, dump_memory, file_open);
}

struct cudasim_error *command_dump_value(const char *argument)
{
	return with_copy(argument, dump_value, file_open);
}

struct cudasim_error *command_append_memory(const char *argument)
{
	return with_copy(argument, dump_memory, file_append);
}

struct cudasim_error *command_append_value(const char *argument)
{
	return with_copy(argument, dump_value, file_append);
}

static struct cudasim_error *other_format(const char *name)
{
	static const char *const formats[] = {"ihex", "srec", "tekhex", "verilog"};
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (!strcmp(formats[i], name))
			return cudasim_error_new(
				CUDASIM_E_UNSUPPORTED,
				"The format %s is not supported: files are written and read as bytes "
				"(binary).",
				name);
	return NULL;
}

/* dump without memory or value. */
struct cudasim_error *command_dump_other(const char *argument)
{
	char word[32];
	const char *rest = argument;
	struct cudasim_error *error = NULL;
	if (text_word(&rest, word, sizeof word))
		error = other_format(word);
	return error ? error
		     : cudasim_error_new(
			       CUDASIM_E_ARGUMENT,
			       "\"memory\" or \"value\" has to follow: dump memory FILE START "
			       "STOP, dump value FILE EXPR.");
}

/* ---- restore ----------------------------------------------------------------------------------- */

/* Bytes of the file from `from` up to `to` go to offset + their place in it. */
static struct cudasim_error *read_file(const char *path, uint64_t offset, uint64_t from,
				       uint64_t to)
{
	FILE *stream = fopen(path, "re");
	unsigned char *bytes = malloc(CHUNK);
	struct cudasim_error *error = NULL;
	uint64_t at = from, size = 0;
	if (!bytes)
		error = &cudasim_error_nomem;
	else if (!stream || fseek(stream, 0, SEEK_END) ||
		 (size = (uint64_t)ftell(stream)) > INT64_MAX)
		error = cudasim_error_new(CUDASIM_E_SYSTEM, "%s: %s.", path, strerror(errno));
	else if (from >= size)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "Start address is greater than length of binary file %s.",
					  path);
	to = to < size ? to : size;
	if (!error) {
		fprintf(console(),
			"Restoring binary file %s into memory (0x%" PRIx64 " to 0x%" PRIx64 ")\n",
			path, offset + from, offset + to);
		rewind(stream);
		if (fseek(stream, (long)from, SEEK_SET))
			error = cudasim_error_new(CUDASIM_E_SYSTEM, "%s: %s.", path,
						  strerror(errno));
	}
	while (!error && at < to && !(error = interrupt_quits())) {
		uint64_t n = to - at < CHUNK ? to - at : CHUNK;
		if (fread(bytes, 1, n, stream) != n)
			error = cudasim_error_new(CUDASIM_E_SYSTEM, "%s could not be read.", path);
		else
			error = value_memory_write(offset + at, bytes, n);
		if (!error)
			unwritten_store(offset + at, n);
		at += n;
	}
	if (stream)
		fclose(stream);
	free(bytes);
	return error;
}

static struct cudasim_error *restore(char *text, opener *open)
{
	uint64_t offset = 0;
	int64_t from = 0, to = INT64_MAX;
	char *path = cut_name(&text), *format = cut_word(&text);
	char *where = cut_word(&text), *start = cut_word(&text), *stop = cut_word(&text);
	(void)open;
	if (!*path)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "You can't do that without a file to read.");
	if (strcmp(format, "binary"))
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"Files of other formats than \"binary\" are not read: restore "
			"FILE binary OFFSET.");
	if (!*where)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Argument required (where the file goes).");
	struct cudasim_error *error = address_of(where, &offset, NULL);
	if (!error && *start)
		error = evaluate_integer(start, &from);
	if (!error && *stop)
		error = evaluate_integer(stop, &to);
	if (!error && (from < 0 || to <= from))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "Start must be less than stop to be restored.");
	return error ? error : read_file(path, offset, (uint64_t)from, (uint64_t)to);
}

struct cudasim_error *command_restore(const char *argument)
{
	return with_copy(argument, restore, NULL);
}
