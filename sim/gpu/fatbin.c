/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/fatbin.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const uint32_t magic = 0xba55ed50;

struct header {
	uint32_t magic;
	uint16_t version, size; /* size: bytes of this header */
	uint64_t bytes;         /* of all entries */
};

struct entry {
	uint16_t kind, version;
	uint32_t header_bytes;
	uint64_t payload_bytes;
	uint32_t unknown[3];
	uint32_t architecture; /* 90 */
	uint32_t more[2];
	uint32_t flags;
};
enum { KIND_PTX = 1, KIND_ELF = 2 };
enum { FLAG_SPECIFIC = 1 << 20 }; /* sm_90a: for this architecture only */

bool fatbin_is(const void *data)
{
	uint32_t first;
	memcpy(&first, data, sizeof first);
	return first == magic;
}

static bool runs(const struct entry *e, uint32_t device)
{
	if (e->flags & FLAG_SPECIFIC)
		return e->architecture == device;
	if (e->kind == KIND_PTX)
		return e->architecture <= device;
	return e->architecture / 10 == device / 10 && e->architecture <= device;
}

static void add(char *held, size_t size, const struct entry *e)
{
	char name[32];
	snprintf(name, sizeof name, "%s_%u%s", e->kind == KIND_PTX ? "compute" : "sm",
		 (unsigned)e->architecture, e->flags & FLAG_SPECIFIC ? "a" : "");
	size_t n = strlen(held);
	const char *at = strstr(held, name);
	size_t length = strlen(name);
	if (at && (at[length] == ',' || !at[length]))
		return;
	snprintf(held + n, size - n, "%s%s", n ? ", " : "", name);
}

bool fatbin_runs_on(const void *data, int major, int minor, char *held, size_t size)
{
	struct header header;
	memcpy(&header, data, sizeof header);
	if (header.version != 1 || header.size < sizeof header)
		return true;
	const char *at = (const char *)data + header.size;
	uint64_t left = header.bytes;
	while (left >= sizeof(struct entry)) {
		struct entry e;
		memcpy(&e, at, sizeof e);
		uint64_t bytes = e.header_bytes + e.payload_bytes;
		if (e.header_bytes < sizeof e || bytes > left || bytes < e.header_bytes)
			return true;
		if (e.kind == KIND_PTX || e.kind == KIND_ELF) {
			if (runs(&e, (uint32_t)(10 * major + minor)))
				return true;
			add(held, size, &e);
		}
		at += bytes;
		left -= bytes;
	}
	return false;
}
