/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "links.h"
#include "module_id.h"
#include "toolkit.h"
#include "words.h"

/* The build's list of them (sim/meson.build). */
static const struct {
	const char *name;
	const char *beside; /* libcudasim-NAME.so; "": libcudasim.so */
} names[] = {
#define X(name, beside) {name, beside},
#include "runtime_names.inc"
#undef X
};

/* The folder for a user who may not write into the installation, one for each installation;
 * NULL without a home. */
static char *own_folder(const struct places *places)
{
	char *cache = toolkit_cache_folder(), *slash = cache ? strrchr(cache, '/') : NULL;
	char *ret = NULL, digest[33];
	uint8_t bytes[16];
	struct module_id id;
	module_id_init(&id);
	module_id_add(&id, places->library, strlen(places->library));
	module_id_text(&id, digest, bytes);
	if (slash)
		ret = text_format("%.*s/names-%.16s", (int)(slash - cache), cache, digest);
	free(cache);
	return ret;
}

static struct cudasim_error *fill(const struct places *places, const char *folder)
{
	struct cudasim_error *error = links_make_folder(folder);
	for (size_t i = 0; i < sizeof names / sizeof *names && !error; i++) {
		char *beside = *names[i].beside ? places_beside(places, names[i].beside) : NULL;
		char *target = beside ? text_format("%s/libcudasim-%s.so", beside, names[i].beside)
				      : text_format("%s/libcudasim.so", places->library);
		free(beside);
		error = links_make(folder, names[i].name, target);
		free(target);
	}
	return error;
}

static bool is_filled(const char *folder)
{
	char *last = text_format("%s/%s", folder, names[sizeof names / sizeof *names - 1].name);
	bool ret = !access(last, F_OK);
	free(last);
	return ret;
}

struct cudasim_error *names_make(struct places *places)
{
	if (is_filled(places->names))
		return NULL;
	struct cudasim_error *error = fill(places, places->names);
	if (!error)
		return NULL;
	char *own = own_folder(places);
	if (!own)
		return error;
	cudasim_error_free(error);
	error = fill(places, own);
	free(places->names);
	places->names = own;
	return error;
}
