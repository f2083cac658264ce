/* SPDX-License-Identifier: Apache-2.0 */
/* value_format.c - scalars and strings as text, in the forms of print/FMT. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "error.h"
#include "value.h"

/* ---- integers ------------------------------------------------------------------- */

/* Digits of number in base 2, 8, 10 or 16, at least `least` of them. */
static void print_digits(FILE *out, unsigned_wide number, unsigned base, unsigned least)
{
	char text[130];
	size_t at = sizeof text;
	do {
		text[--at] = "0123456789abcdef"[(unsigned)(number % base)];
		number /= base;
	} while (number);
	while (sizeof text - at < least && at)
		text[--at] = '0';
	fwrite(text + at, 1, sizeof text - at, out);
}

static void print_signed(FILE *out, wide number)
{
	if (number < 0)
		fputc('-', out);
	print_digits(out, number < 0 ? -(unsigned_wide)number : (unsigned_wide)number, 10, 1);
}

static wide sign_extend(unsigned_wide number, uint64_t n_bytes)
{
	if (n_bytes && n_bytes < sizeof number && number >> (8 * n_bytes - 1) & 1)
		number |= ~(unsigned_wide)0 << (8 * n_bytes);
	return (wide)number;
}

/* ---- floating point ---------------------------------------------------------------- */

static unsigned fraction_bits(enum float_format format)
{
	switch (format) {
	case FLOAT_HALF:
		return 10;
	case FLOAT_BFLOAT16:
		return 7;
	case FLOAT_SINGLE:
		return 23;
	case FLOAT_X87:
		return 63;
	case FLOAT_E4M3:
		return 3;
	case FLOAT_E5M2:
		return 2;
	case FLOAT_E8M0:
		return 8;
	default:
		return 52;
	}
}

static void print_real(FILE *out, enum float_format format, const unsigned char *bytes, uint64_t n)
{
	long double number = float_read(format, bytes);
	if (isnan(number)) {
		unsigned_wide raw = 0;
		memcpy(&raw, bytes, n < 10 ? n : 10);
		bool negative = raw >> (format == FLOAT_X87 ? 79 : 8 * n - 1) & 1;
		fprintf(out, "%snan(0x", negative ? "-" : "");
		print_digits(out, raw & (((unsigned_wide)1 << fraction_bits(format)) - 1), 16, 1);
		fputc(')', out);
	} else if (isinf(number)) {
		fputs(number < 0 ? "-inf" : "inf", out);
	} else {
		fprintf(out, "%.*Lg", float_digits(format), number);
	}
}

/* ---- characters and strings ---------------------------------------------------------- */

static void print_character(FILE *out, uint32_t c, char quote)
{
	static const char plain[] = "\a\b\f\n\r\t\v", letters[] = "abfnrtv";
	const char *found = c ? strchr(plain, (int)(c & 0xff)) : NULL;
	if (c < 0x80 && found)
		fprintf(out, "\\%c", letters[found - plain]);
	else if (c == (unsigned char)quote || c == '\\')
		fprintf(out, "\\%c", (int)c);
	else if (c >= 0x20 && c < 0x7f)
		fputc((int)c, out);
	else if (c <= 0777)
		fprintf(out, "\\%03o", c);
	else
		fprintf(out, c > 0xffff ? "\\U%08x" : "\\u%04x", c);
}

static const char *prefix_of(uint32_t width)
{
	return width == 4 ? "U" : width == 2 ? "u" : "";
}

/* The letter before a literal of this character type. */
static const char *prefix_of_type(const struct type *type)
{
	if (type->name && !strcmp(type->name, "wchar_t"))
		return "L";
	return prefix_of((uint32_t)type->size);
}

static uint32_t unit(const unsigned char *text, uint64_t i, uint32_t width)
{
	uint32_t c = 0;
	memcpy(&c, text + i * width, width);
	return c;
}

static uint64_t run_length(const unsigned char *text, uint64_t i, uint64_t n, uint32_t width)
{
	uint64_t run = 1;
	while (i + run < n && unit(text, i + run, width) == unit(text, i, width))
		run++;
	return run;
}

/* A literal of quoted stretches and of characters that repeat, with commas between:
 * "ab", 'x' <repeats 20 times>, "cd". */
