/* SPDX-License-Identifier: Apache-2.0 */
/* The order is that of `nvcc --help`. */
#include "options.h"

#include <stddef.h>

#include "command.h"

#define AT(field) offsetof(struct command, field)

#define FLAG(long_, short_, field_)                                                                \
	{long_, short_, OPTION_ALONE, OPTION_DONE, EFFECT_FLAG, AT(field_), 0, NULL, NULL}
#define PHASE(long_, short_, phase_)                                                               \
	{long_, short_, OPTION_ALONE, OPTION_DONE, EFFECT_PHASE, AT(phase), phase_, NULL, NULL}
#define TEXT(long_, short_, field_, choices_)                                                      \
	{long_, short_, OPTION_ONE, OPTION_DONE, EFFECT_TEXT, AT(field_), 0, choices_, NULL}
#define WORDS(long_, short_, argument_, field_)                                                    \
	{long_, short_, argument_, OPTION_DONE, EFFECT_WORDS, AT(field_), 0, NULL, NULL}
#define FLAGS(long_, short_, field_)                                                               \
	{long_, short_, OPTION_NAME, OPTION_DONE, EFFECT_FLAGS, AT(field_), 0, NULL, NULL}
#define TRUTH(long_, short_, field_)                                                               \
	{long_, short_, OPTION_BOOL, OPTION_DONE, EFFECT_TRUTH, AT(field_), 0, NULL, NULL}
#define SET(long_, short_, field_, value_)                                                         \
	{long_, short_, OPTION_ALONE, OPTION_DONE, EFFECT_NUMBER, AT(field_), value_, NULL, NULL}
#define IGNORE(long_, short_, argument_, note_)                                                    \
	{long_, short_, argument_, OPTION_IGNORED, EFFECT_NONE, 0, 0, NULL, note_}
#define REFUSE(long_, short_, argument_, note_)                                                    \
	{long_, short_, argument_, OPTION_REFUSED, EFFECT_NONE, 0, 0, NULL, note_}

static const char no_gpu_code[] = "makes code for a GPU, and cudasim makes code for the CPU";
static const char not_windows[] = "for Windows only";
static const char no_gpu_files[] = "concerns the text of PTX or files that cudasim does not make";

