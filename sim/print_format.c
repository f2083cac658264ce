/* SPDX-License-Identifier: Apache-2.0 */
/* print_format.c - conversions of device printf.
 *
 * %[flags][width][.precision][size]type with flags # - + space 0, width and
 * precision digits or *, size h hh l ll, type d i u o x X c s p f F e E g G a A.
 * Any other conversion (also %zu) is copied as it stands and takes no argument. Each conversion is given to the host's snprintf, which both use. */
#define _GNU_SOURCE
#include "print_format.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	const unsigned char *args;
	size_t at;
	uint32_t n;
};

static uint64_t read_arg(struct reader *r, size_t size)
{
	uint64_t value = 0;
	if (r->n++ >= PRINT_MAX_ARGS || !r->args)
		return 0;
	r->at = (r->at + size - 1) / size * size;
	memcpy(&value, r->args + r->at, size);
	r->at += size;
	return value;
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
#define CONVERT(p, spec, value)                                                        \
	do {                                                                           \
		int n_ = snprintf(NULL, 0, spec, value);                               \
		if (n_ >= 0 && reserve((p), (size_t)n_ + 1))                           \
			(p)->n += (size_t)snprintf((p)->text + (p)->n, (size_t)n_ + 1, \
						   spec, value);                       \
	} while (0)

struct spec {
	char flags[8];
	int width, precision; /* -1: none */
	int size;             /* bytes of an integer: 1, 2, 4, 8 */
	char type;
};

static const char *read_number(const char *f, struct reader *r, int *ret)
{
	if (*f == '*') {
		*ret = (int32_t)read_arg(r, 4);
		return f + 1;
	}
	*ret = 0;
	while (*f >= '0' && *f <= '9' && *ret < 100000)
		*ret = *ret * 10 + (*f++ - '0');
	return f;
}

static const char *read_size(const char *f, int *size)
{
	*size = 4;
	if (f[0] == 'h') {
		*size = f[1] == 'h' ? 1 : 2;
		return f + (f[1] == 'h' ? 2 : 1);
	}
	if (f[0] == 'l') {
		*size = 8;
		return f + (f[1] == 'l' ? 2 : 1);
	}
	return f;
}

/* f is behind the %; returns what is behind the conversion. */
static const char *read_spec(const char *f, struct reader *r, struct spec *s)
{
	size_t n = 0;
	*s = (struct spec){.width = -1, .precision = -1};
	while (*f && strchr("#-+ 0", *f)) {
		if (n < sizeof s->flags - 1 && !strchr(s->flags, *f))
			s->flags[n++] = *f;
		f++;
	}
	if (*f == '*' || (*f >= '1' && *f <= '9'))
		f = read_number(f, r, &s->width);
	if (s->width < -1) { /* a negative * is the flag - */
		s->width = -s->width;
		if (!strchr(s->flags, '-'))
			s->flags[n++] = '-';
	}
	if (*f == '.')
		f = read_number(f + 1, r, &s->precision);
	f = read_size(f, &s->size);
	s->type = *f;
	return *f ? f + 1 : f;
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
	return size == 1 ? (int8_t)value : size == 2 ? (int16_t)value
	     : size == 4 ? (int32_t)value : (int64_t)value;
}

static uint64_t narrow(uint64_t value, int size)
{
	return size == 1 ? (uint8_t)value : size == 2 ? (uint16_t)value
	     : size == 4 ? (uint32_t)value : value;
}

static void convert_string(struct print *p, const struct spec *s, const char *text)
{
	char spec[64];
	host_spec(spec, sizeof spec, s, "");
	if (!text)
		text = "(null)";
	p->n_strings += strlen(text) + 1;
	CONVERT(p, spec, text);
}

static double as_double(uint64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* False where the type is none. */
static bool convert(struct print *p, const struct spec *s, struct reader *r)
{
	char spec[64];
	uint64_t value; /* read once: CONVERT uses its argument twice */
	switch (s->type) {
	case 'd': case 'i':
		host_spec(spec, sizeof spec, s, "l");
		value = read_arg(r, s->size == 8 ? 8 : 4);
		CONVERT(p, spec, (long)narrow_signed(value, s->size));
		return true;
	case 'u': case 'o': case 'x': case 'X':
		host_spec(spec, sizeof spec, s, "l");
		value = read_arg(r, s->size == 8 ? 8 : 4);
		CONVERT(p, spec, (unsigned long)narrow(value, s->size));
		return true;
	case 'c':
		host_spec(spec, sizeof spec, s, "");
		value = read_arg(r, 4);
		CONVERT(p, spec, (int)value);
		return true;
	case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A':
		host_spec(spec, sizeof spec, s, "");
		value = read_arg(r, 8);
		CONVERT(p, spec, as_double(value));
		return true;
	case 's':
		convert_string(p, s, (const char *)(uintptr_t)read_arg(r, 8));
		return true;
	case 'p':
		host_spec(spec, sizeof spec, s, "");
		value = read_arg(r, 8);
		CONVERT(p, spec, (void *)(uintptr_t)value);
		return true;
	}
	return false;
}

void print_format(struct print *p, const char *format, const void *args)
{
	struct reader r = {.args = args};
	p->text = p->inline_text;
	p->n = 0;
	p->capacity = sizeof p->inline_text;
	p->n_strings = 0;
	while (*format) {
		const char *percent = strchrnul(format, '%');
		copy(p, format, (size_t)(percent - format));
		if (!*percent)
			break;
		struct spec s;
		const char *behind = read_spec(percent + 1, &r, &s);
		if (s.type == '%')
			copy(p, "%", 1);
		else if (!convert(p, &s, &r))
			copy(p, percent, (size_t)(behind - percent));
		format = behind;
	}
	p->n_args = r.n;
}

void print_free(struct print *p)
{
	if (p->text != p->inline_text)
		free(p->text);
}