static void print_string(FILE *out, const unsigned char *text, uint64_t n, uint32_t width,
			 const char *prefix, bool ellipsis)
{
	bool open = false;
	uint64_t most = print_settings()->elements ? print_settings()->elements : UINT64_MAX;
	uint64_t printed = 0, i = 0;
	if (!n)
		fprintf(out, "%s\"\"", prefix);
	while (i < n && printed < most) {
		uint64_t run = run_length(text, i, n, width);
		uint32_t c = unit(text, i, width);
		if (print_settings()->repeats && run > print_settings()->repeats) {
			fputs(open ? "\", " : i ? ", " : "", out);
			open = false;
			fprintf(out, "%s'", prefix);
			print_character(out, c, '\'');
			fprintf(out, "' <repeats %" PRIu64 " times>", run);
			i += run;
			printed += print_settings()->repeats;
			continue;
		}
		if (!open)
			fprintf(out, "%s%s\"", i ? ", " : "", prefix);
		open = true;
		print_character(out, c, '"');
		i++;
		printed++;
	}
	if (open)
		fputc('"', out);
	if (i < n || ellipsis)
		fputs("...", out);
}

void value_print_string(FILE *out, const unsigned char *text, uint64_t n, uint32_t width,
			bool ellipsis)
{
	print_string(out, text, n, width, prefix_of(width), ellipsis);
}

void value_print_text(FILE *out, const unsigned char *text, uint64_t n,
		      const struct type *character, bool ellipsis)
{
	character = type_strip(character);
	print_string(out, text, n, (uint32_t)character->size, prefix_of_type(character), ellipsis);
}

uint64_t value_print_string_at(FILE *out, uint64_t address, uint32_t width)
{
	unsigned char text[4096];
	uint64_t most = print_settings()->elements ? print_settings()->elements
						   : sizeof text / width;
	uint64_t n = 0;
	if (most > sizeof text / width)
		most = sizeof text / width;
	/* Piece by piece, so that a string at the end of its memory is found whole. */
	while (n < most) {
		uint64_t piece = 64 - address % 64;
		uint64_t units = piece / width ? piece / width : 1;
		if (units > most - n)
			units = most - n;
		struct cudasim_error *error = value_memory_read(address + n * width,
								text + n * width, units * width);
		if (error && !n) {
			fprintf(out, "<error: %s>", error->message);
			cudasim_error_free(error);
			return 0;
		}
		if (error) {
			cudasim_error_free(error);
			break;
		}
		for (uint64_t end = n + units; n < end; n++)
			if (!unit(text, n, width)) {
				value_print_string(out, text, n, width, false);
				return (n + 1) * width;
			}
	}
	value_print_string(out, text, n, width, true);
	return n * width;
}

/* ---- enumerations ----------------------------------------------------------------------- */

/* Are all enumerators 0 or single bits, each once? Then values are sums of them. */
static bool is_flags(const struct type *type)
{
	uint64_t seen = 0;
	for (size_t i = 0; i < type->n_enumerators; i++) {
		uint64_t value = (uint64_t)type->enumerators[i].value;
		if (value & (value - 1) || value & seen)
			return false;
		seen |= value;
	}
	return seen != 0;
}

/* Qualified as a program outside of the enumeration's scope writes it: with the
 * enumeration's name where it is scoped, with what is around it otherwise. */
static void print_enumerator(FILE *out, const struct type *type, const char *name)
{
	size_t length = 0;
	if (!strstr(name, "::") && type->name) {
		size_t n = strlen(type->name);
		length = type->is_scoped ? n : 0;
		int depth = 0;
		for (size_t i = n; !type->is_scoped && i-- > 1;) {
			depth += type->name[i] == '>';
			depth -= type->name[i] == '<';
			if (!depth && type->name[i] == ':' && type->name[i - 1] == ':') {
				length = i - 1;
				break;
			}
		}
	}
	if (length)
		fprintf(out, "%.*s::", (int)length, type->name);
	fputs(name, out);
}

static void print_enum(FILE *out, const struct type *type, wide number)
{
	for (size_t i = 0; i < type->n_enumerators; i++)
		if (type->enumerators[i].value == number) {
			print_enumerator(out, type, type->enumerators[i].name);
			return;
		}
	if (!number || !is_flags(type)) {
		print_signed(out, number);
		return;
	}
	uint64_t rest = (uint64_t)number;
	const char *between = "(";
	for (size_t i = 0; i < type->n_enumerators; i++) {
		uint64_t value = (uint64_t)type->enumerators[i].value;
		if (!value || !(rest & value))
			continue;
		fputs(between, out);
		print_enumerator(out, type, type->enumerators[i].name);
		between = " | ";
		rest &= ~value;
	}
	if (rest)
		fprintf(out, "%sunknown: 0x%" PRIx64, between, rest);
	fputc(')', out);
}

