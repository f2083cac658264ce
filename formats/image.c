/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "//cudasim:image ";
enum { HEAD_BYTES = sizeof head - 1 + 12 + 1 + 12 + 1 + 16 + 1, LINE_DIGITS = 96 };
/* Larger ones are no images of ours: a sum of them must not overflow. */
static const unsigned long long limit = 1ull << 38;

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static const uint64_t basis = 0xcbf29ce484222325u;

static uint64_t add(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *c = bytes;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ c[i]) * 0x100000001b3u;
	return hash;
}

bool image_write(FILE *out, const char *ptx, size_t n_ptx, const void *object, size_t n_object)
{
	const unsigned char *bytes = object;
	bool newline = n_ptx && ptx[n_ptx - 1] != '\n';
	uint64_t hash = add(add(add(basis, ptx, n_ptx), "\n", newline), bytes, n_object);
	fprintf(out, "%s%012zu %012zu %016llx\n", head, HEAD_BYTES + n_ptx + newline, n_object,
		(unsigned long long)hash);
	fwrite(ptx, 1, n_ptx, out);
	if (newline)
		fputc('\n', out);
	for (size_t i = 0; i < n_object; i += 3) {
		uint32_t group = 0;
		for (size_t j = 0; j < 3; j++)
			group = group << 8 | (i + j < n_object ? bytes[i + j] : 0);
		if (i % (LINE_DIGITS / 4 * 3) == 0)
			fputs(i ? "\n//" : "//", out);
		for (int shift = 18; shift >= 0; shift -= 6)
			fputc(digits[group >> shift & 63], out);
	}
	fputc('\n', out);
	return !ferror(out);
}

static int value_of(char c)
{
	const char *at = c ? strchr(digits, c) : NULL;
	return at ? (int)(at - digits) : -1;
}

/* Goes digit by digit, so that nothing beyond a NUL is read. */
static bool decode(const char *at, unsigned char *to, size_t n)
{
	for (size_t i = 0; i < n; i += 3) {
		uint32_t group = 0;
		if (i % (LINE_DIGITS / 4 * 3) == 0) {
			if (i && *at++ != '\n')
				return false;
			if (at[0] != '/' || at[1] != '/')
				return false;
			at += 2;
		}
		for (int j = 0; j < 4; j++) {
			int value = value_of(*at);
			if (value < 0)
				return false;
			group = group << 6 | (uint32_t)value;
			at++;
		}
		for (size_t j = 0; j < 3 && i + j < n; j++)
			to[i + j] = (unsigned char)(group >> (16 - 8 * j));
	}
	return true;
}

enum image_found image_read(const char *text, unsigned char **object, size_t *n_object)
{
	unsigned long long offset, n, sum;
	if (strncmp(text, head, sizeof head - 1))
		return IMAGE_NONE;
	if (strnlen(text, HEAD_BYTES) < HEAD_BYTES || text[HEAD_BYTES - 1] != '\n' ||
	    sscanf(text + sizeof head - 1, "%12llu %12llu %16llx", &offset, &n, &sum) != 3 ||
	    offset < HEAD_BYTES || offset > limit || !n || n > limit ||
	    strnlen(text, offset) < offset)
		return IMAGE_DAMAGED;
	/* Before so much memory is asked for. */
	size_t least = (n + 2) / 3 * 4;
	if (strnlen(text + offset, least) < least)
		return IMAGE_DAMAGED;
	unsigned char *bytes = malloc(n);
	if (!bytes)
		return IMAGE_NOMEM;
	if (!decode(text + offset, bytes, n) ||
	    add(add(basis, text + HEAD_BYTES, offset - HEAD_BYTES), bytes, n) != sum) {
		free(bytes);
		return IMAGE_DAMAGED;
	}
	*object = bytes;
	*n_object = n;
	return IMAGE_FOUND;
}
