/* SPDX-License-Identifier: Apache-2.0 */
/* command_memory.c - x: memory in units of a form and a size. */
#include <inttypes.h>
#include <string.h>

#include "command_data.h"
#include "console.h"
#include "data_state.h"
#include "error.h"
#include "expression.h"
#include "history.h"
#include "host.h"
#include "stack.h"
#include "text.h"

static uint64_t bytes_of(char size)
{
	return size == 'b' ? 1 : size == 'h' ? 2 : size == 'w' ? 4 : 8;
}

/* The type whose bits a unit has: floats in form f, signed where the form is. */
static const struct type *unit_type(char format, char size)
{
	uint64_t n = bytes_of(size);
	if (format == 'f' && n == 2)
		return type_base("__half") ? type_base("__half") : type_integer(2, true);
	if (format == 'f' && n >= 4)
		return type_float((uint32_t)n);
	if (format == 'c')
		return type_integer((uint32_t)n, true);
	return type_integer((uint32_t)n, format == 'd');
}

static int units_a_line(char format, char size)
{
	switch (format) {
	case 's':
	case 'i':
		return 1;
	default:
		return size == 'b' || size == 'h' ? 8 : size == 'w' ? 4 : 2;
	}
}

static void print_binary(FILE *out, const unsigned char *bytes, uint64_t n)
{
	for (uint64_t i = n * 8; i-- > 0;)
		fputc('0' + (bytes[i / 8] >> i % 8 & 1), out);
}

static struct cudasim_error *print_unit(FILE *out, uint64_t address, char format, char size,
					uint64_t *ret)
{
	unsigned char bytes[8];
	uint64_t n = bytes_of(size);
	struct value value;
	struct cudasim_error *error = value_memory_read(address, bytes, n);
	if (error)
		return error;
	*ret = address + n;
	fputc('\t', out);
	if (format == 't') {
		print_binary(out, bytes, n);
		return NULL;
	}
	error = value_of_bytes(unit_type(format, size), bytes, &value);
	if (error)
		return error;
	/* Hexadecimal numbers have all their digits here. */
	value_print_scalar(out, &value, format == 'x' ? 'z' : format, 0);
	value_fini(&value);
	return NULL;
}

static void print_address(FILE *out, uint64_t address, uint64_t window)
{
	fprintf(out, "0x%" PRIx64, address - window);
	if (!window)
		value_print_symbol(out, address);
	fputc(':', out);
}

static struct cudasim_error *dump_string(FILE *out, uint64_t address, char size, uint64_t *ret)
{
	unsigned char first;
	uint32_t width = size == 'h' ? 2 : size == 'w' ? 4 : 1;
	struct cudasim_error *error = value_memory_read(address, &first, 1);
	if (error) {
		fprintf(out, "\t<error: %s>\n", error->message);
		cudasim_error_free(error);
		*ret = address + 1;
		return NULL;
	}
	fputc('\t', out);
	uint64_t n = value_print_string_at(out, address, width);
	fputc('\n', out);
	*ret = address + (n ? n : 1);
	return NULL;
}

/* Backwards, as x/-4xw: the n units that end at address. */
static uint64_t before(uint64_t address, int64_t n, char format, char size)
{
	return format == 's' || format == 'i' ? address : address - (uint64_t)n * bytes_of(size);
}

struct cudasim_error *memory_dump(FILE *out, uint64_t address, uint64_t window, int64_t n,
				  char format, char size, uint64_t *ret)
{
	struct cudasim_error *error = NULL;
	int a_line = units_a_line(format, size);
	*ret = address;
	if (format == 'i') {
		const struct frame *frame = frame_selected();
		*ret = host_disassemble(out, address, (size_t)n, frame ? frame->pc : 0);
		return NULL;
	}
	while (n > 0 && !error && !(error = interrupt_quits())) {
		print_address(out, address, window);
		if (format == 's') {
			error = dump_string(out, address, size, &address);
			n--;
			*ret = address;
			continue;
		}
		for (int i = 0; i < a_line && n > 0 && !error; i++, n--)
			error = print_unit(out, address, format, size, &address);
		*ret = address;
		/* The error's text takes the place of the unit. */
		fputc(error ? '\t' : '\n', out);
	}
	return error;
}

/* gdb's rules: an address is a giant word, a character a byte, a float a word or a giant
 * word, a string's units are bytes. */
static char default_size(char format, char size)
{
	switch (format) {
	case 'a':
		return 'g';
	case 'c':
		return 'b';
	case 's':
		return 'b';
	case 'f':
		return size == 'w' || size == 'g' || size == 'h' ? size : 'w';
	default:
		return size;
	}
}

static struct cudasim_error *start_of(const char *text, uint64_t *ret)
{
	struct data_examined *own = &data_state()->examined;
	struct value value;
	enum storage storage = STORAGE_NONE;
	struct cudasim_error *error = evaluate_text(text, &value);
	if (error)
		return error;
	error = value_to_address(&value, ret, &storage);
	value_fini(&value);
	own->window = 0;
	if (!error && storage == STORAGE_SHARED) {
		uint64_t size, window = value_window(&size);
		if (*ret >= window && *ret - window < size)
			own->window = window;
	}
	return error;
}

/* $_ is the last address that was shown, $__ what stands there. */
static void keep_last(char format, char size)
{
	if (format == 's' || format == 'i')
		return;
	const struct type *type = unit_type(format, size);
	uint64_t address = data_state()->examined.next - bytes_of(size);
	struct value pointer = value_integer(type_pointer(type, STORAGE_NONE), (wide)address);
	struct value object = value_at(type, STORAGE_NONE, address);
	convenience_set("_", &pointer);
	convenience_set("__", &object);
	value_fini(&pointer);
	value_fini(&object);
}

struct cudasim_error *command_x(const char *argument)
{
	struct data_examined *own = &data_state()->examined;
	int64_t n = 1;
	char format = 0, size = 0;
	uint64_t start = own->next;
	struct cudasim_error *error = text_format(&argument, &n, &format, &size);
	if (error)
		return error;
	if (format == 'r' || format == 'z')
		format = 'x';
	if (!format)
		format = own->format;
	if (!size)
		size = default_size(format, own->size);
	if (*argument && (error = start_of(argument, &start)))
		return error;
	if (n < 0) {
		start = before(start, -n, format, size);
		n = -n;
	}
	own->format = format;
	own->size = size;
	own->next = start;
	error = memory_dump(console(), start, own->window, n, format, size, &own->next);
	if (!error && n)
		keep_last(format, size);
	return error;
}
