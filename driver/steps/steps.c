/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "cudasim/abi.h"
#include "module_id.h"
#include "object.h"
#include "seal.h"
#include "words.h"

/* The value after option name, taken out of the arguments; NULL if absent. */
const char *step_take(int *n, char **arguments, const char *name)
{
	for (int i = 1; i + 1 < *n; i++) {
		if (strcmp(arguments[i], name))
			continue;
		const char *value = arguments[i + 1];
		memmove(&arguments[i], &arguments[i + 2], (size_t)(*n - i - 2) * sizeof *arguments);
		*n -= 2;
		return value;
	}
	return NULL;
}

struct cudasim_error *step_usage(const char *name)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "%s: wrong arguments", name);
}

struct cudasim_error *step_write(const char *path, const void *bytes, size_t n)
{
	FILE *file = fopen(path, "we");
	if (!file)
		return cudasim_error_errno(errno, "cannot write '%s'", path);
	size_t written = fwrite(bytes, 1, n, file);
	if (fclose(file) || written != n)
		return cudasim_error_errno(errno, "cannot write '%s'", path);
	return NULL;
}

static struct cudasim_error *write_id(const char *path, const struct module_id *id,
				      struct cudasim_blob *blob)
{
	char text[34];
	memcpy(blob->magic, CUDASIM_BLOB_MAGIC, sizeof blob->magic);
	module_id_text(id, text, blob->id);
	text[32] = '\n';
	text[33] = 0;
	return step_write(path, text, 33);
}

struct cudasim_error *step_module_id(int n, char **arguments)
{
	const char *blob_path = step_take(&n, arguments, "--blob");
	const char *id_path = step_take(&n, arguments, "--id");
	if (!blob_path || !id_path || n < 4)
		return step_usage(arguments[0]);
	struct module_id id;
	module_id_init(&id);
	struct cudasim_error *error = NULL;
	for (int i = 1; i < n - 2 && !error; i++)
		error = module_id_add_file(&id, arguments[i]);
	if (error)
		return error;
	for (int i = n - 2; i < n; i++)
		module_id_add(&id, arguments[i], strlen(arguments[i]) + 1);
	struct cudasim_blob blob = {0};
	error = write_id(id_path, &id, &blob);
	return error ? error : step_write(blob_path, &blob, sizeof blob);
}

struct cudasim_error *step_sign(int n, char **arguments)
{
	if (n != 2 && n != 3)
		return step_usage(arguments[0]);
	struct module_id id;
	char text[33];
	uint8_t bytes[16];
	module_id_init(&id);
	struct cudasim_error *error = module_id_add_file(&id, arguments[1]);
	FILE *file = error ? NULL : n == 2 ? stdout : fopen(arguments[2], "ae");
	if (error || !file)
		return error ? error
			     : cudasim_error_errno(errno, "cannot write '%s'", arguments[2]);
	module_id_text(&id, text, bytes);
	bool failed = fprintf(file, "#pragma cudasim host %s\n", text) < 0;
	failed |= file == stdout ? fflush(stdout) : fclose(file);
	return failed ? cudasim_error_errno(errno, "cannot write '%s'",
					    n == 2 ? "stdout" : arguments[2])
		      : NULL;
}

/* Runs a program and waits; what it says goes to stderr. */
struct cudasim_error *step_run(const struct words *words)
{
	int code = 0;
	struct cudasim_error *error = child_run(words, NULL, NULL, &code);
	if (error || !code)
		return error;
	return cudasim_error_new(CUDASIM_E_FAILED, "'%s' failed", words->at[0]);
}

struct cudasim_error *step_read_id(const char *path, char text[33])
{
	FILE *file = fopen(path, "re");
	if (!file)
		return cudasim_error_errno(errno, "cannot open '%s'", path);
	size_t n = fread(text, 1, 32, file);
	text[n] = 0;
	fclose(file);
	if (n != 32)
		return cudasim_error_new(CUDASIM_E_FORMAT, "'%s' contains no module id", path);
	return NULL;
}

/* Adds to words what puts the bitcode of a file, sealed, into a section. */
static struct cudasim_error *add_section(struct words *words, struct words *sealed,
					 const char *section, const char *bitcode)
{
	words_addf(sealed, "%s.sealed", bitcode);
	const char *path = sealed->at[sealed->n - 1];
	words_addf(words, "--add-section=%s=%s", section, path);
	/* "exclude": the final link leaves the section out. */
	words_addf(words, "--set-section-flags=%s=exclude,readonly", section);
	return seal_file(bitcode, path);
}

struct cudasim_error *step_seal(int n, char **arguments)
{
	return n == 3 ? seal_file(arguments[1], arguments[2]) : step_usage(arguments[0]);
}

