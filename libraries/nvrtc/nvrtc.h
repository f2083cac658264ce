/* SPDX-License-Identifier: Apache-2.0 */
/* nvrtc.h - programs that are compiled while another one runs: NVRTC's functions, done by
 * `cudasim cc -ptx` as a child process. What they hand out as PTX or CUBIN is its product
 * (formats/image.h), which loads here and, being PTX, on a GPU. The toolkit's header of the same name is
 * not needed; the numbers are its. For the files of this folder. */
#ifndef CUDASIM_LIBRARIES_NVRTC_H
#define CUDASIM_LIBRARIES_NVRTC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "jit_words.h"

enum nvrtc_result {
	NVRTC_SUCCESS = 0,
	NVRTC_ERROR_OUT_OF_MEMORY = 1,
	NVRTC_ERROR_INVALID_INPUT = 3,
	NVRTC_ERROR_INVALID_PROGRAM = 4,
	NVRTC_ERROR_INVALID_OPTION = 5,
	NVRTC_ERROR_COMPILATION = 6,
	NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
	NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
	NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
	NVRTC_ERROR_INTERNAL_ERROR = 11,
	NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED = 13,
};

struct nvrtc_name {
	char *expression;
	char *lowered; /* NULL before the compilation */
};

struct nvrtc_header {
	char *name, *text;
};

struct nvrtc_program {
	char *source, *name;
	struct nvrtc_header *headers;
	size_t n_headers;
	struct nvrtc_name *names;
	size_t n_names;
	bool compiled;   /* the compilation was tried */
	bool has_cubin;  /* for a real architecture */
	char *log;       /* never NULL */
	char *code;      /* a text; NULL without success, and with LTO */
	char *ltoir;     /* n_ltoir bytes, with LTO */
	size_t n_ltoir;
};

/* What options are to cudasim cc. An unknown one is named in *log, which is replaced. The caller
 * frees lines, also after an error. */
struct nvrtc_options {
	bool real;           /* an sm_ is asked for */
	bool lto;            /* the product is to be linked and compiled later */
	bool device_default; /* functions without a word are for both sides */
	bool ftz, prec_div, prec_sqrt;
	bool move_forward, initializer_list; /* these of std are built in */
	char *lines; /* the macros and forced headers that are asked for, as directives; or NULL */
};
enum nvrtc_result nvrtc_options_read(int n, const char *const *options, struct jit_words *arguments,
				     struct nvrtc_options *ret, char **log);

/* ---- what stands before the program (prelude.c) ---------------------------------------------- */

/* Folders for headers inside the program's: looked into before and behind those that it names. */
#define NVRTC_FIRST "cudasim-first"
#define NVRTC_LAST "cudasim-last"
/* The log names it as missing where a program includes a header of the host's libraries. */
#define NVRTC_NO_LIBRARY "cudasim-no-host-library"

/* Where the prelude's headers lie, the caller's to free: a folder in the compile cache, where every program with
 * the same prelude finds them, so that the compiler can precompile what comes before the program; or else `folder`, the
 * program's own. host: the host's C and C++ library are in sight. NULL if they cannot be written. */
char *nvrtc_prelude_folder(const struct nvrtc_program *program, const struct nvrtc_options *options,
			   bool host, const char *folder);
bool nvrtc_prelude_add(struct jit_words *arguments, bool host, const char *folder);
/* The source's first lines. */
void nvrtc_prelude_begin(FILE *out, const struct nvrtc_options *options, bool host);

/* The folders of a path inside `folder`; false where it would leave that. */
bool nvrtc_make_folders(const char *name, const char *folder);

/* What the compiler said, from a file, as NVRTC's log has it; folder is the program's own. The caller frees it;
 * NULL if it cannot be read. */
char *nvrtc_log_read(const struct nvrtc_program *program, const char *path, const char *folder);
/* What the source calls the places of name expressions, with their numbers from 1. */
#define NVRTC_EXPRESSION "name expression "

/* Runs the compiler; fills code, log and the names. */
enum nvrtc_result nvrtc_compile(struct nvrtc_program *program, const struct nvrtc_options *options,
				struct jit_words *arguments);

#endif
