/* SPDX-License-Identifier: Apache-2.0 */
/* prelude.c - what stands before a program for NVRTC.
 *
 * clang reads the host's C and C++ library before each .cu file, since the toolkit's headers need them. NVRTC
 * has neither, and programs (CCCL among them) define std, int64_t and their like themselves. So what comes
 * before the program is read with other names for these, and without the program's folders. The search goes:
 *
 *   -I cudasim-first       has each header of the libraries. Before the program it goes on to the last
 *                          folder, in the program to the program's folders.
 *   -I ...                 the program's folders, and its headers by name.
 *   -isystem cudasim-last  leads to the libraries' own headers. If the program itself asks for one, the
 *                          compilation ends, and as any that fails is done again with the libraries
 *                          in sight (API.md).
 *
 * Rejected: small headers of our own in the place of the libraries', since clang's CUDA headers use
 * most of these. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler.h"
#include "nvrtc.h"

#define HOST "__cudasim_host_"
#define DEVICE_DEFAULT "__cudasim_nvrtc_device_default" /* a macro, while the pragma is on */

/* Types and functions that NVRTC does not have, and whose names programs give to variables, and std. */
static const char *const renamed[] = {
	"std",
	"int8_t",
	"int16_t",
	"int32_t",
	"int64_t",
	"uint8_t",
	"uint16_t",
	"uint32_t",
	"uint64_t",
	"int_least8_t",
	"int_least16_t",
	"int_least32_t",
	"int_least64_t",
	"uint_least8_t",
	"uint_least16_t",
	"uint_least32_t",
	"uint_least64_t",
	"int_fast8_t",
	"int_fast16_t",
	"int_fast32_t",
	"int_fast64_t",
	"uint_fast8_t",
	"uint_fast16_t",
	"uint_fast32_t",
	"uint_fast64_t",
	"intptr_t",
	"uintptr_t",
	"intmax_t",
	"uintmax_t",
	"ssize_t",
	"time_t",
	"div_t",
	"ldiv_t",
	"lldiv_t",
	"FILE",
	"fpos_t",
	"float_t",
	"double_t",
	"time",
	"index",
	"rindex",
	"random",
	"remove",
	"rename",
};
enum { N_RENAMED = sizeof renamed / sizeof *renamed };

static const char *const library_headers[] = {
#include "library_headers.inc"
};
enum { N_LIBRARY_HEADERS = sizeof library_headers / sizeof *library_headers };

/* Toolkit headers that under NVRTC count on functions that it has built in: they get to see
 * an ordinary compiler. */
static const char *const number_headers[] = {
	"cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuda_fp6.h", "cuda_fp4.h",
};
enum { N_NUMBER_HEADERS = sizeof number_headers / sizeof *number_headers };

/* Where headers go: into a folder; without one only their hash is wanted. */
struct sink {
	const char *folder;
	uint64_t hash; /* FNV-1a of names and texts */
};

static void hash_text(struct sink *sink, const char *text)
{
	do
		sink->hash = (sink->hash ^ (unsigned char)*text) * 0x100000001b3u;
	while (*text++);
}

/* The text, which is freed, as the file FOLDER/PLACE/NAME. */
static bool write_header(struct sink *sink, const char *place, const char *name, char *text)
{
	if (!sink->folder) {
		hash_text(sink, place);
		hash_text(sink, name);
		hash_text(sink, text ? text : "");
		bool hashed = text != NULL;
		free(text);
		return hashed;
	}
	char *path = jit_format("%s/%s/%s", sink->folder, place, name);
	FILE *out =
		path && text && nvrtc_make_folders(path + strlen(sink->folder) + 1, sink->folder)
			? fopen(path, "we")
			: NULL;
	bool written = out && fputs(text, out) >= 0;
	if (out)
		written &= !fclose(out);
	free(path);
	free(text);
	return written;
}

/* Around a toolkit header that the program includes: the first brings the names of what stands before the
 * program, the second the program's again. */
static bool write_switches(struct sink *sink)
{
	char *opening = jit_format("#pragma push_macro(\"__CUDACC_RTC__\")\n#undef __CUDACC_RTC__\n"
				   "#define __CUDASIM_PRELUDE__ 1\n");
	char *closing =
		jit_format("#undef __CUDASIM_PRELUDE__\n#pragma pop_macro(\"__CUDACC_RTC__\")\n");
	for (size_t i = 0; i < N_RENAMED && opening && closing; i++) {
		char *longer = jit_format(
			"%s#pragma push_macro(\"%s\")\n#undef %s\n#define %s " HOST "%s\n", opening,
			renamed[i], renamed[i], renamed[i], renamed[i]);
		free(opening);
		opening = longer;
		longer = jit_format("%s#pragma pop_macro(\"%s\")\n", closing, renamed[i]);
		free(closing);
		closing = longer;
	}
	bool written = write_header(sink, NVRTC_FIRST, "cudasim_rtc_open.h", opening);
	return write_header(sink, NVRTC_FIRST, "cudasim_rtc_close.h", closing) && written;
}