const struct option option_table[] = {
	/* The compilation phase. */
	REFUSE("--cuda", "-cuda", OPTION_ALONE,
	       "its output is for nvcc's own host pass, which cudasim does not have"),
	PHASE("--cubin", "-cubin", PHASE_CUBIN),
	PHASE("--fatbin", "-fatbin", PHASE_FATBIN),
	PHASE("--ptx", "-ptx", PHASE_PTX),
	REFUSE("--optix-ir", "-optix-ir", OPTION_ALONE, no_gpu_code),
	PHASE("--ltoir", "-ltoir", PHASE_LTOIR),
	PHASE("--preprocess", "-E", PHASE_PREPROCESS),
	PHASE("--generate-dependencies", "-M", PHASE_DEPEND),
	PHASE("--generate-nonsystem-dependencies", "-MM", PHASE_DEPEND_USER),
	SET("--generate-dependencies-with-compile", "-MD", depend, DEPEND_ALL),
	SET("--generate-nonsystem-dependencies-with-compile", "-MMD", depend, DEPEND_USER),
	TEXT("--dependency-output", "-MF", depend_file, NULL),
	FLAG("--generate-dependency-targets", "-MP", depend_phony),
	PHASE("--compile", "-c", PHASE_OBJECT),
	PHASE("--device-c", "-dc", PHASE_DEVICE_C),
	PHASE("--device-w", "-dw", PHASE_DEVICE_W),
	PHASE("--device-link", "-dlink", PHASE_DEVICE_LINK),
	PHASE("--link", "-link", PHASE_LINK),
	PHASE("--lib", "-lib", PHASE_LIBRARY),
	PHASE("--run", "-run", PHASE_RUN),

	/* Files and paths. */
	TEXT("--output-file", "-o", output, NULL),
	WORDS("--pre-include", "-include", OPTION_LIST, pre_includes),
	FLAG("--objdir-as-tempdir", "-objtemp", object_folder_temp),
	WORDS("--library", "-l", OPTION_NAME, libraries),
	FLAGS("--define-macro", "-D", macros),
	FLAGS("--undefine-macro", "-U", macros),
	WORDS("--include-path", "-I", OPTION_NAME, include_paths),
	WORDS("--system-include", "-isystem", OPTION_LIST, system_includes),
	WORDS("--library-path", "-L", OPTION_NAME, library_paths),
	TEXT("--output-directory", "-odir", output_directory, NULL),
	TEXT("--compiler-bindir", "-ccbin", host_compiler, NULL),
	IGNORE("--allow-unsupported-compiler", "-allow-unsupported-compiler", OPTION_ALONE,
	       "every host compiler is allowed"),
	TEXT("--archiver-binary", "-arbin", archiver, NULL),
	TEXT("--cudart", "-cudart", cudart, "none|shared|static"),
	TEXT("--cudadevrt", "-cudadevrt", cudadevrt, "none|static"),
	TEXT("--libdevice-directory", "-ldir", libdevice_directory, NULL),
	IGNORE("--target-directory", "-target-dir", OPTION_ONE,
	       "the toolkit's headers are the same for every target"),
	IGNORE("--use-local-env", "-use-local-env", OPTION_ALONE, not_windows),
	IGNORE("--force-cl-env-setup", "-force-cl-env-setup", OPTION_ALONE, not_windows),

	/* Compiler and linker behaviour. */
	FLAG("--profile", "-pg", profile),
	FLAG("--debug", "-g", debug),
	FLAG("--device-debug", "-G", device_debug),
	FLAG("--generate-line-info", "-lineinfo", line_info),
	IGNORE("--optimization-info", "-opt-info", OPTION_LIST,
	       "reports on nvcc's own optimiser, which cudasim does not have"),
	{"--optimize", "-O", OPTION_LEVEL, OPTION_DONE, EFFECT_TEXT, AT(optimize), 0,
	 "0|1|2|3|4|5|6|7|8|9", NULL},
	{"--Ofast-compile", "-Ofc", OPTION_ONE, OPTION_DONE, EFFECT_TEXT, AT(fast_compile), 0,
	 "0|max|mid|min", NULL},
	TEXT("--dopt", "-dopt", device_optimize, "on"),
	IGNORE("--dlink-time-opt", "-dlto", OPTION_ALONE,
	       "device code that is linked is always optimised as one piece"),
	IGNORE("--lto", "-lto", OPTION_ALONE,
	       "device code that is linked is always optimised as one piece"),
	IGNORE("--gen-opt-lto", "-gen-opt-lto", OPTION_ALONE,
	       "device code that is linked is always optimised as one piece"),
	TEXT("--ftemplate-backtrace-limit", "-ftemplate-backtrace-limit", template_backtrace, NULL),
	TEXT("--ftemplate-depth", "-ftemplate-depth", template_depth, NULL),
	FLAG("--no-exceptions", "-noeh", no_exceptions),
	FLAG("--shared", "-shared", shared),
	TEXT("--x", "-x", language, "c|c++|cu"),
	TEXT("--std", "-std", standard, "c++03|c++11|c++14|c++17|c++20"),
	IGNORE("--no-host-device-initializer-list", "-nohdinitlist", OPTION_ALONE,
	       "std::initializer_list stays usable in device code"),
	IGNORE("--no-host-device-move-forward", "-nohdmoveforward", OPTION_ALONE,
	       "std::move and std::forward stay usable in device code"),
	FLAG("--expt-relaxed-constexpr", "-expt-relaxed-constexpr", relaxed_constexpr),
	FLAG("--extended-lambda", "-extended-lambda", extended_lambda),
	FLAG("--expt-extended-lambda", "-expt-extended-lambda", extended_lambda),
	TEXT("--machine", "-m", machine, "64"),
	IGNORE("--m64", "-m64", OPTION_ALONE, "code is always for 64 bits"),

	/* Options for one phase. */
	WORDS("--compiler-options", "-Xcompiler", OPTION_LIST, host_options),
	WORDS("--linker-options", "-Xlinker", OPTION_LIST, linker_options),
	WORDS("--archive-options", "-Xarchive", OPTION_LIST, archive_options),
	WORDS("--ptxas-options", "-Xptxas", OPTION_LIST, ptxas_options),
	WORDS("--nvlink-options", "-Xnvlink", OPTION_LIST, nvlink_options),

	/* The driver itself. */
	IGNORE("--static-global-template-stub", "-static-global-template-stub", OPTION_BOOL,
	       "kernel templates are registered once for each translation unit"),
	IGNORE("--device-entity-has-hidden-visibility", "-device-entity-has-hidden-visibility",
	       OPTION_BOOL, "device code never exports symbols"),
	FLAG("--forward-unknown-to-host-compiler", "-forward-unknown-to-host-compiler",
	     forward_compiler),
	FLAG("--forward-unknown-to-host-linker", "-forward-unknown-to-host-linker", forward_linker),
	FLAG("--forward-unknown-opts", "-forward-unknown-opts", forward_both),
	IGNORE("--dont-use-profile", "-noprof", OPTION_ALONE, "there is no nvcc.profile"),
	FLAG("--dryrun", "-dryrun", dry_run),
	FLAG("--verbose", "-v", verbose),
	{"--threads", "-t", OPTION_LEVEL, OPTION_IGNORED, EFFECT_NONE, 0, 0, NULL,
	 "device code is compiled once, not once per architecture"},
	IGNORE("--split-compile", "-split-compile", OPTION_ONE, "changes compile time only"),
	IGNORE("--split-compile-extended", "-split-compile-extended", OPTION_ONE,
	       "changes compile time only"),
	FLAG("--fdevice-syntax-only", "-fdevice-syntax-only", syntax_only),
	REFUSE("--fdevice-time-trace", "-fdevice-time-trace", OPTION_ONE,
	       "the trace is of nvcc's own compiler, which cudasim does not have"),
	FLAG("--keep", "-keep", keep),
	TEXT("--keep-dir", "-keep-dir", keep_directory, NULL),
	FLAG("--save-temps", "-save-temps", keep),
	FLAG("--clean-targets", "-clean", clean),
	TEXT("--time", "-time", time_file, NULL),
	WORDS("--run-args", "-run-args", OPTION_LIST, run_arguments),
	IGNORE("--input-drive-prefix", "-idp", OPTION_ONE, not_windows),
	IGNORE("--dependency-drive-prefix", "-ddp", OPTION_ONE, not_windows),
	IGNORE("--drive-prefix", "-dp", OPTION_ONE, not_windows),
	TEXT("--dependency-target-name", "-MT", depend_target, NULL),
	IGNORE("--no-align-double", "--no-align-double", OPTION_ALONE, "for 32-bit code only"),
	FLAG("--no-device-link", "-nodlink", no_device_link),

	/* GPU code. */
	WORDS("--gpu-architecture", "-arch", OPTION_ONE, architectures),
	WORDS("--gpu-code", "-code", OPTION_LIST, codes),
	WORDS("--generate-code", "-gencode", OPTION_ONE, gencodes),
	TRUTH("--relocatable-device-code", "-rdc", relocatable),
	IGNORE("--entries", "-e", OPTION_LIST, "every kernel is compiled"),
	TEXT("--maxrregcount", "-maxrregcount", max_registers, NULL),
	FLAG("--use_fast_math", "-use_fast_math", fast_math),
	TRUTH("--ftz", "-ftz", ftz),
	TRUTH("--prec-div", "-prec-div", precise_division),
	TRUTH("--prec-sqrt", "-prec-sqrt", precise_sqrt),
	TRUTH("--fmad", "-fmad", fmad),
	IGNORE("--extra-device-vectorization", "-extra-device-vectorization", OPTION_ALONE,
	       "device code is always vectorised"),

	/* CUDA compilation. */
	TEXT("--default-stream", "-default-stream", default_stream, "legacy|null|per-thread"),

	/* Generic. */
	FLAG("--disable-warnings", "-w", no_warnings),
	IGNORE("--keep-device-functions", "-keep-device-functions", OPTION_ALONE, no_gpu_files),
	IGNORE("--source-in-ptx", "-src-in-ptx", OPTION_ALONE, no_gpu_files),
	IGNORE("--restrict", "-restrict", OPTION_ALONE,
	       "a promise for the optimiser that changes no correct program's results"),
	FLAG("--Wreorder", "-Wreorder", warn_reorder),
	IGNORE("--Wdefault-stream-launch", "-Wdefault-stream-launch", OPTION_ALONE,
	       "clang has no such warning"),
	IGNORE("--Wmissing-launch-bounds", "-Wmissing-launch-bounds", OPTION_ALONE,
	       "clang has no such warning"),
	IGNORE("--Wext-lambda-captures-this", "-Wext-lambda-captures-this", OPTION_ALONE,
	       "clang has no such warning"),
	FLAG("--Wno-deprecated-declarations", "-Wno-deprecated-declarations",
	     no_deprecated_declarations),
	FLAG("--Wno-deprecated-gpu-targets", "-Wno-deprecated-gpu-targets", no_deprecated_targets),
	WORDS("--Werror", "-Werror", OPTION_LIST, errors),
	FLAG("--resource-usage", "-res-usage", resource_usage),
	IGNORE("--extensible-whole-program", "-ewp", OPTION_ALONE, no_gpu_files),
	IGNORE("--no-compress", "-no-compress", OPTION_ALONE, no_gpu_files),
	REFUSE("--qpp-config", "-qpp-config", OPTION_ONE, "the q++ compiler is not supported"),
	REFUSE("--compile-as-tools-patch", "-astoolspatch", OPTION_ALONE, no_gpu_code),
	FLAG("--list-gpu-code", "-code-ls", list_code),
	FLAG("--list-gpu-arch", "-arch-ls", list_architectures),
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
	FLAG("--relocatable-link", "-r", relocatable_link),
	IGNORE("--brief-diagnostics", "-brief-diag", OPTION_BOOL, "diagnostics are clang's"),
	IGNORE("--jump-table-density", "-jtd", OPTION_ONE, "changes speed only"),
	IGNORE("--relocatable-ptx", "-reloc-ptx", OPTION_ALONE, no_gpu_files),
	IGNORE("--device-stack-protector", "-device-stack-protector", OPTION_BOOL,
	       "every thread's stack has a guard page"),
	IGNORE("--compress-mode", "-compress-mode", OPTION_ONE, no_gpu_files),
	TEXT("--frandom-seed", "-frandom-seed", seed, NULL),
	REFUSE("--sanitize", "-sanitize", OPTION_ONE,
	       "cudasim's checkers need no instrumentation at build time"),
	IGNORE("--jobserver", "-jobserver", OPTION_ALONE, "changes compile time only"),
	FLAG("--help", "-h", help),
	FLAG("--version", "-V", version),
	WORDS("--options-file", "-optf", OPTION_LIST, option_files),

	/* Not nvcc's. Options of cudafe++ that nvcc takes without listing them. */
	IGNORE("--cudafe-options", "-Xcudafe", OPTION_ONE, "there is no cudafe++"),
	/* The same of its other tools. */
	IGNORE("--fatbin-options", "-Xfatbin", OPTION_LIST, no_gpu_files),
	IGNORE("--cicc-options", "-Xcicc", OPTION_LIST, "there is no cicc"),
	IGNORE("--nvasm-options", "-Xnvasm", OPTION_LIST, no_gpu_files),
	IGNORE("--nvdisasm-options", "-Xnvdisasm", OPTION_LIST, no_gpu_files),
	/* cudasim's own. */
	{"--gpu", "-gpu", OPTION_MAYBE, OPTION_DONE, EFFECT_GPU, 0, 0, NULL, NULL},
	WORDS("--lazy-module", "-lazy-module", OPTION_ONE, lazy_modules),
	/* Accepted by nvcc without a word in its help. */
	FLAG("--position-independent-code", "-fPIC", position_independent),
	FLAG("--export-dynamic", "-rdynamic", export_dynamic),
	FLAG("--posix-threads", "-pthread", pthread),
};

const size_t n_options = sizeof option_table / sizeof *option_table;
const size_t n_nvcc_options = sizeof option_table / sizeof *option_table - 10;
