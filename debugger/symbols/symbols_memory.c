/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_memory.c - memory for what is read of the debug information: cut from
 * chunks and never given back, since frames, types and values point into it for
 * as long as the process lives. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"
#include "symbols_dwarf.h"
#include "vector.h"
#include "symbols_state.h"

enum { CHUNK = 1 << 18, ALIGN = 16 };

void *memory_new(size_t size)
{
	struct symbols_chunks *own = &symbols_state()->memory;
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (size > CHUNK / 8)
		return must(calloc(1, size));
	if (size > own->chunk_left) {
		own->chunk = must(calloc(1, CHUNK));
		own->chunk_left = CHUNK;
	}
	void *memory = own->chunk;
	own->chunk += size;
	own->chunk_left -= size;
	return memory;
}

const char *memory_text(const char *text, size_t n)
{
	char *copy = memory_new(n + 1);
	memcpy(copy, text, n);
	return copy;
}

const char *memory_format(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	char *text = memory_new(n < 0 ? 1 : (size_t)n + 1);
	if (n > 0) {
		va_start(args, format);
		vsnprintf(text, (size_t)n + 1, format, args);
		va_end(args);
	}
	return text;
}

void *memory_grow(void *array, size_t n, size_t *capacity, size_t size)
{
	return must(vector_grow(array, n, capacity, size));
}