static bool write_number_headers(struct sink *sink, bool host)
{
	bool written = true;
	for (size_t i = 0; i < N_NUMBER_HEADERS && written; i++)
		written = write_header(
			sink, NVRTC_FIRST, number_headers[i],
			host ? jit_format("#pragma push_macro(\"__CUDACC_RTC__\")\n"
					  "#undef __CUDACC_RTC__\n#include_next <%s>\n"
					  "#pragma pop_macro(\"__CUDACC_RTC__\")\n",
					  number_headers[i])
			     : jit_format("#ifdef __CUDASIM_PRELUDE__\n#include_next <%s>\n#else\n"
					  "#include <cudasim_rtc_open.h>\n#include_next <%s>\n"
					  "#include <cudasim_rtc_close.h>\n#endif\n",
					  number_headers[i], number_headers[i]));
	return written;
}

/* What reads a library's header under --device-as-default-execution-space: functions of the program's
 * are __host__ __device__, those of the libraries are not. */
static char *undisturbed(const char *include)
{
	return jit_format("#ifdef " DEVICE_DEFAULT "\n#undef " DEVICE_DEFAULT "\n"
			  "#pragma clang force_cuda_host_device end\n%s"
			  "#pragma clang force_cuda_host_device begin\n"
			  "#define " DEVICE_DEFAULT "\n#else\n%s#endif\n",
			  include, include);
}

static bool has_header(const struct nvrtc_program *p, const char *name)
{
	for (size_t i = 0; i < p->n_headers; i++)
		if (!strcmp(p->headers[i].name, name))
			return true;
	return false;
}

/* With the host's libraries in sight: a program's own headers of these names stay its own. */
static bool write_host_header(const struct nvrtc_program *p, struct sink *sink, const char *name)
{
	char *include = jit_format("#include_next <%s>\n", name);
	bool written = has_header(p, name) ||
		       (include && write_header(sink, NVRTC_FIRST, name, undisturbed(include)));
	free(include);
	return written;
}

static bool write_library_header(struct sink *sink, const char *name)
{
	char *include = jit_format("#include <cudasim-host/%s>\n", name);
	char *own = include ? undisturbed(include) : NULL;
	char *first =
		own ? jit_format(
			      "#ifdef __CUDASIM_PRELUDE__\n%s#else\n#include_next <%s>\n#endif\n",
			      own, name)
		    : NULL;
	char *host = jit_format("cudasim-host/%s", name);
	/* It has macros alone, and CCCL includes it where __has_include finds one: none is as good. */
	const char *end = strcmp(name, "version") ? "#include <" NVRTC_NO_LIBRARY ">\n" : "";
	bool written =
		first && host && write_header(sink, NVRTC_FIRST, name, first) &&
		write_header(sink, NVRTC_LAST, host, jit_format("#include_next <%s>\n", name)) &&
		write_header(sink, NVRTC_LAST, name,
			     jit_format("#ifdef __CUDASIM_PRELUDE__\n#include_next <%s>\n#else\n"
					"%s#endif\n",
					name, end));
	free(include);
	free(own);
	free(host);
	return written;
}

static bool write_all(struct sink *sink, const struct nvrtc_program *p,
		      const struct nvrtc_options *options, bool host)
{
	bool written = write_number_headers(sink, host) && (host || write_switches(sink));
	for (size_t i = 0; i < N_LIBRARY_HEADERS && written; i++) {
		if (!host)
			written = write_library_header(sink, library_headers[i]);
		else if (options->device_default)
			written = write_host_header(p, sink, library_headers[i]);
	}
	return written;
}

/* The folder of the compile cache (cudasim help env), without the checks of its owner: the compiler does not take
 * precompiled headers from one that is not the user's. NULL where it is off. The caller frees it. */
static char *cache_folder(void)
{
	const char *set = getenv("CUDASIM_CACHE"), *xdg = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");
	if (set && *set)
		return *set == '/' ? jit_format("%s", set) : NULL;
	if (xdg && *xdg == '/')
		return jit_format("%s/cudasim/objects", xdg);
	return home && *home == '/' ? jit_format("%s/.cache/cudasim/objects", home) : NULL;
}

