/* SPDX-License-Identifier: Apache-2.0 */
/* compile.c - a program in a folder of its own, and `cudasim cc` on it.
 *
 * Name expressions become variables behind the source, each with the address that is asked
 * for; in the PTX their initial value is the lowered name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvrtc/nvrtc.h"

extern char **environ;

#define WRAPPERS "cudasim-wrappers"
#define NAME_VARIABLE "__cudasim_nvrtc_name_"

/* ---- files ------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status, (void)kind, (void)walk;
	return remove(path);
}

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

static bool write_source(const struct nvrtc_program *p, const struct nvrtc_options *options,
			 const char *path)
{
	FILE *out = fopen(path, "we");
	if (!out)
		return false;
	fputs("#define __CUDACC_RTC__ 1\n", out);
	if (options->device_default)
		fputs("#pragma clang force_cuda_host_device begin\n", out);
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

static char *read_text(const char *path)
{
	FILE *file = path ? fopen(path, "re") : NULL;
	if (!file)
		return NULL;
	char *text = NULL, buffer[65536];
	size_t size, n;
	FILE *out = open_memstream(&text, &size);
	while (out && (n = fread(buffer, 1, sizeof buffer, file)) > 0)
		fwrite(buffer, 1, n, out);
	fclose(file);
	return out && !fclose(out) ? text : NULL;
}

/* ---- the compiler -------------------------------------------------------------------------- */

/* Beside the build tree's library; by the installation's folders; on PATH. */
static char *find_compiler(void)
{
	static const char *const ways[] = {"/../cudasim", CUDASIM_LIB_UP "/" CUDASIM_BINDIR "/cudasim"};
	Dl_info here;
	if (dladdr((void *)(uintptr_t)find_compiler, &here) && here.dli_fname) {
		char *real = realpath(here.dli_fname, NULL);
		char *slash = real ? strrchr(real, '/') : NULL;
		if (slash)
			*slash = 0;
		for (size_t i = 0; slash && i < sizeof ways / sizeof *ways; i++) {
			char *path = nvrtc_format("%s%s", real, ways[i]);
			struct stat about;
			if (path && !access(path, X_OK) && !stat(path, &about) && S_ISREG(about.st_mode)) {
				free(real);
				return path;
			}
			free(path);
		}
		free(real);
	}
	return nvrtc_format("cudasim");
}

/* What people set for their builds is not for this one. */
static char **environment(void)
{
	size_t n = 0, kept = 0;
	while (environ[n])
		n++;
	char **ret = calloc(n + 1, sizeof *ret);
	for (size_t i = 0; ret && i < n; i++)
		if (strncmp(environ[i], "NVCC_APPEND_FLAGS=", 18) &&
		    strncmp(environ[i], "NVCC_PREPEND_FLAGS=", 19))
			ret[kept++] = environ[i];
	return ret;
}

/* Its exit status, or -1; what it says goes to the file log. */
static int run(char **words, const char *log)
{
	posix_spawn_file_actions_t actions;
	char **variables = environment();
	pid_t pid;
	int status = -1;
	if (!variables || posix_spawn_file_actions_init(&actions)) {
		free(variables);
		return -1;
	}
	int error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_addopen(&actions, 1, log,
							 O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, 1, 2);
	if (!error)
		error = posix_spawnp(&pid, words[0], &actions, NULL, words, variables);
	posix_spawn_file_actions_destroy(&actions);
	free(variables);
	if (error)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

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
	if (!write_headers(p, folder) || !write_wrappers(folder) || !write_source(p, options, source)) {
		say(p, nvrtc_format("nvrtc: error: cannot write the source or a header in %s\n", folder));
		result = NVRTC_ERROR_INVALID_INPUT;
		goto end;
	}
	if (!nvrtc_arguments_add(arguments, nvrtc_format("-I%s", folder)) ||
	    !nvrtc_arguments_add(arguments, nvrtc_format("-o")) ||
	    !nvrtc_arguments_add(arguments, nvrtc_format("%s", output)) ||
	    !nvrtc_arguments_add(arguments, nvrtc_format("%s", source)))
		goto end;
	status = run(arguments->at, log);
	result = NVRTC_ERROR_INTERNAL_ERROR;
	if (status < 0 || status == 127) {
		say(p, nvrtc_format("nvrtc: error: cannot run %s\n", arguments->at[0]));
		goto end;
	}
	say(p, read_text(log));
	result = NVRTC_ERROR_COMPILATION;
	p->code = status ? NULL : read_text(output);
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
	bool ready = nvrtc_arguments_add(&arguments, find_compiler()) &&
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
		nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	nvrtc_arguments_fini(&arguments);
	free(folder);
	return result;
}
