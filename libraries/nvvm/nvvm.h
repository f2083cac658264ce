/* SPDX-License-Identifier: Apache-2.0 */
/* nvvm.h - NVVM IR that is compiled while a program runs: libNVVM's functions, done by
 * `cudasim cc -ptx` as a child process. What they hand out as PTX is its product
 * (formats/image.h), as with NVRTC. The toolkit's header of the same name is not needed; the
 * numbers and the messages are those of its library. For the files of this folder. */
#ifndef CUDASIM_LIBRARIES_NVVM_NVVM_H
#define CUDASIM_LIBRARIES_NVVM_NVVM_H

#include <stdbool.h>
#include <stddef.h>

#include "jit_words.h"

enum nvvm_result {
	NVVM_SUCCESS = 0,
	NVVM_ERROR_OUT_OF_MEMORY = 1,
	NVVM_ERROR_PROGRAM_CREATION_FAILURE = 2,
	NVVM_ERROR_IR_VERSION_MISMATCH = 3,
	NVVM_ERROR_INVALID_INPUT = 4,
	NVVM_ERROR_INVALID_PROGRAM = 5,
	NVVM_ERROR_INVALID_IR = 6,
	NVVM_ERROR_INVALID_OPTION = 7,
	NVVM_ERROR_NO_MODULE_IN_PROGRAM = 8,
	NVVM_ERROR_COMPILATION = 9,
};

struct nvvm_module {
	char *bytes;
	size_t n;
	char *name;
	bool lazy;
};

struct nvvm_program {
	struct nvvm_module *modules;
	size_t n_modules;
	char *log;    /* never NULL */
	char *result; /* PTX or LTO-IR; NULL before a success */
	size_t n_result; /* bytes; PTX's with its NUL */
};

/* Makes text the program's log; false where it is NULL. */
bool nvvm_say(struct nvvm_program *program, char *text);

/* What the options are to `cudasim cc`; one that is wrong is named in the program's log. */
enum nvvm_result nvvm_options_read(struct nvvm_program *program, int n, const char *const *options,
				   struct jit_words *ret);

/* Runs the compiler, or with verify what it does first; fills log, and result. */
enum nvvm_result nvvm_compile(struct nvvm_program *program, const struct jit_words *options,
			      bool verify);

#endif
