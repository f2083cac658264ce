/* SPDX-License-Identifier: Apache-2.0 */
/* The order is that of `nvcc --help`. */
#include "options.h"

#include <stddef.h>

#include "command.h"

#define AT(field) offsetof(struct command, field)

#define FLAG(long_, short_, field_, text_)                                                         \
	{long_, short_, OPTION_ALONE, OPTION_DONE, EFFECT_FLAG, AT(field_), 0, NULL, NULL, text_}
#define PHASE(long_, short_, phase_, text_)                                                        \
	{long_,     short_, OPTION_ALONE, OPTION_DONE, EFFECT_PHASE,                               \
	 AT(phase), phase_, NULL,         NULL,        text_}
#define TEXT(long_, short_, field_, choices_, value_, text_)                                       \
	{long_,      short_, OPTION_ONE, OPTION_DONE, EFFECT_TEXT,                                 \
	 AT(field_), 0,      choices_,   value_,      text_}
#define WORDS(long_, short_, argument_, field_, value_, text_)                                     \
	{long_, short_, argument_, OPTION_DONE, EFFECT_WORDS, AT(field_), 0, NULL, value_, text_}
#define FLAGS(long_, short_, field_, text_)                                                        \
	{long_, short_, OPTION_NAME, OPTION_DONE, EFFECT_FLAGS, AT(field_), 0, NULL, "NAME", text_}
#define TRUTH(long_, short_, field_, text_)                                                        \
	{long_, short_, OPTION_BOOL, OPTION_DONE, EFFECT_TRUTH, AT(field_), 0, NULL, NULL, text_}
#define SET(long_, short_, field_, value_, text_)                                                  \
	{long_,      short_, OPTION_ALONE, OPTION_DONE, EFFECT_NUMBER,                             \
	 AT(field_), value_, NULL,         NULL,        text_}
#define IGNORE(long_, short_, argument_, note_)                                                    \
	{long_, short_, argument_, OPTION_IGNORED, EFFECT_NONE, 0, 0, NULL, NULL, note_}
#define REFUSE(long_, short_, argument_, note_)                                                    \
	{long_, short_, argument_, OPTION_REFUSED, EFFECT_NONE, 0, 0, NULL, NULL, note_}

static const char no_gpu_code[] = "makes code for a GPU, and cudasim makes code for the CPU";
static const char not_windows[] = "for Windows only";
static const char no_gpu_files[] = "concerns the text of PTX or files that cudasim does not make";

