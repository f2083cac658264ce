/* SPDX-License-Identifier: Apache-2.0 */
#include "module_id.h"

#include <errno.h>

__extension__ typedef unsigned __int128 u128;

static const u128 offset_basis = (u128)0x6c62272e07bb0142u << 64 | 0x62b821756295c58du;
static const u128 prime = (u128)1 << 88 | 0x13b;

void module_id_init(struct module_id *id)
{
	id->hash = offset_basis;
}

void module_id_add(struct module_id *id, const void *bytes, size_t n)
{
	const unsigned char *c = bytes;
	for (size_t i = 0; i < n; i++)
		id->hash = (id->hash ^ c[i]) * prime;
}

struct cudasim_error *module_id_add_file(struct module_id *id, const char *path)
{
	FILE *file = fopen(path, "re");
	if (!file)
		return cudasim_error_errno(errno, "cannot open '%s'", path);
	char buffer[65536];
	size_t n;
	while ((n = fread(buffer, 1, sizeof buffer, file)) > 0)
		module_id_add(id, buffer, n);
	struct cudasim_error *error = NULL;
	if (ferror(file))
		error = cudasim_error_errno(errno, "cannot read '%s'", path);
	fclose(file);
	return error;
}

void module_id_text(const struct module_id *id, char text[33], uint8_t bytes[16])
{
	for (int i = 0; i < 16; i++) {
		bytes[i] = (uint8_t)(id->hash >> (120 - 8 * i));
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	}
}
