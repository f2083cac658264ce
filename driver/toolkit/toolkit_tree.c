/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "toolkit_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host_tools.h"
#include "links.h"

/* A small file with this text, likewise left alone if it is right. Others may be reading it. */
static struct cudasim_error *make_file(const char *root, const char *name, const char *text,
				       mode_t mode)
{
	char *path = text_format("%s/%s", root, name), now[4096] = "";
	struct stat about;
	FILE *file = fopen(path, "re");
	size_t n = file ? fread(now, 1, sizeof now - 1, file) : 0;
	if (file)
		fclose(file);
	struct cudasim_error *error = NULL;
	if (n != strlen(text) || memcmp(now, text, n) || lstat(path, &about) ||
	    !S_ISREG(about.st_mode)) {
		char *fresh = text_format("%s.%ld", path, (long)getpid());
		int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
		file = fd < 0 ? NULL : fdopen(fd, "w");
		bool failed = !file || fputs(text, file) < 0;
		if ((file && fclose(file)) || failed || rename(fresh, path)) {
			error = cudasim_error_errno(errno, "cannot write '%s'", path);
			unlink(fresh);
		}
		free(fresh);
	}
	free(path);
	return error;
}

/* bin/NAME: a script, since a link's real path is cudasim, and not beside a toolkit's folders:
 * who resolves nvcc's links calls that, or looks for headers there. */
static struct cudasim_error *make_tool(const char *root, const char *tool, const char *cudasim)
{
	struct words command = {0};
	words_add_all(&command, cudasim, tool, NULL);
	char *name = text_format("bin/%s", tool), *line = words_quote(&command);
	char *script = text_format("#!/bin/sh\nexec %s \"$@\"\n", line);
	struct cudasim_error *error = make_file(root, name, script, 0777);
	words_fini(&command);
	free(name);
	free(line);
	free(script);
	return error;
}

/* bin/cudasim-link: the host's compiler, for CMake, which links by itself with the program that it has seen
 * `cudasim cc` link with. What it links has to find libcudasim without LD_LIBRARY_PATH. */
static struct cudasim_error *make_linker(const char *root, const struct places *places)
{
	struct host_tools tools;
	struct cudasim_error *error = host_tools_find(places->tools, &tools);
	if (error) {
		/* `cudasim cc` will say so. */
		cudasim_error_free(error);
		return NULL;
	}
	struct words command = {0};
	words_add(&command, tools.host_cxx);
	char *cxx = words_quote(&command);
	words_fini(&command);
	words_addf(&command, "-Wl,-rpath,%s", places->library);
	words_addf(&command, "-Wl,-rpath,%s", places->names);
	char *paths = words_quote(&command);
	char *script = text_format("#!/bin/sh\nexec %s \"$@\" %s\n", cxx, paths);
	error = make_file(root, "bin/cudasim-link", script, 0777);
	words_fini(&command);
	host_tools_fini(&tools);
	free(cxx);
	free(paths);
	free(script);
	return error;
}

