/* SPDX-License-Identifier: Apache-2.0 */
/* compile.c - a program in a folder of its own, and `cudasim cc` on it.
 *
 * Name expressions become variables behind the source, each with the address that is asked
 * for; in the PTX their initial value is the lowered name. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler.h"
#include "nvrtc/nvrtc.h"

#define WRAPPERS "cudasim-wrappers"
#define NAME_VARIABLE "__cudasim_nvrtc_name_"
#define DEVICE_DEFAULT "__cudasim_nvrtc_device_default" /* a macro, while the pragma is on */

/* ---- files ------------------------------------------------------------------------------- */

/* The folders of a path inside `folder`; false where it would leave that. */
static bool make_folders(const char *folder, const char *name)
{
	if (*name == '/' || !strncmp(name, "../", 3) || strstr(name, "/../"))
		return false;
	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		char *path = nvrtc_format("%s/%.*s", folder, (int)(slash - name), name);
		bool made = path && (!mkdir(path, 0700) || errno == EEXIST);
		free(path);
		if (!made)
			return false;
	}
	return true;
}

static bool write_text(const char *path, const char *text)
{
	FILE *out = path ? fopen(path, "we") : NULL;
	if (!out)
		return false;
	fputs(text, out);
	return !fclose(out);
}

static bool write_headers(const struct nvrtc_program *p, const char *folder)
{
	for (size_t i = 0; i < p->n_headers; i++) {
		if (!make_folders(folder, p->headers[i].name))
			return false;
		char *path = nvrtc_format("%s/%s", folder, p->headers[i].name);
		bool written = write_text(path, p->headers[i].text);
		free(path);
		if (!written)
			return false;
	}
	return true;
}

/* Toolkit headers that under NVRTC count on functions that it has built in: they get to see
 * an ordinary compiler. */
static bool write_wrappers(const char *folder)
{
	static const char *const names[] = {
		"cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuda_fp6.h", "cuda_fp4.h",
	};
	bool written = true;
	for (size_t i = 0; i < sizeof names / sizeof *names && written; i++) {
		char *path = nvrtc_format("%s/" WRAPPERS "/%s", folder, names[i]);
		char *text = nvrtc_format("#pragma push_macro(\"__CUDACC_RTC__\")\n"
					  "#undef __CUDACC_RTC__\n#include_next <%s>\n"
					  "#pragma pop_macro(\"__CUDACC_RTC__\")\n", names[i]);
		written = path && text && make_folders(folder, WRAPPERS "/") && write_text(path, text);
		free(path);
		free(text);
	}
	return written;
}

static bool has_header(const struct nvrtc_program *p, const char *name)
{
	for (size_t i = 0; i < p->n_headers; i++)
		if (!strcmp(p->headers[i].name, name))
			return true;
	return false;
}

/* Under --device-as-default-execution-space functions of the program's are __host__ __device__.
 * Those of the host's library are not: clang has read some of them before the program, and NVRTC
 * has none. A program's own headers of these names stay its own. */
static bool write_library_wrappers(const struct nvrtc_program *p, const char *folder)
{
	static const char *const names[] = {
#include "nvrtc/library_headers.inc"
	};
	bool written = true;
	for (size_t i = 0; i < sizeof names / sizeof *names && written; i++) {
		if (has_header(p, names[i]))
			continue;
		char *path = nvrtc_format("%s/" WRAPPERS "/%s", folder, names[i]);
		char *text = nvrtc_format("#ifdef " DEVICE_DEFAULT "\n#undef " DEVICE_DEFAULT "\n"
					  "#pragma clang force_cuda_host_device end\n"
					  "#include_next <%s>\n"
					  "#pragma clang force_cuda_host_device begin\n"
					  "#define " DEVICE_DEFAULT "\n"
					  "#else\n#include_next <%s>\n#endif\n", names[i], names[i]);
		written = path && text && write_text(path, text);
		free(path);
		free(text);
	}
	return written;
}

static bool write_source(const struct nvrtc_program *p, const struct nvrtc_options *options,
			 const char *path)
{
	FILE *out = fopen(path, "we");
	if (!out)
		return false;
	fputs("#define __CUDACC_RTC__ 1\n", out);
	if (options->device_default)
		fputs("#pragma clang force_cuda_host_device begin\n#define " DEVICE_DEFAULT "\n", out);
	fputs("#line 1 \"", out);
	for (const char *c = p->name; *c; c++)
		fprintf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
	fprintf(out, "\"\n%s\n", p->source);
	if (options->device_default)
		fputs("#pragma clang force_cuda_host_device end\n", out);
	for (size_t i = 0; i < p->n_names; i++)
		fprintf(out, "#line 1 \"name expression %zu\"\n"
			"extern \"C\" __device__ __attribute__((used)) const void *" NAME_VARIABLE
			"%zu = (const void *)(%s);\n", i + 1, i, p->names[i].expression);
	return !fclose(out);
}