/* ---- scalars ------------------------------------------------------------------------------- */

static void print_char(FILE *out, const struct type *type, wide number)
{
	unsigned_wide mask = ((unsigned_wide)1 << (8 * type->size)) - 1;
	print_signed(out, number);
	fprintf(out, " %s'", prefix_of_type(type));
	print_character(out, (uint32_t)((unsigned_wide)number & mask), '\'');
	fputc('\'', out);
}

/* As C++ would write it. */
static void print_plain(FILE *out, const struct type *type, const unsigned char *bytes, uint64_t n,
			wide number)
{
	if (type->float_format)
		print_real(out, type->float_format, bytes, n);
	else if (type->kind == TYPE_BOOL && (number == 0 || number == 1))
		fputs(number ? "true" : "false", out);
	else if (type->kind == TYPE_ENUM)
		print_enum(out, type, number);
	else if (type->kind == TYPE_CHAR && n < 8)
		print_char(out, type, number);
	else if (number < 0 && !type->is_signed)
		print_digits(out, (unsigned_wide)number, 10, 1);
	else
		print_signed(out, number);
}

/* Integers of a float's size are read as one, as gdb does. */
static void print_as_real(FILE *out, const struct type *type, const unsigned char *bytes,
			  uint64_t n, wide number)
{
	enum float_format format = type->float_format;
	if (!format && n == 4)
		format = FLOAT_SINGLE;
	if (!format && n == 8)
		format = FLOAT_DOUBLE;
	if (format)
		print_real(out, format, bytes, n);
	else if (type->is_signed)
		print_signed(out, number);
	else
		print_digits(out, (unsigned_wide)number, 10, 1);
}

/* In a letter's form, out of n bytes. raw: their bits. */
static void print_formatted(FILE *out, const struct type *type, const unsigned char *bytes,
			    uint64_t n, char format)
{
	unsigned_wide raw = 0;
	memcpy(&raw, bytes, n < sizeof raw ? n : sizeof raw);
	if (type->float_format == FLOAT_X87)
		raw &= ((unsigned_wide)1 << 80) - 1;
	bool is_signed = type->is_signed || type->kind == TYPE_FLOAT;
	wide number = is_signed ? sign_extend(raw, n) : (wide)raw;
	/* A char and an address are of the number, where it is a float's. */
	if (type->float_format && (format == 'c' || format == 'a'))
		raw = (unsigned_wide)(number = real_cut(float_read(type->float_format, bytes)));
	switch (format) {
	case 'x':
		fputs("0x", out);
		print_digits(out, raw, 16, 1);
		break;
	case 'z':
		fputs("0x", out);
		print_digits(out, raw, 16, (unsigned)(2 * n));
		break;
	case 'o':
		fputs(raw ? "0" : "", out);
		print_digits(out, raw, 8, 1);
		break;
	case 't':
		print_digits(out, raw, 2, 1);
		break;
	case 'd':
		print_signed(out, sign_extend(raw, n));
		break;
	case 'u':
		print_digits(out, raw, 10, 1);
		break;
	case 'c':
		print_char(out, type_base(is_signed ? "signed char" : "unsigned char"),
			   is_signed ? (wide)(signed char)raw : (wide)(unsigned char)raw);
		break;
	case 'a':
		fprintf(out, "0x%" PRIx64, (uint64_t)raw);
		value_print_symbol(out, (uint64_t)raw);
		break;
	case 'f':
		print_as_real(out, type, bytes, n, number);
		break;
	default: {
		wide plain = type->kind == TYPE_ENUM && type->target
				     ? (type_strip(type->target)->is_signed ? sign_extend(raw, n)
									    : (wide)raw)
				     : number;
		print_plain(out, type, bytes, n, plain);
	}
	}
}

void value_print_scalar(FILE *out, const struct value *value, char format, char size)
{
	struct value hold;
	struct cudasim_error *error = value_copy(value, &hold);
	if (!error)
		error = value_fetch(&hold);
	if (error) {
		fprintf(out, "<error: %s>", error->message);
		cudasim_error_free(error);
		return;
	}
	const struct type *type = type_strip(hold.type);
	uint64_t n = hold.n_bytes;
	if (size)
		n = size == 'b' ? 1 : size == 'h' ? 2 : size == 'w' ? 4 : 8;
	if (n > hold.n_bytes)
		n = hold.n_bytes;
	print_formatted(out, type, value_bytes(&hold), n, format);
	value_fini(&hold);
}