/* library, runtime: the paths of libcudasim.so, and of what stands for libcudart. */
static struct cudasim_error *make_shared(const char *root, const struct places *places,
					 const char *library, const char *runtime)
{
	static const struct {
		const char *name;
		const char *beside; /* libcudasim-NAME.so; NULL: libcudasim.so */
	} shared[] = {
		/* Programs that others link ask for them by their own names. */
		{"lib64/libcudasim-cublas.so", "cublas"},
		{"lib64/libcudasim-cufft.so", "cufft"},
		{"lib64/libcudasim-curand.so", "curand"},
		{"lib64/libcudasim-cusolver.so", "cusolver"},
		{"lib64/libcudasim-cusparse.so", "cusparse"},
		{"lib64/libcudasim-nvjitlink.so", "nvjitlink"},
		{"lib64/libcudasim-nvrtc.so", "nvrtc"},
		{"lib64/libcudasim-nvvm.so", "nvvm"},
		{"lib64/libcudasim.so", NULL},
		{"lib64/libcudart.so.12", NULL},
		{"lib64/libcudart.so.13", NULL},
		{"lib64/libcuda.so", NULL},
		{"lib64/libcuda.so.1", NULL},
		{"lib64/stubs/libcuda.so", NULL},
		{"lib64/libnvrtc.so", "nvrtc"},
		{"lib64/libnvrtc.so.12", "nvrtc"},
		{"lib64/libnvrtc.so.13", "nvrtc"},
		{"lib64/libcublas.so", "cublas"},
		{"lib64/libcufft.so", "cufft"},
		{"lib64/libcurand.so", "curand"},
		{"lib64/libcusolver.so", "cusolver"},
		{"lib64/libcusparse.so", "cusparse"},
		{"nvvm/lib64/libnvvm.so", "nvvm"},
		{"nvvm/lib64/libnvvm.so.4", "nvvm"},
		{"lib64/libnvJitLink.so", "nvjitlink"},
		{"lib64/libnvJitLink.so.12", "nvjitlink"},
		{"lib64/libnvJitLink.so.13", "nvjitlink"},
	};
	struct cudasim_error *error = links_make(root, "lib64/libcudart.so", runtime);
	for (size_t i = 0; i < sizeof shared / sizeof *shared && !error; i++) {
		const char *beside = shared[i].beside;
		char *folder = beside ? places_beside(places, beside) : NULL;
		char *path = beside ? text_format("%s/libcudasim-%s.so", folder, beside) : NULL;
		error = links_make(root, shared[i].name, path ? path : library);
		free(folder);
		free(path);
	}
	return error;
}

/* The toolkit's folder of libdevice and headers, with cudasim's libnvvm for NVIDIA's. */
static struct cudasim_error *make_nvvm(const char *root, const char *nvvm)
{
	static const char *const folders[] = {"libdevice", "include"};
	struct cudasim_error *error = NULL;
	for (size_t i = 0; i < sizeof folders / sizeof *folders && !error; i++) {
		char *name = text_format("nvvm/%s", folders[i]);
		char *target = text_format("%s/%s", nvvm, folders[i]);
		error = links_make(root, name, target);
		free(name);
		free(target);
	}
	return error;
}

/* What an earlier version of cudasim linked, where a folder is to be. */
static void remove_link(const char *root, const char *name)
{
	struct stat about;
	char *path = text_format("%s/%s", root, name);
	if (!lstat(path, &about) && S_ISLNK(about.st_mode))
		unlink(path);
	free(path);
}

/* What stands for archives. cudaRuntimeGetVersion() reads the symbol (formats/toolkit_version.h). */
static char *make_script(const struct toolkit *toolkit, const char *runtime, const char *library)
{
	static const char head[] = "/* GNU ld script */\n";
	if (toolkit->version == TOOLKIT_DEFAULT)
		return text_format("%sINPUT(\"%s\")\n", head, library);
	return text_format("%sINPUT(\"%s\" \"%s\")\n__cudasim_toolkit_version = %u;\n", head,
			   runtime, library, toolkit->version);
}

