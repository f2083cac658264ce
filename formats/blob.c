/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "blob.h"

#include <link.h>
#include <stdint.h>
#include <string.h>

#include "fatbin.h"

struct range {
	uintptr_t first, end;
	bool is_loaded;
};

static int look(struct dl_phdr_info *object, size_t size, void *data)
{
	(void)size;
	struct range *range = data;
	for (int i = 0; i < object->dlpi_phnum && !range->is_loaded; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		uintptr_t start = object->dlpi_addr + segment->p_vaddr;
		range->is_loaded = segment->p_type == PT_LOAD && start <= range->first &&
				   range->end <= start + segment->p_memsz;
	}
	return range->is_loaded;
}

/* Another compiler's fat binary may be the last thing of its segment. */
static bool is_loaded(const void *at, size_t n)
{
	struct range range = {(uintptr_t)at, (uintptr_t)at + n, false};
	dl_iterate_phdr(look, &range);
	return range.is_loaded;
}

static bool is_blob(const void *data)
{
	return !memcmp(data, CUDASIM_BLOB_MAGIC, sizeof CUDASIM_BLOB_MAGIC - 1);
}

const struct cudasim_blob *blob_find(const void *data)
{
	if (!data)
		return NULL;
	if (is_blob(data))
		return data;
	if (!fatbin_is(data))
		return NULL;
	size_t n = (fatbin_size(data) + 7) / 8 * 8;
	const struct cudasim_blob *behind = (const void *)((const char *)data + n);
	return is_loaded(behind, sizeof *behind) && is_blob(behind) &&
			       behind->gpu_offset == -(int64_t)n
		       ? behind
		       : NULL;
}

const void *blob_gpu_code(const struct cudasim_blob *blob)
{
	return blob && blob->gpu_offset ? (const char *)blob + blob->gpu_offset : NULL;
}
