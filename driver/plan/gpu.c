/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host_tools.h"
#include "must.h"

enum {
	HIGHEST_FRONT = 90, /* of clang 19; ptxas makes newer code of its PTX, too */
	DEFAULT_GPU = 90,
};

const char *gpu_number(const char *name)
{
	return strchr(name, '_') ? strchr(name, '_') + 1 : name;
}

/* ---- the lists -------------------------------------------------------------- */

/* The front for a version, made if it is new; its index. */
static size_t add_front(struct gpu *gpu, const struct architecture *architecture, unsigned version,
			bool is_specific)
{
	char *name = architecture_clang_name(version < HIGHEST_FRONT ? version : HIGHEST_FRONT,
					     is_specific && version == HIGHEST_FRONT);
	for (size_t i = 0; i < gpu->n_fronts; i++) {
		if (!strcmp(gpu->fronts[i].name, name)) {
			free(name);
			return i;
		}
	}
	struct gpu_front *fronts = must(realloc(gpu->fronts, (gpu->n_fronts + 1) * sizeof *fronts));
	gpu->fronts = fronts;
	fronts[gpu->n_fronts] = (struct gpu_front){
		.name = name,
		.number = (unsigned)strtoul(gpu_number(name), NULL, 10) * 10,
		.is_shared = !strcmp(name, architecture->name),
	};
	return gpu->n_fronts++;
}

static void add_image(struct gpu *gpu, const char *real, size_t front)
{
	for (size_t i = 0; i < gpu->n_images; i++)
		if (!strcmp(gpu->images[i].real, real))
			return;
	struct gpu_image *images = must(realloc(gpu->images, (gpu->n_images + 1) * sizeof *images));
	gpu->images = images;
	images[gpu->n_images++] = (struct gpu_image){text_copy(real), front};
}

/* What is being filled. */
struct choosing {
	struct gpu *gpu;
	const struct architecture *architecture;
};

/* Code `name` of what was preprocessed for `virtual` (NULL: for itself). */
static struct cudasim_error *add(struct choosing *c, const char *virtual, const char *name)
{
	unsigned version, of;
	char suffix, of_suffix;
	struct cudasim_error *error = architecture_parse(name, &version, &suffix);
	if (!error)
		error = architecture_parse(virtual ? virtual : name, &of, &of_suffix);
	if (error)
		return error;
	bool is_specific = suffix == 'a' || of_suffix == 'a';
	size_t front = add_front(c->gpu, c->architecture, of < version ? of : version, is_specific);
	if (text_starts(name, "compute_"))
		return NULL;
	char *real = text_format(suffix ? "sm_%u%c" : "sm_%u", version, suffix);
	add_image(c->gpu, real, front);
	free(real);
	return NULL;
}

static struct cudasim_error *add_group(struct choosing *c, const char *name)
{
	struct words names = {0};
	if (!strcmp(name, "native"))
		words_addf(&names, "sm_%d", DEFAULT_GPU);
	else
		architecture_all(&names, !strcmp(name, "all-major"));
	struct cudasim_error *error = NULL;
	for (size_t i = 0; i < names.n && !error; i++)
		error = add(c, NULL, names.at[i]);
	words_fini(&names);
	return error;
}

static struct cudasim_error *add_any(struct choosing *c, const char *virtual, const char *name)
{
	return architecture_is_group(name) ? add_group(c, name) : add(c, virtual, name);
}

/* sm_90 | [sm_90,compute_90] | "sm_90,compute_90" */
static struct cudasim_error *add_list(struct choosing *c, const char *virtual, const char *list,
				      size_t length)
{
	char *plain = text_copy_n(list, length), *to = plain;
	for (const char *from = plain; *from; from++)
		if (!strchr("[]\"' ", *from))
			*to++ = *from;
	*to = 0;
	struct words names = {0};
	words_split(&names, plain, ',');
	struct cudasim_error *error = NULL;
	for (size_t i = 0; i < names.n && !error; i++)
		error = add_any(c, virtual, names.at[i]);
	words_fini(&names);
	free(plain);
	return error;
}

