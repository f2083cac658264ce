/* SPDX-License-Identifier: Apache-2.0 */
/* printf_format.c - text with C's conversions, for printf and dprintf. */
#include "printf_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "text.h"

/* ---- escapes ----------------------------------------------------------------------- */

/* One escape behind a backslash; *text stands on it and is moved behind it. */
int printf_format_unescape(const char **text)
{
	static const char letters[] = "abefnrtv", codes[] = "\a\b\033\f\n\r\t\v";
	const char *at = strchr(letters, **text);
	if (**text >= '0' && **text <= '7') {
		int code = 0;
		for (int i = 0; i < 3 && **text >= '0' && **text <= '7'; i++)
			code = code * 8 + *(*text)++ - '0';
		return code & 0xff;
	}
	int c = (unsigned char)**text;
	if (at && **text)
		c = (unsigned char)codes[at - letters];
	(*text)++;
	return c;
}

/* ---- the arguments --------------------------------------------------------------------- */

/* Cut at commas that are in no brackets and no quotes. */
static size_t next_argument(const char *text)
{
	int depth = 0;
	size_t n = 0;
	for (char quote = 0; text[n]; n++) {
		char c = text[n];
		if (quote) {
			if (c == '\\' && text[n + 1])
				n++;
			else if (c == quote)
				quote = 0;
		} else if (c == '"' || c == '\'') {
			quote = c;
		} else if (strchr("([{", c)) {
			depth++;
		} else if (strchr(")]}", c)) {
			depth--;
		} else if (c == ',' && depth <= 0) {
			break;
		}
	}
	return n;
}

char *printf_format_argument(const char **text)
{
	if (**text != ',')
		return NULL;
	const char *begin = text_skip(*text + 1);
	size_t n = next_argument(begin);
	*text = begin + n;
	return strndup(begin, n);
}

/* ---- conversions -------------------------------------------------------------------------- */

static struct cudasim_error *print_text(FILE *out, const char *spec, const struct value *value)
{
	const struct type *type = type_target(value->type);
	char *text = NULL;
	size_t n = 0;
	if (type->kind == TYPE_ARRAY) {
		n = value->n_bytes;
		text = calloc(1, n + 1);
		if (!text)
			return &cudasim_error_nomem;
		if (n)
			memcpy(text, value_bytes(value), n);
	} else {
		uint64_t address, capacity = 0;
		struct cudasim_error *error = value_to_address(value, &address, NULL);
		char c = 1;
		while (!error && c) {
			if (n + 1 >= capacity) {
				char *grown = realloc(text, capacity = 2 * capacity + 64);
				if (!grown)
					error = &cudasim_error_nomem;
				else
					text = grown;
			}
			if (!error)
				error = value_memory_read(address + n, &c, 1);
			if (!error)
				text[n++] = c;
		}
		if (error) {
			free(text);
			return error;
		}
	}
	fprintf(out, spec, text);
	free(text);
	return NULL;
}

/* spec: a conversion without its length modifiers, letter last. They are put in as the
 * widest of the kind, so that a value is never cut. */
static struct cudasim_error *print_conversion(FILE *out, const char *spec,
					      const struct value *value)
{
	size_t n = strlen(spec);
	char letter = spec[n - 1], wide_spec[80];
	wide integer;
	long double real;
	struct cudasim_error *error;
	if (letter == 's')
		return print_text(out, spec, value);
	if (letter == 'V') {
		value_print(out, value, 0, 0, true);
		return NULL;
	}
	if (strchr("aAeEfFgG", letter)) {
		if ((error = value_to_real(value, &real)))
			return error;
		snprintf(wide_spec, sizeof wide_spec, "%.*sL%c", (int)n - 1, spec, letter);
		fprintf(out, wide_spec, real);
		return NULL;
	}
	if ((error = value_to_integer(value, &integer)))
		return error;
	if (letter == 'c') {
		fprintf(out, spec, (int)integer);
		return NULL;
	}
	if (letter == 'p') {
		fprintf(out, spec, (void *)(uintptr_t)integer);
		return NULL;
	}
	/* %x of a negative int shows the int's bits, not a long long's. */
	uint64_t size = type_target(value->type)->size;
	unsigned long long bits = (unsigned long long)integer;
	if (!strchr("di", letter) && size && size < 8)
		bits &= (1ull << size * 8) - 1;
	snprintf(wide_spec, sizeof wide_spec, "%.*sll%c", (int)n - 1, spec, letter);
	fprintf(out, wide_spec, bits);
	return NULL;
}

/* Reads a conversion behind its %; *text is moved behind it. */
static struct cudasim_error *read_conversion(const char **text, char *spec, size_t size)
{
	size_t n = 0;
	const char *start = *text;
	spec[n++] = '%';
	while (**text && strchr("-+ #0'123456789.", **text) && n + 2 < size)
		spec[n++] = *(*text)++;
	while (**text && strchr("hlLjztw", **text))
		(*text)++;
	if (!**text || !strchr("diouxXcspaAeEfFgGV", **text))
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Bad format string: %%%.8s is not a conversion", start);
	spec[n++] = *(*text)++;
	spec[n] = 0;
	return NULL;
}

/* The end of the format: its closing quote. */
static const char *format_end(const char *text)
{
	for (; *text && *text != '"'; text++)
		if (*text == '\\' && text[1])
			text++;
	return *text ? text : NULL;
}

struct cudasim_error *
printf_format_write(FILE *out, const char *text,
		    struct cudasim_error *(*next)(void *user, struct value *ret), void *user)
{
	const char *format = text + 1, *end = format_end(format);
	while (format < end) {
		char spec[72];
		struct value value;
		char c = *format++;
		if (c == '\\') {
			fputc(printf_format_unescape(&format), out);
			continue;
		}
		if (c != '%') {
			fputc(c, out);
			continue;
		}
		if (*format == '%') {
			fputc(*format++, out);
			continue;
		}
		struct cudasim_error *error = read_conversion(&format, spec, sizeof spec);
		if (!error)
			error = next(user, &value);
		if (error)
			return error;
		error = print_conversion(out, spec, &value);
		value_fini(&value);
		if (error)
			return error;
	}
	return NULL;
}

/* Counts conversions, so that nothing is printed where the arguments do not fit. */
static struct cudasim_error *check(const char *format, const char *end, const char *arguments)
{
	size_t n_conversions = 0, n_arguments = 0;
	char spec[72];
	while (format < end) {
		char c = *format++;
		if (c == '\\')
			printf_format_unescape(&format);
		else if (c == '%' && *format == '%')
			format++;
		else if (c == '%') {
			struct cudasim_error *error = read_conversion(&format, spec, sizeof spec);
			if (error)
				return error;
			n_conversions++;
		}
	}
	while (*arguments == ',') {
		arguments = text_skip(arguments + 1);
		arguments += next_argument(arguments);
		n_arguments++;
	}
	if (*arguments)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid argument syntax");
	if (n_conversions != n_arguments)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Wrong number of arguments for specified format-string");
	return NULL;
}

struct cudasim_error *printf_format_check(const char *text, const char **ret)
{
	if (*text != '"')
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Bad format string");
	const char *format = text + 1, *end = format_end(format);
	if (!end)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Bad format string, non-terminated '\"'");
	*ret = text_skip(end + 1);
	return check(format, end, *ret);
}
