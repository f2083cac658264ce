/* SPDX-License-Identifier: Apache-2.0 */
/* compile.c - a program in a folder of its own, and `cudasim cc` on it.
 *
 * Name expressions become variables behind the source, each with the address that is asked
 * for; in the PTX their initial value is the lowered name. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler.h"
#include "nvrtc.h"

#define NAME_VARIABLE "cudasim_nvrtc_name_"

/* ---- files ------------------------------------------------------------------------------- */

bool nvrtc_make_folders(const char *name, const char *folder)
{
	if (*name == '/' || !strncmp(name, "../", 3) || strstr(name, "/../"))
		return false;
	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		char *path = jit_format("%s/%.*s", folder, (int)(slash - name), name);
		bool made = path && (!mkdir(path, 0700) || errno == EEXIST);
		free(path);
		if (!made)
			return false;
	}
	return true;
}

static bool write_headers(const struct nvrtc_program *p, const char *folder)
{
	for (size_t i = 0; i < p->n_headers; i++) {
		if (!nvrtc_make_folders(p->headers[i].name, folder))
			return false;
		char *path = jit_format("%s/%s", folder, p->headers[i].name);
		bool written = compiler_write_text(path, p->headers[i].text);
		free(path);
		if (!written)
			return false;
	}
	return true;
}

static bool write_source(const struct nvrtc_program *p, const struct nvrtc_options *options,
			 bool host, const char *path)
{
	FILE *out = fopen(path, "we");
	if (!out)
		return false;
	nvrtc_prelude_begin(out, options, host);
	fputs("#line 1 \"", out);
	for (const char *c = p->name; *c; c++)
		fprintf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
	fprintf(out, "\"\n%s\n", p->source);
	if (options->device_default)
		fputs("#pragma clang force_cuda_host_device end\n", out);
	/* Where an expression means nothing clang drops the variable's value first. */
	fputs("#pragma clang diagnostic ignored \"-Wignored-attributes\"\n", out);
	for (size_t i = 0; i < p->n_names; i++)
		fprintf(out,
			"#line 1 \"" NVRTC_EXPRESSION "%zu\"\n"
			"extern \"C\" __device__ __attribute__((used)) const void *" NAME_VARIABLE
			"%zu = (const void *)(%s);\n",
			i + 1, i, p->names[i].expression);
	/* Written in one go, and by nobody else: as good as an old file, which the cache wants. */
	struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
	return !fclose(out) && !utimensat(AT_FDCWD, path, times, 0);
}

/* ---- the compiler -------------------------------------------------------------------------- */

/* ".global .align 8 .u64 VARIABLE = NAME;" or "= generic(NAME);" */
static enum nvrtc_result read_names(struct nvrtc_program *p)
{
	for (size_t i = 0; i < p->n_names; i++) {
		char *variable = jit_format(NAME_VARIABLE "%zu = ", i);
		const char *at = variable ? strstr(p->code, variable) : NULL;
		if (at)
			at += strlen(variable);
		free(variable);
		if (!at)
			return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
		if (!strncmp(at, "generic(", 8))
			at += 8;
		p->names[i].lowered = jit_format("%.*s", (int)strcspn(at, ");"), at);
		if (!p->names[i].lowered)
			return NVRTC_ERROR_OUT_OF_MEMORY;
	}
	return NVRTC_SUCCESS;
}

static bool say(struct nvrtc_program *p, char *text)
{
	if (!text)
		return false;
	free(p->log);
	p->log = text;
	return true;
}

static enum nvrtc_result compile_in(struct nvrtc_program *p, const struct nvrtc_options *options,
				    struct jit_words *arguments, bool host, bool lto,
				    const char *folder, const char *prelude)
{
	char *source = jit_format("%s/program.cu", folder), *log = jit_format("%s/log", folder);
	char *output = jit_format("%s/program.%s", folder, lto ? "ltoir" : "ptx");
	enum nvrtc_result result = NVRTC_ERROR_OUT_OF_MEMORY;
	int status = -1;
	if (!source || !log || !output)
		goto end;
	if (!write_headers(p, folder) || !write_source(p, options, host, source)) {
		say(p, jit_format("nvrtc: error: cannot write the source or a header in %s\n",
				  folder));
		result = NVRTC_ERROR_INVALID_INPUT;
		goto end;
	}
	if ((p->n_headers && !jit_words_add(arguments, jit_format("-I%s", folder))) ||
	    !nvrtc_prelude_add(arguments, host, prelude) ||
	    !jit_words_add(arguments, jit_format("-o")) ||
	    !jit_words_add(arguments, jit_format("%s", output)) ||
	    !jit_words_add(arguments, jit_format("%s", source)))
		goto end;
	status = compiler_run(arguments->at, NULL, log);
	result = NVRTC_ERROR_INTERNAL_ERROR;
	if (status < 0 || status == 127) {
		say(p, jit_format("nvrtc: error: cannot run %s\n", arguments->at[0]));
		goto end;
	}
	say(p, nvrtc_log_read(p, log, folder));
	result = NVRTC_ERROR_COMPILATION;
	if (lto && !status) {
		p->ltoir = compiler_read_file(output, &p->n_ltoir);
		result = p->ltoir ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
	} else if (!status) {
		p->code = compiler_read_text(output);
		result = p->code ? read_names(p) : NVRTC_ERROR_OUT_OF_MEMORY;
	}
end:
	free(source);
	free(log);
	free(output);
	return result;
}