/* arch=compute_90,code=[sm_90,compute_90]; architecture.c has checked its form. */
static struct cudasim_error *add_gencode(struct choosing *c, const char *text)
{
	const char *arch = strstr(text, "arch="), *code = strstr(text, "code=");
	if (!arch || !code)
		return add_any(c, NULL, text);
	char *virtual = text_copy_n(arch + 5, strcspn(arch + 5, ",\"' "));
	size_t length = arch > code ? (size_t)(arch - code) - 5 : strlen(code + 5);
	struct cudasim_error *error = add_list(c, virtual, code + 5, length);
	free(virtual);
	return error;
}

static struct cudasim_error *add_named(struct choosing *c, const struct command *command)
{
	struct cudasim_error *error = NULL;
	for (size_t i = 0; i < command->gpus.n && !error; i++)
		error = add_any(c, NULL, command->gpus.at[i]);
	if (error || command->gpus.n)
		return error;
	const struct words *named = &command->architectures;
	const char *arch = named->n ? named->at[named->n - 1] : NULL;
	if (arch && !command->codes.n)
		error = add_any(c, NULL, arch);
	for (size_t i = 0; i < command->codes.n && !error; i++)
		error = add_list(c, arch, command->codes.at[i], strlen(command->codes.at[i]));
	for (size_t i = 0; i < command->gencodes.n && !error; i++)
		error = add_gencode(c, command->gencodes.at[i]);
	return error;
}

struct cudasim_error *gpu_choose(const struct command *command,
				 const struct architecture *architecture, struct gpu *ret)
{
	*ret = (struct gpu){0};
	struct choosing c = {ret, architecture};
	struct cudasim_error *error = add_named(&c, command);
	if (!error && !ret->n_fronts)
		error = add_group(&c, "native");
	/* Code that is specific to an architecture serves no later one. */
	for (size_t i = 0; i < ret->n_fronts; i++) {
		const struct gpu_front *front = &ret->fronts[i], *best = &ret->fronts[ret->ptx];
		bool is_specific = text_ends(best->name, "a") && !text_ends(front->name, "a");
		if (front->number > best->number || (front->number == best->number && is_specific))
			ret->ptx = i;
	}
	if (error)
		gpu_fini(ret);
	return error;
}

/* ---- tools ------------------------------------------------------------------- */

char *gpu_find_tool(const struct toolkit *toolkit, const char *name)
{
	char *path = toolkit ? text_format("%s/bin/%s", toolkit->root, name) : NULL;
	if (path && !access(path, X_OK) && !host_tools_is_cudasim(path))
		return path;
	free(path);
	path = host_tools_which(name);
	if (path)
		return path;
	char *cache = toolkit_cache_folder();
	path = cache ? text_format("%s/toolkit-13.0/bin/%s", cache, name) : NULL;
	free(cache);
	if (path && !access(path, X_OK))
		return path;
	free(path);
	return NULL;
}

static struct cudasim_error *need(const struct toolkit *toolkit, const char *name, char **ret)
{
	*ret = gpu_find_tool(toolkit, name);
	if (*ret)
		return NULL;
	return cudasim_error_new(
		CUDASIM_E_NOTFOUND,
		"--gpu needs the CUDA toolkit's %s, which is neither in %s/bin nor "
		"on PATH: install CUDA 13's compiler (nvcc) or run "
		"`cudasim fetch-toolkit`; `cudasim doctor` lists what was found",
		name, toolkit->root);
}

struct cudasim_error *gpu_find_tools(const struct toolkit *toolkit, struct gpu *gpu)
{
	/* What it links names NVIDIA's libraries of 13, whose functions have other parameters. */
	if (toolkit->version < 13000)
		return cudasim_error_new(
			CUDASIM_E_NOTFOUND, "--gpu needs a toolkit of CUDA 13, and %s is of %u.%u",
			toolkit->root, toolkit->version / 1000, toolkit->version % 1000 / 10);
	struct cudasim_error *error = need(toolkit, "ptxas", &gpu->ptxas);
	return error ? error : need(toolkit, "fatbinary", &gpu->fatbinary);
}

void gpu_fini(struct gpu *gpu)
{
	for (size_t i = 0; i < gpu->n_fronts; i++)
		free(gpu->fronts[i].name);
	for (size_t i = 0; i < gpu->n_images; i++)
		free(gpu->images[i].real);
	free(gpu->fronts);
	free(gpu->images);
	free(gpu->ptxas);
	free(gpu->fatbinary);
	*gpu = (struct gpu){0};
}