const struct option option_table[] = {
	/* The compilation phase. */
	REFUSE("--cuda", "-cuda", OPTION_ALONE,
	       "its output is for nvcc's own host pass, which cudasim does not have"),
	PHASE("--cubin", "-cubin", PHASE_CUBIN,
	      "make a file for cuModuleLoad, of code for the simulator and PTX"),
	PHASE("--fatbin", "-fatbin", PHASE_FATBIN, "the same as --cubin"),
	PHASE("--ptx", "-ptx", PHASE_PTX,
	      "make PTX that cuModuleLoad takes, with code for the simulator"),
	REFUSE("--optix-ir", "-optix-ir", OPTION_ALONE, no_gpu_code),
	PHASE("--ltoir", "-ltoir", PHASE_LTOIR, "make LTO-IR, which -dlink and nvJitLink link"),
	PHASE("--preprocess", "-E", PHASE_PREPROCESS,
	      "preprocess only; to standard output unless -o is given"),
	PHASE("--generate-dependencies", "-M", PHASE_DEPEND,
	      "print a makefile's line of what each source includes"),
	PHASE("--generate-nonsystem-dependencies", "-MM", PHASE_DEPEND_USER,
	      "as -M, without headers of the system"),
	SET("--generate-dependencies-with-compile", "-MD", depend, DEPEND_ALL,
	    "compile, and write what -M prints into a file beside"),
	SET("--generate-nonsystem-dependencies-with-compile", "-MMD", depend, DEPEND_USER,
	    "as -MD, without headers of the system"),
	TEXT("--dependency-output", "-MF", depend_file, NULL, "FILE", "where the dependencies go"),
	FLAG("--generate-dependency-targets", "-MP", depend_phony,
	     "an empty rule for each header, so that make goes on when one is gone"),
	PHASE("--compile", "-c", PHASE_OBJECT,
	      "compile each source into an object, and do not link"),
	PHASE("--device-c", "-dc", PHASE_DEVICE_C, "as -c with -rdc=true"),
	PHASE("--device-w", "-dw", PHASE_DEVICE_W, "as -c with -rdc=false"),
	PHASE("--device-link", "-dlink", PHASE_DEVICE_LINK,
	      "link the device code of objects made with -rdc=true into an object"),
	PHASE("--link", "-link", PHASE_LINK,
	      "compile and link; what is done without an option of this kind"),
	PHASE("--lib", "-lib", PHASE_LIBRARY, "compile, and put the objects into a static library"),
	PHASE("--run", "-run", PHASE_RUN, "compile, link and run the program"),

	/* Files and paths. */
	TEXT("--output-file", "-o", output, NULL, "FILE", "the name of the result"),
	WORDS("--pre-include", "-include", OPTION_LIST, pre_includes, "FILE",
	      "include FILE before each source"),
	FLAG("--objdir-as-tempdir", "-objtemp", object_folder_temp,
	     "where intermediate files go; here they have a folder of their own"),
	WORDS("--library", "-l", OPTION_NAME, libraries, "NAME", "link with a library"),
	FLAGS("--define-macro", "-D", macros, "define a macro, also as NAME=VALUE"),
	FLAGS("--undefine-macro", "-U", macros, "undefine a macro"),
	WORDS("--include-path", "-I", OPTION_NAME, include_paths, "FOLDER",
	      "search for headers in FOLDER"),
	WORDS("--system-include", "-isystem", OPTION_LIST, system_includes, "FOLDER",
	      "search for headers of the system in FOLDER"),
	WORDS("--library-path", "-L", OPTION_NAME, library_paths, "FOLDER",
	      "search for libraries in FOLDER"),
	TEXT("--output-directory", "-odir", output_directory, NULL, "FOLDER",
	     "where results go whose name is not given"),
	TEXT("--compiler-bindir", "-ccbin", host_compiler, NULL, "PATH",
	     "the host compiler that links, or the folder where it is"),
	IGNORE("--allow-unsupported-compiler", "-allow-unsupported-compiler", OPTION_ALONE,
	       "every host compiler is allowed"),
	TEXT("--archiver-binary", "-arbin", archiver, NULL, "FILE", "the archiver for -lib"),
	TEXT("--cudart", "-cudart", cudart, "none|shared|static", NULL,
	     "the kind of CUDA runtime; libcudasim is shared in any case"),
	TEXT("--cudadevrt", "-cudadevrt", cudadevrt, "none|static", NULL,
	     "the device's runtime; it is part of libcudasim"),
	TEXT("--libdevice-directory", "-ldir", libdevice_directory, NULL, "FOLDER",
	     "where libdevice is"),
	IGNORE("--target-directory", "-target-dir", OPTION_ONE,
	       "the toolkit's headers are the same for every target"),
	IGNORE("--use-local-env", "-use-local-env", OPTION_ALONE, not_windows),
	IGNORE("--force-cl-env-setup", "-force-cl-env-setup", OPTION_ALONE, not_windows),

	/* Compiler and linker behaviour. */
	FLAG("--profile", "-pg", profile, "instrument host code for gprof"),
	FLAG("--debug", "-g", debug,
	     "lines and variables of the host code for debuggers; device code always has its own"),
	FLAG("--device-debug", "-G", device_debug, "compile device code without optimisation"),
	FLAG("--generate-line-info", "-lineinfo", line_info,
	     "device code has its lines in any case"),
	IGNORE("--optimization-info", "-opt-info", OPTION_LIST,
	       "reports on nvcc's own optimiser, which cudasim does not have"),
	{"--optimize", "-O", OPTION_LEVEL, OPTION_DONE, EFFECT_TEXT, AT(optimize), 0,
	 "0|1|2|3|4|5|6|7|8|9", NULL, "the level of optimisation of the host code"},
	{"--Ofast-compile", "-Ofc", OPTION_ONE, OPTION_DONE, EFFECT_TEXT, AT(fast_compile), 0,
	 "0|max|mid|min", NULL,
	 "how much of nvcc's optimisation to leave out; here each level does the same"},
	TEXT("--dopt", "-dopt", device_optimize, "on", NULL,
	     "optimise device code although -G is given"),
	IGNORE("--dlink-time-opt", "-dlto", OPTION_ALONE,
	       "device code that is linked is always optimised as one piece"),
	IGNORE("--lto", "-lto", OPTION_ALONE,
	       "device code that is linked is always optimised as one piece"),
	IGNORE("--gen-opt-lto", "-gen-opt-lto", OPTION_ALONE,
	       "device code that is linked is always optimised as one piece"),
	TEXT("--ftemplate-backtrace-limit", "-ftemplate-backtrace-limit", template_backtrace, NULL,
	     "N", "how many instantiations a message shows"),
	TEXT("--ftemplate-depth", "-ftemplate-depth", template_depth, NULL, "N",
	     "how deep instantiations of templates may be nested"),
	FLAG("--no-exceptions", "-noeh", no_exceptions, "compile host code without exceptions"),
	FLAG("--shared", "-shared", shared, "link a shared library"),
	TEXT("--x", "-x", language, "c|c++|cu", NULL,
	     "the language of the sources, in the place of what their names say"),
	TEXT("--std", "-std", standard, "c++03|c++11|c++14|c++17|c++20", NULL, "the C++ standard"),
	IGNORE("--no-host-device-initializer-list", "-nohdinitlist", OPTION_ALONE,
	       "std::initializer_list stays usable in device code"),
	IGNORE("--no-host-device-move-forward", "-nohdmoveforward", OPTION_ALONE,
	       "std::move and std::forward stay usable in device code"),
	FLAG("--expt-relaxed-constexpr", "-expt-relaxed-constexpr", relaxed_constexpr,
	     "device code may call constexpr functions of the host, and the other way round"),
	FLAG("--extended-lambda", "-extended-lambda", extended_lambda,
	     "lambdas may be marked __device__ or __host__ __device__"),
	FLAG("--expt-extended-lambda", "-expt-extended-lambda", extended_lambda,
	     "as --extended-lambda"),
	TEXT("--machine", "-m", machine, "64", NULL, "the size of addresses"),
	IGNORE("--m64", "-m64", OPTION_ALONE, "code is always for 64 bits"),

	/* Options for one phase. */
	WORDS("--compiler-options", "-Xcompiler", OPTION_LIST, host_options, "OPTIONS",
	      "options for the host compiler"),
	WORDS("--linker-options", "-Xlinker", OPTION_LIST, linker_options, "OPTIONS",
	      "options for the linker"),
	WORDS("--archive-options", "-Xarchive", OPTION_LIST, archive_options, "OPTIONS",
	      "options for the archiver"),
	WORDS("--ptxas-options", "-Xptxas", OPTION_LIST, ptxas_options, "OPTIONS",
	      "options for ptxas, which --gpu uses"),
	WORDS("--nvlink-options", "-Xnvlink", OPTION_LIST, nvlink_options, "OPTIONS",
	      "options for nvlink, which cudasim does without"),

	/* The driver itself. */
	IGNORE("--static-global-template-stub", "-static-global-template-stub", OPTION_BOOL,
	       "kernel templates are registered once for each translation unit"),
	IGNORE("--device-entity-has-hidden-visibility", "-device-entity-has-hidden-visibility",
	       OPTION_BOOL, "device code never exports symbols"),
	FLAG("--forward-unknown-to-host-compiler", "-forward-unknown-to-host-compiler",
	     forward_compiler, "pass options that nvcc does not have to the host compiler"),
	FLAG("--forward-unknown-to-host-linker", "-forward-unknown-to-host-linker", forward_linker,
	     "pass options that nvcc does not have to the linker"),
	FLAG("--forward-unknown-opts", "-forward-unknown-opts", forward_both,
	     "pass options that nvcc does not have to both"),
	IGNORE("--dont-use-profile", "-noprof", OPTION_ALONE, "there is no nvcc.profile"),
	FLAG("--dryrun", "-dryrun", dry_run, "print the commands and run none"),
	FLAG("--verbose", "-v", verbose,
	     "print each command as it runs, and what became of each kernel"),
	{"--threads", "-t", OPTION_LEVEL, OPTION_IGNORED, EFFECT_NONE, 0, 0, NULL, NULL,
	 "device code is compiled once, not once per architecture"},
	IGNORE("--split-compile", "-split-compile", OPTION_ONE, "changes compile time only"),
	IGNORE("--split-compile-extended", "-split-compile-extended", OPTION_ONE,
	       "changes compile time only"),
	FLAG("--fdevice-syntax-only", "-fdevice-syntax-only", syntax_only,
	     "check the sources and write nothing"),
	REFUSE("--fdevice-time-trace", "-fdevice-time-trace", OPTION_ONE,
	       "the trace is of nvcc's own compiler, which cudasim does not have"),
	FLAG("--keep", "-keep", keep, "keep intermediate files"),
	TEXT("--keep-dir", "-keep-dir", keep_directory, NULL, "FOLDER",
	     "keep intermediate files in FOLDER"),
	FLAG("--save-temps", "-save-temps", keep, "as --keep"),
	FLAG("--clean-targets", "-clean", clean,
	     "remove what the same command without -clean would make"),
	TEXT("--time", "-time", time_file, NULL, "FILE",
	     "append the time of each step to FILE, as a table with commas"),
	WORDS("--run-args", "-run-args", OPTION_LIST, run_arguments, "ARGUMENTS",
	      "the arguments of the program for -run"),
	IGNORE("--input-drive-prefix", "-idp", OPTION_ONE, not_windows),
	IGNORE("--dependency-drive-prefix", "-ddp", OPTION_ONE, not_windows),
	IGNORE("--drive-prefix", "-dp", OPTION_ONE, not_windows),
	TEXT("--dependency-target-name", "-MT", depend_target, NULL, "NAME",
	     "the target in what -M prints"),
	IGNORE("--no-align-double", "--no-align-double", OPTION_ALONE, "for 32-bit code only"),
	FLAG("--no-device-link", "-nodlink", no_device_link, "link without linking device code"),

	/* GPU code. */
	WORDS("--gpu-architecture", "-arch", OPTION_ONE, architectures, "ARCH",
	      "the compute capability of device code: sm_90, compute_90, native or all"),
	WORDS("--gpu-code", "-code", OPTION_LIST, codes, "ARCH",
	      "the GPUs to compile for; what --gpu makes"),
	WORDS("--generate-code", "-gencode", OPTION_ONE, gencodes, "SPEC",
	      "both in one: arch=compute_90,code=sm_90"),
	TRUTH("--relocatable-device-code", "-rdc", relocatable,
	      "whether device code may refer to that of other sources"),
	IGNORE("--entries", "-e", OPTION_LIST, "every kernel is compiled"),
	TEXT("--maxrregcount", "-maxrregcount", max_registers, NULL, "N",
	     "the most registers of a thread of GPU code (--gpu)"),
	FLAG("--use_fast_math", "-use_fast_math", fast_math,
	     "as -ftz=true -prec-div=false -prec-sqrt=false -fmad=true, and the quick functions of math.h"),
	TRUTH("--ftz", "-ftz", ftz, "whether denormal results of float become zero"),
	TRUTH("--prec-div", "-prec-div", precise_division,
	      "whether division of float is rounded correctly"),
	TRUTH("--prec-sqrt", "-prec-sqrt", precise_sqrt,
	      "whether square roots of float are rounded correctly"),
	TRUTH("--fmad", "-fmad", fmad, "whether a * b + c is rounded once"),
	IGNORE("--extra-device-vectorization", "-extra-device-vectorization", OPTION_ALONE,
	       "device code is always vectorised"),

	/* CUDA compilation. */
	TEXT("--default-stream", "-default-stream", default_stream, "legacy|null|per-thread", NULL,
	     "which stream is meant by 0"),

	/* Generic. */
	FLAG("--disable-warnings", "-w", no_warnings, "print no warnings"),
	IGNORE("--keep-device-functions", "-keep-device-functions", OPTION_ALONE, no_gpu_files),
	IGNORE("--source-in-ptx", "-src-in-ptx", OPTION_ALONE, no_gpu_files),
	IGNORE("--restrict", "-restrict", OPTION_ALONE,
	       "a promise for the optimiser that changes no correct program's results"),
	FLAG("--Wreorder", "-Wreorder", warn_reorder,
	     "warn of initialisers in another order than the class's members"),
	IGNORE("--Wdefault-stream-launch", "-Wdefault-stream-launch", OPTION_ALONE,
	       "clang has no such warning"),
	IGNORE("--Wmissing-launch-bounds", "-Wmissing-launch-bounds", OPTION_ALONE,
	       "clang has no such warning"),
	IGNORE("--Wext-lambda-captures-this", "-Wext-lambda-captures-this", OPTION_ALONE,
	       "clang has no such warning"),
	FLAG("--Wno-deprecated-declarations", "-Wno-deprecated-declarations",
	     no_deprecated_declarations, "do not warn of what is deprecated"),
	FLAG("--Wno-deprecated-gpu-targets", "-Wno-deprecated-gpu-targets", no_deprecated_targets,
	     "do not warn of old GPUs"),
	WORDS("--Werror", "-Werror", OPTION_LIST, errors, "KINDS",
	      "make errors of warnings of these kinds"),
	FLAG("--resource-usage", "-res-usage", resource_usage,
	     "let ptxas print what each kernel uses (with --gpu)"),
	IGNORE("--extensible-whole-program", "-ewp", OPTION_ALONE, no_gpu_files),
	IGNORE("--no-compress", "-no-compress", OPTION_ALONE, no_gpu_files),
	REFUSE("--qpp-config", "-qpp-config", OPTION_ONE, "the q++ compiler is not supported"),
	REFUSE("--compile-as-tools-patch", "-astoolspatch", OPTION_ALONE, no_gpu_code),
	FLAG("--list-gpu-code", "-code-ls", list_code, "print the names that -code takes"),
	FLAG("--list-gpu-arch", "-arch-ls", list_architectures, "print the names that -arch takes"),
	IGNORE("--display-error-number", "-err-no", OPTION_ALONE,
	       "diagnostics are clang's, which have no numbers"),
	IGNORE("--no-display-error-number", "-no-err-no", OPTION_ALONE,
	       "diagnostics are clang's, which have no numbers"),
	IGNORE("--diag-error", "-diag-error", OPTION_LIST,
	       "diagnostics are clang's, which have no numbers"),
	IGNORE("--diag-suppress", "-diag-suppress", OPTION_LIST,
	       "diagnostics are clang's, which have no numbers"),
	IGNORE("--diag-warn", "-diag-warn", OPTION_LIST,
	       "diagnostics are clang's, which have no numbers"),
	REFUSE("--host-linker-script", "-hls", OPTION_ONE, no_gpu_files),
	REFUSE("--augment-host-linker-script", "-aug-hls", OPTION_ALONE, no_gpu_files),
	FLAG("--relocatable-link", "-r", relocatable_link,
	     "link the device code of objects into one that can be linked again"),
	IGNORE("--brief-diagnostics", "-brief-diag", OPTION_BOOL, "diagnostics are clang's"),
	IGNORE("--jump-table-density", "-jtd", OPTION_ONE, "changes speed only"),
	IGNORE("--relocatable-ptx", "-reloc-ptx", OPTION_ALONE, no_gpu_files),
	IGNORE("--device-stack-protector", "-device-stack-protector", OPTION_BOOL,
	       "every thread's stack has a guard page"),
	IGNORE("--compress-mode", "-compress-mode", OPTION_ONE, no_gpu_files),
	TEXT("--frandom-seed", "-frandom-seed", seed, NULL, "TEXT",
	     "what random names are made of"),
	REFUSE("--sanitize", "-sanitize", OPTION_ONE,
	       "cudasim's checkers need no instrumentation at build time"),
	IGNORE("--jobserver", "-jobserver", OPTION_ALONE, "changes compile time only"),
	FLAG("--help", "-h", help, "print this text"),
	FLAG("--version", "-V", version, "print the version, as nvcc does"),
	WORDS("--options-file", "-optf", OPTION_LIST, option_files, "FILE",
	      "read options from FILE"),

	/* Not nvcc's. Options of cudafe++ that nvcc takes without listing them. */
	IGNORE("--cudafe-options", "-Xcudafe", OPTION_ONE, "there is no cudafe++"),
	/* The same of its other tools. */
	IGNORE("--fatbin-options", "-Xfatbin", OPTION_LIST, no_gpu_files),
	IGNORE("--cicc-options", "-Xcicc", OPTION_LIST, "there is no cicc"),
	IGNORE("--nvasm-options", "-Xnvasm", OPTION_LIST, no_gpu_files),
	IGNORE("--nvdisasm-options", "-Xnvdisasm", OPTION_LIST, no_gpu_files),
	/* cudasim's own. */
	{"--gpu", "-gpu", OPTION_MAYBE, OPTION_DONE, EFFECT_GPU, 0, 0, NULL, "ARCHS",
	 "make GPU code as well, for these architectures or those of -arch and -code"},
	WORDS("--lazy-module", "-lazy-module", OPTION_ONE, lazy_modules, "FILE",
	      "a module of NVVM IR of which only what the inputs use is linked"),
	WORDS("--step-into", "-step-into", OPTION_LIST, step_into, "FOLDERS",
	      "headers whose lines the debugger steps into: cub,thrust,cooperative_groups"),
	/* Accepted by nvcc without a word in its help. */
	FLAG("--position-independent-code", "-fPIC", position_independent, "as -Xcompiler -fPIC"),
	FLAG("--export-dynamic", "-rdynamic", export_dynamic, "as -Xcompiler -rdynamic"),
	FLAG("--posix-threads", "-pthread", pthread, "as -Xcompiler -pthread"),
};

const size_t n_options = sizeof option_table / sizeof *option_table;
const size_t n_nvcc_options = sizeof option_table / sizeof *option_table - 11;
