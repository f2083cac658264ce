/* SPDX-License-Identifier: Apache-2.0 */
/* command.h - nvcc's command line, read. */
#ifndef CUDASIM_DRIVER_COMMAND_H
#define CUDASIM_DRIVER_COMMAND_H

#include <stdbool.h>

#include "error.h"
#include "words.h"

enum command_phase {
	PHASE_LINK,       /* compile and link; nvcc's default */
	PHASE_RUN,        /* and run the executable */
	PHASE_LIBRARY,    /* compile and pack into an archive */
	PHASE_OBJECT,     /* -c */
	PHASE_DEVICE_C,   /* -dc: -c -rdc=true */
	PHASE_DEVICE_W,   /* -dw: -c -rdc=false */
	PHASE_DEVICE_LINK,
	PHASE_PTX,        /* device code alone, for programs to load (image_plan.c) */
	PHASE_CUBIN,
	PHASE_FATBIN,
	PHASE_LTOIR,      /* device code to be linked and compiled later */
	PHASE_PREPROCESS, /* -E */
	PHASE_DEPEND,     /* -M */
	PHASE_DEPEND_USER, /* -MM */
};

enum command_depend {
	DEPEND_NONE,
	DEPEND_ALL,  /* -MD */
	DEPEND_USER, /* -MMD */
};

enum input_kind {
	INPUT_CUDA,
	INPUT_C,
	INPUT_CXX,
	INPUT_OBJECT,  /* .o .obj */
	INPUT_ARCHIVE, /* .a .lib */
	INPUT_SHARED,  /* .so .so.1 */
	INPUT_PTX,     /* .ptx: for -cubin and -fatbin only */
	INPUT_LTOIR,   /* .ltoir: of -ltoir, for -dlink with -ptx, -cubin or -fatbin */
	INPUT_NVVM,    /* .ll .bc: NVVM IR; all of them make one image */
};

struct input {
	const char *path;
	enum input_kind kind;
};

/* What the options said. Strings belong to the words that were parsed or to
 * the process; nothing is freed before command_fini(). */
struct command {
	int phase; /* enum command_phase */
	bool phase_given;
	bool image_link; /* -dlink with -ptx, -cubin or -fatbin: all inputs as one image */
	int depend; /* enum command_depend */
	char *depend_file;
	bool depend_phony; /* -MP */
	char *depend_target;

	struct words input_paths;
	struct input *inputs; /* [input_paths.n], filled by command_parse() */
	char *language;       /* -x */

	char *output, *output_directory;
	struct words pre_includes;
	struct words macros; /* -DX and -UX, in order */
	struct words include_paths, system_includes, library_paths, libraries;
	char *host_compiler, *archiver, *libdevice_directory;
	char *cudart, *cudadevrt, *target_directory;

	bool profile, debug, device_debug, line_info;
	char *optimize, *device_optimize, *fast_compile;
	char *template_backtrace, *template_depth;
	bool no_exceptions, shared, relocatable_link, no_device_link;
	char *standard, *machine;
	bool relaxed_constexpr, extended_lambda;

	struct words host_options, linker_options, archive_options, ptxas_options;
	struct words nvlink_options;

	bool forward_compiler, forward_linker, forward_both;
	bool dry_run, verbose, keep, syntax_only, object_folder_temp, clean;
	char *keep_directory, *time_file;
	struct words run_arguments;

	struct words architectures; /* -arch, at most one word is in force: the last */
	struct words codes, gencodes;
	bool gpu;     /* --gpu: real GPU code, too */
	struct words gpus;          /* --gpu=LIST */
	struct words step_into;     /* folders of headers that the debugger steps into */
	struct words lazy_modules;  /* NVVM IR of which only what the inputs need is linked */
	int relocatable; /* -1, 0, 1 */
	char *max_registers;
	bool fast_math;
	int ftz, precise_division, precise_sqrt, fmad; /* -1, 0, 1 */
	char *default_stream;

	bool no_warnings, warn_reorder, no_deprecated_declarations;
	bool no_deprecated_targets, resource_usage;
	struct words errors; /* -Werror's kinds */
	bool list_code, list_architectures, help, version;
	char *seed;
	bool position_independent, export_dynamic, pthread;

	struct words warnings; /* one line each, for stderr */
	struct words option_files; /* -optf, read by command_parse() */
};

/* Reads a command line (without the program's own name) with what the
 * variables NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS hold; both may be NULL.
 * Opens nothing but response files. Errors: CUDASIM_E_ARGUMENT with nvcc's
 * wording where nvcc has one, CUDASIM_E_UNSUPPORTED for refused options,
 * CUDASIM_E_SYSTEM for an unreadable response file. */
struct cudasim_error *command_parse(int n, char *const *arguments, const char *prepend,
				    const char *append, struct command *ret);

void command_fini(struct command *command);

/* The ith suffix of names that tell what a file is, without its dot: "cu"; NULL where there is none. */
const char *command_suffix(size_t i);

/* Whether device code is compiled to be linked later (-rdc=true, -dc). */
bool command_is_relocatable(const struct command *command);

/* Whether the inputs are NVVM IR. */
bool command_has_nvvm(const struct command *command);

/* Whether the products are loaded by programs while they run (-ptx, -cubin, -fatbin), or linked
 * for that (-ltoir). */
bool command_makes_image(const struct command *command);

#endif
