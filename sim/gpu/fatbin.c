/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/fatbin.h"

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

const char *fatbin_ptx(const void *data)
{
	struct fatbin_header header;
	memcpy(&header, data, sizeof header);
	if (header.version != 1 || header.size < sizeof header)
		return NULL;
	const char *at = (const char *)data + header.size;
	uint64_t left = header.bytes;
	while (left >= sizeof(struct fatbin_entry)) {
		struct fatbin_entry e;
		memcpy(&e, at, sizeof e);
		uint64_t bytes = e.header_bytes + e.payload_bytes;
		if (e.header_bytes < sizeof e || bytes > left || bytes < e.header_bytes)
			return NULL;
		/* A text without its NUL is none. */
		if (e.kind == FATBIN_PTX && !e.compressed_bytes && e.payload_bytes &&
		    !at[bytes - 1])
			return at + e.header_bytes;
		at += bytes;
		left -= bytes;
	}
	return NULL;
}

bool fatbin_runs_on(const void *data, int major, int minor, char *held, size_t size)
{
	struct fatbin_header header;
	memcpy(&header, data, sizeof header);
	if (header.version != 1 || header.size < sizeof header)
		return true;
	const char *at = (const char *)data + header.size;
	uint64_t left = header.bytes;
	while (left >= sizeof(struct fatbin_entry)) {
		struct fatbin_entry e;
		memcpy(&e, at, sizeof e);
		uint64_t bytes = e.header_bytes + e.payload_bytes;
		if (e.header_bytes < sizeof e || bytes > left || bytes < e.header_bytes)
			return true;
		if (e.kind == FATBIN_PTX || e.kind == FATBIN_ELF) {
			if (runs(&e, (uint32_t)(10 * major + minor)))
				return true;
			add(held, size, &e);
		}
		at += bytes;
		left -= bytes;
	}
	return false;
}
