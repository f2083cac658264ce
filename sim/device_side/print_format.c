/* SPDX-License-Identifier: Apache-2.0 */
/* print_format.c - conversions of device printf.
 *
 * %[flags][width][.precision][size]type with flags # - + space 0, width digits or *,
 * precision digits, size h l ll, type d i u o x X c s p f F e E g G a A. Two look at them, as
 * an H200 shows: the device counts them, and puts an argument for each into a slot of 8 bytes,
 * 32 at most; behind the slots stands the format. Then the host takes a slot for each
 * conversion that it sees, and it knows the size hh as well, which the device does not: so a
 * %hhd takes the slot of the next conversion, and the last ones print bytes of the format.
 *
 * A conversion that the host does not know (%zu, %.*f) is copied. With another one behind it
 * the driver hands it to the host's snprintf, where it prints what no argument was meant for;
 * only what that prints without looking at any (%llld becomes %ld) is done here, too. */
#define _GNU_SOURCE
#include "print_format.h"

#include <limits.h>
#include <printf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOO_LARGE = -2 }; /* a width or precision beyond int */

/* The slots, and the text that stands behind them. */
struct reader {
	uint64_t slots[PRINT_MAX_ARGS];
	uint32_t n, at;
	const char *format;
	size_t size; /* of the format, with its end */
};

static uint64_t read_slot(struct reader *r)
{
	uint64_t value = 0;
	if (r->at < r->n)
		return r->slots[r->at++];
	size_t from = 8 * (size_t)(r->at++ - r->n);
	if (from < r->size)
		memcpy(&value, r->format + from, r->size - from < 8 ? r->size - from : 8);
	return value;
}

static uint64_t read_arg(struct reader *r, size_t size)
{
	uint64_t value = read_slot(r);
	return size == 8 ? value : (uint32_t)value;
}

static bool reserve(struct print *p, size_t more)
{
	if (p->n + more <= p->capacity)
		return true;
	size_t bigger = (p->n + more) * 2;
	bool heap = p->text != p->inline_text;
	char *text = realloc(heap ? p->text : NULL, bigger);
	if (!text)
		return false;
	if (!heap)
		memcpy(text, p->inline_text, p->n);
	p->text = text;
	p->capacity = bigger;
	return true;
}

static void copy(struct print *p, const char *text, size_t n)
{
	if (!reserve(p, n))
		return;
	memcpy(p->text + p->n, text, n);
	p->n += n;
}

/* One conversion with a value of type T through the host's snprintf. */
#define CONVERT(p, spec, value)                                                                    \
	do {                                                                                       \
		int n_ = snprintf(NULL, 0, spec, value);                                           \
		if (n_ >= 0 && reserve((p), (size_t)n_ + 1))                                       \
			(p)->n += (size_t)snprintf((p)->text + (p)->n, (size_t)n_ + 1, spec,       \
						   value);                                         \
	} while (0)

struct spec {
	char flags[8];
	int width, precision; /* -1: none */
	int size;             /* bytes of an integer: 1, 2, 4, 8 */
	bool star;            /* the width is an argument */
	char type;
};

/* Digits, at most what an int holds: beyond it the host prints nothing. */
static const char *read_digits(const char *f, int *ret)
{
	long number = 0;
	for (; *f >= '0' && *f <= '9'; f++)
		number = number > INT_MAX ? number : number * 10 + (*f - '0');
	*ret = number > INT_MAX ? TOO_LARGE : (int)number;
	return f;
}

/* f is behind the %; returns what is behind the conversion, NULL where it is none to the
 * host, or to the device. */