/* The program's own folder; NULL if there is none to be had. Its name is the program's hash, since the compile
 * cache knows sources by their paths; where another process compiles the same, any name. */
static char *make_folder(const struct nvrtc_program *p)
{
	const char *tmp = getenv("TMPDIR");
	if (!tmp || !*tmp)
		tmp = "/tmp";
	uint64_t hash = 0xcbf29ce484222325u;
	for (const char *c = p->source; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	char *folder = jit_format("%s/cudasim-nvrtc-%u-%016llx", tmp, (unsigned)geteuid(),
				  (unsigned long long)hash);
	if (folder && !mkdir(folder, 0700))
		return folder;
	free(folder);
	folder = jit_format("%s/cudasim-nvrtc-XXXXXX", tmp);
	if (folder && mkdtemp(folder))
		return folder;
	free(folder);
	return NULL;
}

static enum nvrtc_result compile_once(struct nvrtc_program *p, const struct nvrtc_options *options,
				      const struct jit_words *more, bool host, bool lto)
{
	struct jit_words arguments = {0};
	enum nvrtc_result result = NVRTC_ERROR_OUT_OF_MEMORY;
	char *folder = make_folder(p);
	if (!folder) {
		say(p, jit_format("nvrtc: error: cannot make a folder for temporary files\n"));
		return NVRTC_ERROR_INTERNAL_ERROR;
	}
	char *prelude = nvrtc_prelude_folder(p, options, host, folder);
	/* Looked into before the folders that the program names. */
	bool ready = prelude && jit_words_add(&arguments, compiler_find()) &&
		     jit_words_add(&arguments, jit_format("cc")) &&
		     jit_words_add(&arguments, jit_format(lto ? "-ltoir" : "-ptx")) &&
		     jit_words_add(&arguments, jit_format("-I%s/" NVRTC_FIRST, prelude));
	for (size_t i = 0; i < more->n && ready; i++)
		ready = jit_words_add(&arguments, jit_format("%s", more->at[i]));
	if (ready)
		result = compile_in(p, options, &arguments, host, lto, folder, prelude);
	compiler_remove_folder(folder);
	jit_words_fini(&arguments);
	free(prelude);
	free(folder);
	return result;
}

static enum nvrtc_result compile(struct nvrtc_program *p, const struct nvrtc_options *options,
				 struct jit_words *more, bool lto)
{
	enum nvrtc_result result = compile_once(p, options, more, false, lto);
	if (result != NVRTC_ERROR_COMPILATION)
		return result;
	/* With the host's libraries in sight: for a program that includes a header of theirs, and for
	 * headers that count on what NVRTC takes and clang does not (cuda/barrier's offsets). */
	char *log = strstr(p->log, "\"" NVRTC_NO_LIBRARY "\"") ? NULL : strdup(p->log);
	result = compile_once(p, options, more, true, lto);
	if (result == NVRTC_ERROR_COMPILATION && log)
		say(p, log); /* what NVRTC would find */
	else
		free(log);
	return result;
}

enum nvrtc_result nvrtc_compile(struct nvrtc_program *p, const struct nvrtc_options *options,
				struct jit_words *more)
{
	if (!options->lto)
		return compile(p, options, more, false);
	/* Lowered names stand in PTX only. */
	enum nvrtc_result result = NVRTC_SUCCESS;
	if (p->n_names) {
		if (!jit_words_add(more, jit_format("-rdc=true")))
			return NVRTC_ERROR_OUT_OF_MEMORY;
		result = compile(p, options, more, false);
		free(p->code);
		p->code = NULL;
	}
	return result ? result : compile(p, options, more, true);
}
