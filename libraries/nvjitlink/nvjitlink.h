/* SPDX-License-Identifier: Apache-2.0 */
/* nvjitlink.h - what links device code while a program runs: nvJitLink's functions, done by
 * `cudasim cc -dlink` as a child process. What they hand out is an image (formats/image.h). The toolkit's
 * header is not needed; the numbers are its. For the files of this folder. */
#ifndef CUDASIM_LIBRARIES_NVJITLINK_H
#define CUDASIM_LIBRARIES_NVJITLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nvjitlink_result {
	NVJITLINK_SUCCESS = 0,
	NVJITLINK_ERROR_UNRECOGNIZED_OPTION = 1,
	NVJITLINK_ERROR_MISSING_ARCH = 2,
	NVJITLINK_ERROR_INVALID_INPUT = 3,
	NVJITLINK_ERROR_PTX_COMPILE = 4,
	NVJITLINK_ERROR_NVVM_COMPILE = 5,
	NVJITLINK_ERROR_INTERNAL = 6,
	NVJITLINK_ERROR_UNRECOGNIZED_INPUT = 8,
	NVJITLINK_ERROR_NULL_INPUT = 10,
	NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS = 11,
	NVJITLINK_ERROR_INCORRECT_INPUT_TYPE = 12,
	NVJITLINK_ERROR_UNSUPPORTED_ARCH = 17,
	NVJITLINK_ERROR_LTO_NOT_ENABLED = 18,
};

enum nvjitlink_type {
	NVJITLINK_INPUT_CUBIN = 1,
	NVJITLINK_INPUT_PTX = 2,
	NVJITLINK_INPUT_LTOIR = 3,
	NVJITLINK_INPUT_FATBIN = 4,
	NVJITLINK_INPUT_OBJECT = 5,
	NVJITLINK_INPUT_LIBRARY = 6,
	NVJITLINK_INPUT_INDEX = 7,
	NVJITLINK_INPUT_ANY = 10,
};

/* A string that grows; never freed while it is at work. {0} is empty. */
struct nvjitlink_text {
	char *at; /* NULL while empty */
	size_t n;
};
/* printf to its end. Without memory it stays as it is. */
void nvjitlink_say(struct nvjitlink_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What options are to cudasim cc, and to the link itself. */
struct nvjitlink_options {
	char architecture[32]; /* "sm_90"; "": none was named */
	bool lto, ptx, verbose;
	char *words[16]; /* for cudasim cc; the strings are its own */
	size_t n_words;
};
/* What is wrong with them stands in *log. */
enum nvjitlink_result nvjitlink_options_read(uint32_t n, const char *const *options,
					     struct nvjitlink_options *ret,
					     struct nvjitlink_text *log);
void nvjitlink_options_fini(struct nvjitlink_options *options);

struct nvjitlink_input {
	char *data; /* size bytes, and a NUL; of a fat binary its PTX */
	size_t size;
	char *name;
	const char *ending; /* of a file of this kind, for cudasim cc */
	bool is_image;      /* cudasim's PTX with its code: complete by itself */
	bool has_bitcode;   /* it takes part in the optimisation at link time */
};

struct nvJitLink {
	struct nvjitlink_options options;
	struct nvjitlink_input *inputs;
	size_t n_inputs;
	struct nvjitlink_text error, info;
	bool bad;      /* the options were refused: the handle has a log alone */
	bool complete; /* it was tried */
	char *product; /* of success */
	size_t n_product;
};

/* Looks at the bytes, of which type says what they should be, and adds them, or says in the error log
 * why not. */
enum nvjitlink_result nvjitlink_add(struct nvJitLink *link, int type, const void *data, size_t size,
				    const char *name);
/* Fills product; or says why not. */
enum nvjitlink_result nvjitlink_complete(struct nvJitLink *link);
/* PTX alone, for errors: NVJITLINK_ERROR_PTX_COMPILE. */
enum nvjitlink_result nvjitlink_check_ptx(struct nvJitLink *link,
					  const struct nvjitlink_input *input);

#endif