struct cudasim_error *step_pack(int n, char **arguments)
{
	const char *id_path = step_take(&n, arguments, "--id");
	const char *object = step_take(&n, arguments, "-o");
	struct words words = {0}, sealed = {0};
	struct cudasim_error *error = NULL;
	char id[33], *registers = NULL;
	const char *gpu;
	words_add(&words, "objcopy");
	while (!error && (gpu = step_take(&n, arguments, "--gpu"))) {
		const char *equals = strchr(gpu, '=');
		if (!equals) {
			error = step_usage(arguments[0]);
			break;
		}
		char *section = text_format(OBJECT_GPU_SECTION "%.*s", (int)(equals - gpu), gpu);
		error = add_section(&words, &sealed, section, equals + 1);
		free(section);
	}
	if (!error && (!id_path || !object || n != 3))
		error = step_usage(arguments[0]);
	if (!error)
		error = add_section(&words, &sealed, OBJECT_BITCODE_SECTION, arguments[2]);
	if (!error)
		error = step_read_id(id_path, id);
	if (!error)
		error = object_registers(arguments[1], &registers);
	if (!error) {
		if (registers)
			words_addf(&words, "--redefine-sym=%s%s=%s%s_%.16s", OBJECT_REGISTER_PREFIX,
				   registers, OBJECT_REGISTER_PREFIX, registers, id);
		words_add_all(&words, arguments[1], object, NULL);
		error = step_run(&words);
	}
	for (size_t i = 0; i < sealed.n; i++)
		unlink(sealed.at[i]);
	words_fini(&sealed);
	words_fini(&words);
	free(registers);
	return error;
}

/* The state of a gathering. */
struct gathering {
	const char *folder;
	const char *gpu; /* "sm_90": bitcode for it; NULL: the simulator's */
	const char *image; /* what is made, where that is loaded; no host registers it */
	FILE *list;
	struct module_id id;
	unsigned n;
	bool has_gpu;
};

static struct cudasim_error *gather_one(const struct object_code *code, void *context)
{
	struct gathering *gathering = context;
	const char *gpu = gathering->gpu;
	if (!code->bitcode)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "%s contains no GPU code for %s: compile it with --gpu=%s",
					 code->name, gpu, gpu);
	gathering->has_gpu |= code->has_gpu;
	module_id_add(&gathering->id, code->bitcode, code->n_bytes);
	char *path = text_format("%s/device-link-%s%s%u.bc", gathering->folder, gpu ? gpu : "",
				 gpu ? "-" : "", gathering->n++);
	struct cudasim_error *error = step_write(path, code->bitcode, code->n_bytes);
	if (code->registers && !gpu && !gathering->image)
		fprintf(gathering->list, "--rdc-id=%s\n", code->registers);
	fprintf(gathering->list, "%s\n", path);
	free(path);
	return error;
}

/* libNAME.a in one of the -L folders; the system's own libraries hold no
 * device code. NULL if there is none. */
static char *find_archive(const struct words *folders, const char *name)
{
	for (size_t i = 0; i < folders->n; i++) {
		char *path = *name == ':' ? text_format("%s/%s", folders->at[i], name + 1)
					  : text_format("%s/lib%s.a", folders->at[i], name);
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}

static struct cudasim_error *gather_all(int n, char **arguments, struct gathering *gathering)
{
	struct words folders = {0}, visited = {0};
	struct cudasim_error *error = NULL;
	char *section = gathering->gpu ? text_format(OBJECT_GPU_SECTION "%s", gathering->gpu)
				       : text_copy(OBJECT_BITCODE_SECTION);
	for (int i = 1; i < n; i++)
		if (text_starts(arguments[i], "-L"))
			words_add(&folders, arguments[i] + 2);
	for (int i = 1; i < n && !error; i++) {
		char *path = NULL;
		if (text_starts(arguments[i], "-L"))
			continue;
		if (text_starts(arguments[i], "-l"))
			path = find_archive(&folders, arguments[i] + 2);
		else
			path = text_copy(arguments[i]);
		/* A library named twice, for the linker's sake, is gathered once. */
		if (path && !words_have(&visited, path)) {
			words_add(&visited, path);
			error = object_visit(path, section, gather_one, gathering);
		}
		free(path);
	}
	words_fini(&folders);
	words_fini(&visited);
	free(section);
	return error;
}

struct cudasim_error *step_gather(int n, char **arguments)
{
	struct gathering gathering = {.folder = step_take(&n, arguments, "--folder"),
				      .gpu = step_take(&n, arguments, "--gpu"),
				      .image = step_take(&n, arguments, "--image")};
	const char *list = step_take(&n, arguments, "--list");
	const char *id_path = step_take(&n, arguments, "--id");
	const char *objects = step_take(&n, arguments, "--objects");
	const char *object = step_take(&n, arguments, "--object");
	const char *with_gpu = step_take(&n, arguments, "--with-gpu");
	if (!gathering.folder || !list ||
	    (!gathering.gpu && (!id_path || (!gathering.image && (!objects || !object)))))
		return step_usage(arguments[0]);
	gathering.list = fopen(list, "we");
	if (!gathering.list)
		return cudasim_error_errno(errno, "cannot write '%s'", list);
	module_id_init(&gathering.id);
	struct cudasim_error *error = gather_all(n, arguments, &gathering);
	if (fclose(gathering.list) && !error)
		error = cudasim_error_errno(errno, "cannot write '%s'", list);
	if (!error && gathering.image && !gathering.n)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "no input contains device code of -rdc=true or -ltoir");
	if (error || gathering.gpu)
		return error;
	if (gathering.image)
		object = gathering.image;
	if (gathering.has_gpu && with_gpu && !strcmp(with_gpu, "no"))
		fputs("cudasim cc: warning: the objects contain GPU code, but without --gpu for the "
		      "link the program will contain none\n",
		      stderr);
	module_id_add(&gathering.id, object, strlen(object) + 1);
	struct cudasim_blob blob = {0};
	error = write_id(id_path, &gathering.id, &blob);
	if (gathering.image)
		return error;
	char *line = gathering.n ? text_format("%s\n", object) : text_copy("");
	if (!error)
		error = step_write(objects, line, strlen(line));
	free(line);
	return error;
}