/* ---- the compiler -------------------------------------------------------------------------- */

/* ".global .align 8 .u64 VARIABLE = NAME;" or "= generic(NAME);" */
static enum nvrtc_result read_names(struct nvrtc_program *p)
{
	for (size_t i = 0; i < p->n_names; i++) {
		char *variable = nvrtc_format(NAME_VARIABLE "%zu = ", i);
		const char *at = variable ? strstr(p->code, variable) : NULL;
		if (at)
			at += strlen(variable);
		free(variable);
		if (!at)
			return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
		if (!strncmp(at, "generic(", 8))
			at += 8;
		p->names[i].lowered = nvrtc_format("%.*s", (int)strcspn(at, ");"), at);
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
				    struct nvrtc_arguments *arguments, const char *folder)
{
	char *source = nvrtc_format("%s/program.cu", folder), *log = nvrtc_format("%s/log", folder);
	char *output = nvrtc_format("%s/program.ptx", folder);
	enum nvrtc_result result = NVRTC_ERROR_OUT_OF_MEMORY;
	int status = -1;
	if (!source || !log || !output)
		goto end;
	if (!write_headers(p, folder) || !write_wrappers(folder) ||
	    (options->device_default && !write_library_wrappers(p, folder)) ||
	    !write_source(p, options, source)) {
		say(p, nvrtc_format("nvrtc: error: cannot write the source or a header in %s\n", folder));
		result = NVRTC_ERROR_INVALID_INPUT;
		goto end;
	}
	if (!nvrtc_arguments_add(arguments, nvrtc_format("-I%s", folder)) ||
	    !nvrtc_arguments_add(arguments, nvrtc_format("-o")) ||
	    !nvrtc_arguments_add(arguments, nvrtc_format("%s", output)) ||
	    !nvrtc_arguments_add(arguments, nvrtc_format("%s", source)))
		goto end;
	status = compiler_run(arguments->at, NULL, log);
	result = NVRTC_ERROR_INTERNAL_ERROR;
	if (status < 0 || status == 127) {
		say(p, nvrtc_format("nvrtc: error: cannot run %s\n", arguments->at[0]));
		goto end;
	}
	say(p, compiler_read_text(log));
	result = NVRTC_ERROR_COMPILATION;
	p->code = status ? NULL : compiler_read_text(output);
	if (p->code)
		result = read_names(p);
end:
	free(source);
	free(log);
	free(output);
	return result;
}

enum nvrtc_result nvrtc_compile(struct nvrtc_program *p, const struct nvrtc_options *options,
				struct nvrtc_arguments *more)
{
	const char *tmp = getenv("TMPDIR");
	char *folder = nvrtc_format("%s/cudasim-nvrtc-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	struct nvrtc_arguments arguments = {0};
	bool ready = nvrtc_arguments_add(&arguments, compiler_find()) &&
		     nvrtc_arguments_add(&arguments, nvrtc_format("cc")) &&
		     nvrtc_arguments_add(&arguments, nvrtc_format("-ptx"));
	/* Made first, and looked into before the folders that the program names. */
	bool made = ready && folder && mkdtemp(folder);
	if (made)
		ready = nvrtc_arguments_add(&arguments, nvrtc_format("-I%s/" WRAPPERS, folder));
	for (size_t i = 0; i < more->n && ready; i++)
		ready = nvrtc_arguments_add(&arguments, nvrtc_format("%s", more->at[i]));
	enum nvrtc_result result = NVRTC_ERROR_OUT_OF_MEMORY;
	if (ready && folder && !made) {
		say(p, nvrtc_format("nvrtc: error: cannot make a folder for temporary files in %s\n",
				    tmp && *tmp ? tmp : "/tmp"));
		result = NVRTC_ERROR_INTERNAL_ERROR;
	} else if (ready && folder) {
		result = compile_in(p, options, &arguments, folder);
	}
	if (made)
		compiler_remove_folder(folder);
	nvrtc_arguments_fini(&arguments);
	free(folder);
	return result;
}
