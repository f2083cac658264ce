/* SPDX-License-Identifier: Apache-2.0 */
#include "seal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "module_id.h"
#include "steps.h"

struct header {
	char magic[8];
	uint8_t size[8], hash[16];
};

static struct header header_of(const void *bitcode, size_t n)
{
	struct header ret = {.magic = "cudasim\1"};
	struct module_id id;
	char text[33];
	module_id_init(&id);
	module_id_add(&id, bitcode, n);
	module_id_text(&id, text, ret.hash);
	for (size_t i = 0; i < sizeof ret.size; i++)
		ret.size[i] = (uint8_t)((uint64_t)n >> 8 * i);
	return ret;
}

struct cudasim_error *seal_file(const char *from, const char *sealed)
{
	char *bitcode;
	size_t n;
	struct cudasim_error *error = step_read(from, &bitcode, &n);
	if (error)
		return error;
	struct header header = header_of(bitcode, n);
	char *whole = malloc(sizeof header + n);
	if (whole) {
		memcpy(whole, &header, sizeof header);
		memcpy(whole + sizeof header, bitcode, n);
		error = step_write(sealed, whole, sizeof header + n);
	}
	free(bitcode);
	if (!whole)
		return &cudasim_error_nomem;
	free(whole);
	return error;
}

bool seal_open(const void *bytes, size_t n, const void **bitcode, size_t *n_bitcode)
{
	struct header header;
	if (n < sizeof header)
		return false;
	*bitcode = (const char *)bytes + sizeof header;
	*n_bitcode = n - sizeof header;
	header = header_of(*bitcode, *n_bitcode);
	return !memcmp(bytes, &header, sizeof header);
}