static struct cudasim_error *fill(const char *root, const struct places *places,
				  const struct toolkit *toolkit)
{
	static const char *const folders[] = {"bin", "lib64/stubs", "targets/x86_64-linux",
					      "nvvm/lib64"};
	/* An archive that is a linker script: g++ -lcudart_static takes it. */
	static const char *const scripts[] = {"lib64/libcudart_static.a", "lib64/libcudadevrt.a"};
	remove_link(root, "nvvm");
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		char *path = text_format("%s/%s", root, folders[i]);
		struct cudasim_error *error = links_make_folder(path);
		free(path);
		if (error)
			return error;
	}
	char *library = text_format("%s/libcudasim.so", places->library);
	char *runtime = toolkit->version < 13000 ? text_format("%s/libcudasim-12.so", places->stubs)
						 : text_copy(library);
	char *script = make_script(toolkit, runtime, library);
	/* Not root/nvvm: with CUDA_HOME set to this very tree that is a link to itself. */
	char *nvvm = text_copy(toolkit->libdevice);
	for (int up = 0; up < 2; up++)
		*strrchr(nvvm, '/') = 0;
	char *version =
		text_format("{\"cuda\": {\"name\": \"CUDA SDK\", \"version\": \"%u.%u\"}}\n",
			    toolkit->version / 1000, toolkit->version % 1000 / 10);
	struct cudasim_error *error = make_tool(root, "nvcc", places->self);
	if (!error)
		error = make_tool(root, "ptxas", places->self);
	if (!error && places->installed)
		error = make_linker(root, places);
	if (!error)
		error = links_make(root, "bin/cudasim", places->self);
	if (!error)
		error = make_shared(root, places, library, runtime);
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts && !error; i++)
		error = make_file(root, scripts[i], script, 0666);
	if (!error)
		error = links_make(root, "include", toolkit->include);
	if (!error)
		error = make_nvvm(root, nvvm);
	if (!error)
		error = links_make(root, "lib", "lib64");
	if (!error)
		error = links_make(root, "targets/x86_64-linux/include", "../../include");
	if (!error)
		error = links_make(root, "targets/x86_64-linux/lib", "../../lib64");
	if (!error)
		error = make_file(root, "version.json", version, 0666);
	free(library);
	free(runtime);
	free(script);
	free(nvvm);
	free(version);
	return error;
}

/* The default version's root as it is; "-12.4" behind it for another. The caller frees it. */
static char *of_version(const char *root, const struct toolkit *toolkit)
{
	if (!root)
		return NULL;
	return toolkit->version == TOOLKIT_DEFAULT
		       ? text_copy(root)
		       : text_format("%s-%u.%u", root, toolkit->version / 1000,
				     toolkit->version % 1000 / 10);
}

/* The tree for a user whose installation has none. NULL without a home. */
static char *own_tree(const struct toolkit *toolkit)
{
	char *cache = toolkit_cache_folder();
	char *root = cache ? text_format("%s/toolkit-%u.%u-nvcc", cache, toolkit->version / 1000,
					 toolkit->version % 1000 / 10)
			   : NULL;
	free(cache);
	return root;
}

char *toolkit_tree_linker(const struct places *places, const struct toolkit *toolkit)
{
	char *libraries = places->installed ? toolkit_tree_libraries(places, toolkit) : NULL;
	char *path = libraries ? text_format("%s/../bin/cudasim-link", libraries) : NULL;
	char *ret = path && !access(path, X_OK) ? realpath(path, NULL) : NULL;
	free(libraries);
	free(path);
	return ret;
}

char *toolkit_tree_libraries(const struct places *places, const struct toolkit *toolkit)
{
	char *roots[] = {of_version(places->toolkit_tree, toolkit), own_tree(toolkit)};
	char *found = NULL, *ours = text_format("%s/libcudasim.so", places->library);
	char *real = realpath(ours, NULL);
	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
		char *folder = text_format("%s/lib64", roots[i] ? roots[i] : "");
		char *link = text_format("%s/libcudasim.so", folder),
		     *target = realpath(link, NULL);
		if (!found && roots[i] && real && target && !strcmp(real, target))
			found = text_copy(folder);
		free(folder);
		free(link);
		free(target);
		free(roots[i]);
	}
	free(ours);
	free(real);
	return found;
}

struct cudasim_error *toolkit_tree_make(const struct places *places, const struct toolkit *toolkit,
					char **ret)
{
	char *root = of_version(places->toolkit_tree, toolkit);
	struct cudasim_error *error = fill(root, places, toolkit);
	if (!error) {
		*ret = realpath(root, NULL);
		free(root);
		return *ret ? NULL : &cudasim_error_nomem;
	}
	free(root);
	/* Installed for all users with another toolkit, or none. */
	root = own_tree(toolkit);
	if (!root)
		return error;
	cudasim_error_free(error);
	error = fill(root, places, toolkit);
	if (error)
		free(root);
	else
		*ret = root;
	return error;
}
