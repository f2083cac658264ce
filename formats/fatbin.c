/* SPDX-License-Identifier: Apache-2.0 */
#include "fatbin.h"

#include <stdio.h>
#include <string.h>

#include "fatbin_format.h"

bool fatbin_is(const void *data)
{
	uint32_t first;
	memcpy(&first, data, sizeof first);
	return first == FATBIN_MAGIC;
}

static bool runs(const struct fatbin_entry *e, uint32_t device)
{
	if (e->flags & FATBIN_SPECIFIC)
		return e->architecture == device;
	if (e->kind == FATBIN_PTX)
		return e->architecture <= device;
	return e->architecture / 10 == device / 10 && e->architecture <= device;
}

static void add(char *held, size_t size, const struct fatbin_entry *e)
{
	char name[32];
	snprintf(name, sizeof name, "%s_%u%s", e->kind == FATBIN_PTX ? "compute" : "sm",
		 (unsigned)e->architecture, e->flags & FATBIN_SPECIFIC ? "a" : "");
	size_t n = strlen(held);
	const char *at = strstr(held, name);
	size_t length = strlen(name);
	if (at && (at[length] == ',' || !at[length]))
		return;
	snprintf(held + n, size - n, "%s%s", n ? ", " : "", name);
}

/* Where entries begin and how many bytes of them there are; false for another version. */
static bool entries(const void *data, const char **at, uint64_t *left)
{
	struct fatbin_header header;
	memcpy(&header, data, sizeof header);
	*at = (const char *)data + header.size;
	*left = header.bytes;
	return header.version == 1 && header.size == sizeof header;
}

size_t fatbin_size(const void *data)
{
	struct fatbin_header header;
	memcpy(&header, data, sizeof header);
	return header.size + header.bytes;
}

bool fatbin_is_whole(const void *data, size_t n)
{
	struct fatbin_header header;
	if (n < sizeof header)
		return false;
	memcpy(&header, data, sizeof header);
	return header.size <= n && header.bytes <= n - header.size;
}

/* The entry at *at, which then is behind it; false at the end, and with *left what is odd. */
static bool next(const char **at, uint64_t *left, struct fatbin_entry *e)
{
	if (*left < sizeof *e)
		return *left = 0, false;
	memcpy(e, *at, sizeof *e);
	uint64_t bytes = e->header_bytes + e->payload_bytes;
	if (e->header_bytes < sizeof *e || bytes > *left || bytes < e->header_bytes)
		return false;
	*at += bytes;
	*left -= bytes;
	return true;
}

const char *fatbin_ptx(const void *data)
{
	const char *at;
	uint64_t left;
	struct fatbin_entry e;
	if (!entries(data, &at, &left))
		return NULL;
	while (next(&at, &left, &e))
		/* A text without its NUL is none. */
		if (e.kind == FATBIN_PTX && !e.compressed_bytes && e.payload_bytes && !at[-1])
			return at - e.payload_bytes;
	return NULL;
}

bool fatbin_runs_on(const void *data, int major, int minor, char *held, size_t size)
{
	const char *at;
	uint64_t left;
	struct fatbin_entry e;
	if (!entries(data, &at, &left))
		return true;
	while (next(&at, &left, &e)) {
		if (e.kind != FATBIN_PTX && e.kind != FATBIN_ELF)
			continue;
		if (runs(&e, (uint32_t)(10 * major + minor)))
			return true;
		add(held, size, &e);
	}
	/* Behind an entry that is odd anything may follow: the driver will say. */
	return left;
}
