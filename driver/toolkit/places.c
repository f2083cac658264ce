/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "words.h"

/* path without its last n components. */
static char *above(const char *path, int n)
{
	char *text = text_copy(path);
	while (n-- > 0 && strrchr(text, '/'))
		*strrchr(text, '/') = 0;
	return text;
}

void places_from(const char *self, bool installed, struct places *ret)
{
	char *folder = above(self, 1);
	*ret = (struct places){.installed = installed, .self = text_copy(self)};
	if (installed) {
		/* CUDASIM_UP is the way from bindir to the prefix: "/..". */
		ret->devcc = text_format(
			"%s" CUDASIM_UP "/" CUDASIM_LIBEXECDIR "/cudasim/cudasim-devcc", folder);
		ret->server = text_format("%s" CUDASIM_UP "/" CUDASIM_LIBEXECDIR
					  "/cudasim/cudasim-compile-server",
					  folder);
		ret->builtins = text_format(
			"%s" CUDASIM_UP "/" CUDASIM_LIBDIR "/cudasim/builtins.bc", folder);
		ret->attach = text_format("%s" CUDASIM_UP "/" CUDASIM_LIBDIR "/cudasim/attach.o",
					  folder);
		ret->library = text_format("%s" CUDASIM_UP "/" CUDASIM_LIBDIR, folder);
		ret->libraries = text_copy(ret->library);
		ret->names = text_format("%s/cudasim/names", ret->library);
		ret->stubs = text_format("%s/cudasim/stubs", ret->library);
		ret->tools = text_format("%s/cudasim/tools/bin", ret->library);
		/* site-packages/cudasim/prefix/bin, site-packages/nvidia/cu13 */
		ret->wheels = text_format("%s" CUDASIM_UP "/../../nvidia/cu13", folder);
		ret->include = text_format("%s" CUDASIM_UP "/" CUDASIM_INCLUDEDIR, folder);
		ret->compat = text_format("%s" CUDASIM_UP "/" CUDASIM_DATADIR "/cudasim/compat",
					  folder);
		ret->toolkit_tree =
			text_format("%s" CUDASIM_UP "/" CUDASIM_LIBDIR "/cudasim/toolkit", folder);
		ret->fetch = text_format(
			"%s" CUDASIM_UP "/" CUDASIM_LIBEXECDIR "/cudasim/fetch-toolkit", folder);
		ret->python = text_format("%s" CUDASIM_UP "/" CUDASIM_DATADIR "/cudasim/python",
					  folder);
	} else {
		ret->devcc = text_format("%s/compiler/cudasim-devcc", folder);
		ret->server = text_format("%s/compiler/server/cudasim-compile-server", folder);
		ret->builtins = text_format("%s/compiler/builtins.bc", folder);
		ret->attach = text_format("%s/compiler/attach.o", folder);
		ret->library = text_format("%s/sim", folder);
		ret->libraries = text_format("%s/libraries", folder);
		ret->names = text_format("%s/cudasim/names", ret->library);
		ret->stubs = text_format("%s/libraries/stubs", folder);
		ret->tools = text_format("%s/tools", ret->library);
		ret->wheels = text_format("%s/nvidia/cu13", folder);
		ret->include = text_format("%s/include", folder);
		ret->compat = text_format("%s/include/compat", folder);
		ret->toolkit_tree = text_format("%s/toolkit", folder);
		ret->fetch = text_format("%s/driver/fetch-toolkit", folder);
		ret->python = text_format("%s/python", folder);
	}
	free(folder);
}

/* "/usr/bin/../lib" is right but ugly, and rpaths keep it; what exists is
 * written plainly. */
static void plain(char **path)
{
	char *real = realpath(*path, NULL);
	if (!real)
		return;
	free(*path);
	*path = real;
}

struct cudasim_error *places_find(struct places *ret)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n < 0)
		return cudasim_error_errno(errno, "cannot find the executable of this process");
	self[n] = 0;
	char *folder = above(self, 1);
	char *mark = text_format("%s/meson-info", folder);
	places_from(self, access(mark, F_OK) != 0, ret);
	free(mark);
	free(folder);
	char **all[] = {&ret->devcc,     &ret->builtins, &ret->attach, &ret->library,
			&ret->libraries, &ret->include,  &ret->compat, &ret->toolkit_tree,
			&ret->fetch,     &ret->python,   &ret->server, &ret->names,
			&ret->stubs,     &ret->tools,    &ret->wheels};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		plain(all[i]);
	return NULL;
}

/* In a build tree each has a folder of its own. Installed, NVRTC's has the runtime's library for CuPy
 * beside it (libraries/lib64). */
char *places_beside(const struct places *places, const char *name)
{
	if (!places->installed)
		return text_format("%s/%s", places->libraries, name);
	return text_format("%s%s", places->libraries,
			   strcmp(name, "nvrtc") ? "" : "/cudasim/lib64");
}

void places_fini(struct places *places)
{
	char *all[] = {places->self,         places->devcc,     places->builtins, places->attach,
		       places->library,      places->libraries, places->include,  places->compat,
		       places->toolkit_tree, places->fetch,     places->python,   places->server,
		       places->names,        places->stubs,     places->tools,    places->wheels};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
	*places = (struct places){0};
}