static const char *read_spec(const char *f, struct spec *s, bool host)
{
	size_t n = 0;
	*s = (struct spec){.width = -1, .precision = -1, .size = 4};
	for (; *f && strchr("#-+ 0", *f); f++)
		if (n < sizeof s->flags - 1 && !strchr(s->flags, *f))
			s->flags[n++] = *f;
	if (*f == '*') {
		s->star = true;
		f++;
	} else if (*f >= '1' && *f <= '9') {
		f = read_digits(f, &s->width);
	}
	if (*f == '.')
		f = read_digits(f + 1, &s->precision);
	if (*f == 'h') {
		s->size = host && f[1] == 'h' ? 1 : 2;
		f += s->size == 1 ? 2 : 1;
	} else if (*f == 'l') {
		s->size = 8;
		f += 1 + (f[1] == 'l');
	}
	s->type = *f;
	return *f && strchr("diuoxXcspfFeEgGaA", *f) ? f + 1 : NULL;
}

/* "%-8.3" and the like, with the host's length modifier and type. */
static void host_spec(char *to, size_t size, const struct spec *s, const char *length)
{
	char width[16] = "", precision[16] = "";
	if (s->width >= 0)
		snprintf(width, sizeof width, "%d", s->width);
	if (s->precision >= 0)
		snprintf(precision, sizeof precision, ".%d", s->precision);
	snprintf(to, size, "%%%s%s%s%s%c", s->flags, width, precision, length, s->type);
}

static int64_t narrow_signed(uint64_t value, int size)
{
	return size == 1   ? (int8_t)value
	       : size == 2 ? (int16_t)value
	       : size == 4 ? (int32_t)value
			   : (int64_t)value;
}

static uint64_t narrow(uint64_t value, int size)
{
	return size == 1   ? (uint8_t)value
	       : size == 2 ? (uint16_t)value
	       : size == 4 ? (uint32_t)value
			   : value;
}

/* %ls: the device copies bytes up to the first zero; the host takes them for wide characters. */
static void convert_wide_string(struct print *p, const struct spec *s, const char *text)
{
	char spec[64];
	size_t n = strlen(text);
	char *copied = calloc(1, n + 2 * sizeof(wchar_t));
	if (!copied)
		return;
	memcpy(copied, text, n);
	host_spec(spec, sizeof spec, s, "l");
	CONVERT(p, spec, (const wchar_t *)(const void *)copied);
	free(copied);
}

static void convert_string(struct print *p, const struct spec *s, const char *text)
{
	static const char none[] = "(null)";
	char spec[64];
	p->n_strings += strlen(text ? text : none) + 1;
	if (text && s->size == 8) {
		convert_wide_string(p, s, text);
		return;
	}
	if (!text) /* which the host prints whole or not at all */
		text = s->precision >= 0 && s->precision < (int)sizeof none - 1 ? "" : none;
	host_spec(spec, sizeof spec, s, "");
	CONVERT(p, spec, text);
}