/* Makes the folder if it is not there, as the compiler would a moment later. */
static void make_folder(char *path)
{
	for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
		*slash = 0;
		mkdir(path, 0700);
		*slash = '/';
	}
	mkdir(path, 0700);
}

/* Is it a folder of this user's that nobody else can write to? */
static bool is_own(const char *path)
{
	struct stat about;
	return !lstat(path, &about) && S_ISDIR(about.st_mode) && about.st_uid == geteuid() &&
	       !(about.st_mode & (S_IWGRP | S_IWOTH));
}

/* Writes them beside, so that nobody sees a half. */
static bool make_shared(const char *folder, const struct nvrtc_program *p,
			const struct nvrtc_options *options, bool host)
{
	char *fresh = jit_format("%s-XXXXXX", folder);
	struct sink sink = {.folder = fresh};
	bool made = fresh && mkdtemp(fresh);
	bool done = made && write_all(&sink, p, options, host) && !rename(fresh, folder);
	if (made && !done)
		compiler_remove_folder(fresh);
	free(fresh);
	/* Another process may have been first. */
	return done || is_own(folder);
}

char *nvrtc_prelude_folder(const struct nvrtc_program *p, const struct nvrtc_options *options,
			   bool host, const char *folder)
{
	/* What depends on the program's own headers is the program's. */
	bool is_shared = !host || !options->device_default;
	char *cache = is_shared ? cache_folder() : NULL, *shared = NULL;
	struct sink sink = {.hash = 0xcbf29ce484222325u};
	if (cache)
		make_folder(cache);
	if (cache && is_own(cache) && write_all(&sink, p, options, host))
		shared = jit_format("%s/nvrtc-%016llx", cache, (unsigned long long)sink.hash);
	free(cache);
	if (shared && (is_own(shared) || make_shared(shared, p, options, host)))
		return shared;
	free(shared);
	sink.folder = folder;
	return write_all(&sink, p, options, host) ? jit_format("%s", folder) : NULL;
}

bool nvrtc_prelude_add(struct jit_words *arguments, bool host, const char *folder)
{
	bool added = true;
	if (host)
		return true;
	for (size_t i = 0; i < N_RENAMED && added; i++)
		added = jit_words_add(arguments,
				      jit_format("-D%s=" HOST "%s", renamed[i], renamed[i]));
	/* The compiler looks for the results of <=> in std itself; without these macros the C++ library
	 * has none. The warnings are about macros that clang defines and so does CCCL for NVRTC. */
	return added && jit_words_add(arguments, jit_format("-U__cpp_impl_three_way_comparison")) &&
	       jit_words_add(arguments, jit_format("-U__cpp_concepts")) &&
	       jit_words_add(arguments, jit_format("-D__CUDASIM_PRELUDE__=1")) &&
	       jit_words_add(arguments, jit_format("-isystem")) &&
	       jit_words_add(arguments, jit_format("%s/" NVRTC_LAST, folder)) &&
	       jit_words_add(arguments, jit_format("-Xcompiler=-Wno-builtin-macro-redefined,"
						   "-Wno-macro-redefined"));
}

void nvrtc_prelude_begin(FILE *out, const struct nvrtc_options *options, bool host)
{
	if (!host) {
		fputs("#undef __CUDASIM_PRELUDE__\n", out);
		for (size_t i = 0; i < N_RENAMED; i++)
			fprintf(out, "#undef %s\n", renamed[i]);
		fputs("#if __cplusplus >= 202002L\n#define __cpp_impl_three_way_comparison 201907L\n"
		      "#define __cpp_concepts 202002L\n#endif\n",
		      out);
	}
	fputs("#define __CUDACC_RTC__ 1\n", out);
	fprintf(out,
		"#undef __CUDA_FTZ\n#define __CUDA_FTZ %d\n#undef __CUDA_PREC_DIV\n"
		"#define __CUDA_PREC_DIV %d\n#undef __CUDA_PREC_SQRT\n#define __CUDA_PREC_SQRT %d\n",
		options->ftz, options->prec_div, options->prec_sqrt);
	if (options->move_forward)
		fputs("#define __NV_BUILTIN_MOVE_FORWARD 1\n", out);
	if (!options->initializer_list)
		fputs("#define __CUDASIM_NO_INITIALIZER_LIST__ 1\n", out);
	if (!host)
		fputs("#include <cudasim_rtc.h>\n", out);
	if (options->device_default)
		fputs("#pragma clang force_cuda_host_device begin\n#define " DEVICE_DEFAULT "\n",
		      out);
	if (options->lines)
		fputs(options->lines, out);
}