static double as_double(uint64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* A negative * is the flag -. */
static void take_width(struct spec *s, struct reader *r)
{
	s->width = (int32_t)read_arg(r, 4);
	if (s->width >= 0)
		return;
	s->width = s->width == INT_MIN ? TOO_LARGE : -s->width;
	if (!strchr(s->flags, '-'))
		s->flags[strlen(s->flags)] = '-';
}

static void convert(struct print *p, struct spec *s, struct reader *r)
{
	char spec[64];
	uint64_t value; /* read once: CONVERT uses its argument twice */
	if (s->star)
		take_width(s, r);
	if (s->width == TOO_LARGE || s->precision == TOO_LARGE) {
		read_slot(r);
		return;
	}
	switch (s->type) {
	case 'd':
	case 'i':
		host_spec(spec, sizeof spec, s, "l");
		value = read_arg(r, s->size == 8 ? 8 : 4);
		CONVERT(p, spec, (long)narrow_signed(value, s->size));
		return;
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		host_spec(spec, sizeof spec, s, "l");
		value = read_arg(r, s->size == 8 ? 8 : 4);
		CONVERT(p, spec, (unsigned long)narrow(value, s->size));
		return;
	case 'c':
		host_spec(spec, sizeof spec, s, s->size == 8 ? "l" : "");
		value = read_arg(r, 4);
		CONVERT(p, spec, (int)value);
		return;
	case 'f':
	case 'F':
	case 'e':
	case 'E':
	case 'g':
	case 'G':
	case 'a':
	case 'A':
		host_spec(spec, sizeof spec, s, "");
		value = read_arg(r, 8);
		CONVERT(p, spec, as_double(value));
		return;
	case 's':
		value = r->at < r->n ? r->slots[r->at] : 0;
		r->at++;
		convert_string(p, s, (const char *)(uintptr_t)value);
		return;
	case 'p':
		host_spec(spec, sizeof spec, s, "");
		value = read_arg(r, 8);
		CONVERT(p, spec, (void *)(uintptr_t)value);
		return;
	}
}

/* The % at the end of what is no conversion, or what stands behind it. */
static const char *behind(const char *percent)
{
	const char *f = percent + 1;
	f += strspn(f, "#-+ I0123456789.*hlLqjzt'");
	return *f ? f + 1 : f;
}

/* Text between conversions, which the host's snprintf gets with the one behind it. */
static void copy_before(struct print *p, const char *text, size_t n)
{
	const char *end = text + n;
	while (text < end) {
		const char *percent = memchr(text, '%', (size_t)(end - text));
		copy(p, text, (size_t)((percent ? percent : end) - text));
		if (!percent)
			return;
		text = behind(percent);
		if (text > end)
			text = end;
		char spec[64];
		size_t length = (size_t)(text - percent);
		snprintf(spec, sizeof spec, "%.*s", (int)length, percent);
		if (length < sizeof spec && !parse_printf_format(spec, 0, NULL))
			CONVERT(p, spec, 0);
		else
			copy(p, percent, length);
	}
}

/* Text that no conversion follows. */
static void copy_rest(struct print *p, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "%");
		bool doubled = text[n] == '%' && text[n + 1] == '%';
		copy(p, text, n + (text[n] == '%'));
		text += n + (text[n] == '%') + doubled;
	}
}

/* The next conversion from *f on, which becomes what is behind it; NULL: there is none. */
static const char *next_spec(const char **f, struct spec *s, bool host)
{
	const char *percent = *f;
	while (*(percent = strchrnul(percent, '%'))) {
		const char *next = percent[1] == '%' ? NULL : read_spec(percent + 1, s, host);
		if (next) {
			*f = next;
			return percent;
		}
		percent += percent[1] == '%' ? 2 : 1;
	}
	return NULL;
}

/* What the device does: args is packed, each argument at a multiple of its size. */
static void fill_slots(struct reader *r, const unsigned char *args)
{
	struct spec s;
	size_t at = 0;
	for (const char *f = r->format; args && next_spec(&f, &s, false);) {
		size_t sizes[2], n = 0;
		if (s.star)
			sizes[n++] = 4;
		sizes[n++] = s.size == 8 || !strchr("diuoxXc", s.type) ? 8 : 4;
		for (size_t i = 0; i < n && r->n < PRINT_MAX_ARGS; i++) {
			at = (at + sizes[i] - 1) / sizes[i] * sizes[i];
			memcpy(&r->slots[r->n++], args + at, sizes[i]);
			at += sizes[i];
		}
	}
}

bool print_takes_args(const char *format)
{
	struct spec s;
	return next_spec(&format, &s, false);
}

void print_format(struct print *p, const char *format, const void *args)
{
	struct reader r = {.format = format, .size = strlen(format) + 1};
	struct spec s;
	p->text = p->inline_text;
	p->n = 0;
	p->capacity = sizeof p->inline_text;
	p->n_strings = 0;
	fill_slots(&r, args);
	const char *rest = format, *percent;
	for (const char *f = format; (percent = next_spec(&f, &s, true)); rest = f) {
		copy_before(p, rest, (size_t)(percent - rest));
		convert(p, &s, &r);
	}
	copy_rest(p, rest);
	p->n_args = r.n;
}

void print_free(struct print *p)
{
	if (p->text != p->inline_text)
		free(p->text);
}
