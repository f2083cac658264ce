/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_emit.c - LLVM's NVPTX back end.
 *
 * The directives of lines stay in the PTX whatever the options, so that what
 * ptxas says of a line of PTX can be told of the source (the driver's ptxas.c). */
#define _GNU_SOURCE
#include "gpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <llvm-c/Error.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "debug_metadata.h"
#include "layout.h"
#include "llvm_versions.h"

/* The newest PTX that LLVM 19 writes; CUDA 12.5's and all later ptxas take it. */
static const char features[] = "+ptx85";
static const char triple[] = "nvptx64-nvidia-cuda";

/* LLVM ends the process where it has no instruction for something; say of what.
 * The handler has no context of its own. */
static struct device_module *failing;

static void fail(const char *reason)
{
	const char *named = strstr(reason, "In function: ");
	char name[4096] = "";
	if (named)
		sscanf(named + strlen("In function: "), "%4095s", name);
	LLVMValueRef function = *name ? LLVMGetNamedFunction(failing->module, name) : NULL;
	device_diagnose(failing, function, "LLVM's GPU back end cannot compile this%s%s: %.*s",
			*name ? " function, " : "", name, (int)strcspn(reason, "\n"), reason);
	fflush(NULL);
	_exit(1);
}

/* How NVPTX is to divide and take roots: 0 is div.approx, 1 div.full, 2 div.rn. LLVM takes an
 * option once in a process. */
static void set_options(const struct device_options *options)
{
	static bool done;
	if (done)
		return;
	done = true;
	bool fast = options->fast_math && options->ftz;
	const char *arguments[] = {
		"cudasim-devcc",
		options->prec_div ? "-nvptx-prec-divf32=2"
		: fast            ? "-nvptx-prec-divf32=0"
				  : "-nvptx-prec-divf32=1",
		options->prec_sqrt ? "-nvptx-prec-sqrtf32=1" : "-nvptx-prec-sqrtf32=0",
	};
	LLVMParseCommandLineOptions(3, arguments, NULL);
}

static struct cudasim_error *new_machine(struct device_module *dm, LLVMTargetMachineRef *ret)
{
	const struct device_options *options = dm->program->options;
	LLVMInitializeNVPTXTargetInfo();
	LLVMInitializeNVPTXTarget();
	LLVMInitializeNVPTXTargetMC();
	LLVMInitializeNVPTXAsmPrinter();
	LLVMTargetRef target;
	char *message = NULL;
	if (LLVMGetTargetFromTriple(triple, &target, &message)) {
		struct cudasim_error *error = cudasim_error_new(
			CUDASIM_E_NOTFOUND, "error: this LLVM has no NVPTX target: %s", message);
		LLVMDisposeMessage(message);
		return error;
	}
	set_options(options);
	*ret = LLVMCreateTargetMachine(target, triple, options->gpu, features,
				       options->optimize ? LLVMCodeGenLevelAggressive
							 : LLVMCodeGenLevelNone,
				       LLVMRelocDefault, LLVMCodeModelDefault);
	return NULL;
}

/* A machine to work with, whose failures are the module's diagnoses until machine_end(). */
static struct cudasim_error *machine_begin(struct device_module *dm, LLVMTargetMachineRef *ret)
{
	struct cudasim_error *error = new_machine(dm, ret);
	if (error)
		return error;
	failing = dm;
	LLVMInstallFatalErrorHandler(fail);
	return NULL;
}

static void machine_end(LLVMTargetMachineRef machine)
{
	LLVMResetFatalErrorHandler();
	LLVMDisposeTargetMachine(machine);
}

struct cudasim_error *pass_gpu_debug(struct device_module *dm)
{
	debug_prepare_nvptx(dm->module, dm->program->options->gpu_debug);
	return NULL;
}

struct cudasim_error *pass_gpu_optimize(struct device_module *dm)
{
	const char *passes = dm->program->options->optimize ? "default<O3>" : "default<O0>";
	LLVMTargetMachineRef machine;
	struct cudasim_error *error = machine_begin(dm, &machine);
	if (error)
		return error;
	module_unsettle(dm->module);
	error = device_run_passes_for(dm, passes, machine);
	machine_end(machine);
	return error;
}

/* ---- directives ---------------------------------------------------------------------- */

/* Where a kernel's directives go: behind the ')' that ends its parameters. */
static const char *end_of_parameters(const char *ptx, const char *kernel)
{
	size_t length = strlen(kernel);
	for (const char *at = ptx; (at = strstr(at, ".entry ")); at++) {
		const char *name = at + strlen(".entry ");
		if (!strncmp(name, kernel, length) && name[length] == '(')
			return strstr(name, "\n)") ? strstr(name, "\n)") + 2
			       : strchr(name, ')') ? strchr(name, ')') + 1
						   : NULL;
	}
	return NULL;
}

char *gpu_add_directives(const char *ptx, const struct device_program *program)
{
	char *text = (char *)ptx;
	for (size_t i = 0; i < program->layout->n_kernels; i++) {
		const struct layout_kernel *kernel = &program->layout->kernels[i];
		const char *at = kernel->cluster[0] ? end_of_parameters(text, kernel->name) : NULL;
		char *longer = NULL;
		if (!at)
			continue;
		if (asprintf(&longer, "%.*s\n.explicitcluster\n.reqnctapercluster %u, %u, %u%s",
			     (int)(at - text), text, kernel->cluster[0], kernel->cluster[1],
			     kernel->cluster[2], at) < 0)
			break;
		if (text != ptx)
			free(text);
		text = longer;
	}
	return text;
}

/* The bytes of a line to be left out in front. A variable that a driver shall know must be
 * external to LLVM; but in PTX its name is no other part's, unless this is one of several.
 * Those in which NVRTC finds names are never. */
static size_t hidden_linkage(const char *line, size_t n, const struct device_options *options)
{
	static const char visible[] = ".visible ", own[] = "cudasim_nvrtc_name_";
	size_t length = sizeof visible - 1;
	if (!options->gpu_alone || n < length || strncmp(line, visible, length) ||
	    (strncmp(line + length, ".global", 7) && strncmp(line + length, ".const", 6)))
		return 0;
	return !options->relocatable || memmem(line, n, own, sizeof own - 1) ? length : 0;
}

/* LLVM writes this for any line number; programs take it for debug information. */
static bool is_empty_section(const char *line, size_t n)
{
	static const char empty[] = "\t.section\t.debug_loc\t{\t}\n";
	return n == sizeof empty - 1 && !memcmp(line, empty, n);
}

/* LLVM writes a call in several lines and may put labels of debug information
 * between them, where ptxas takes none: those go behind the call. */
static struct cudasim_error *write_lines(FILE *file, const char *text,
					 const struct device_options *options)
{
	char *held = NULL;
	size_t n_held = 0;
	FILE *later = NULL;
	bool in_call = false, failed = false;
	for (const char *line = text; *line && !failed;) {
		size_t n = strcspn(line, "\n") + 1;
		n -= !line[n - 1];
		bool ends = memchr(line, ';', n) != NULL;
		bool holds = in_call && (!strncmp(line, "$L__", 4) || !strncmp(line, "\t.loc", 5));
		if (!in_call)
			in_call = !strncmp(line, "\tcall", 5) && !ends;
		if (holds && !later)
			later = open_memstream(&held, &n_held);
		if (holds && !later)
			return &cudasim_error_nomem;
		size_t hidden = is_empty_section(line, n) ? n : hidden_linkage(line, n, options);
		line += hidden, n -= hidden;
		failed = fwrite(line, 1, n, holds ? later : file) != n;
		if (in_call && ends && !holds) {
			in_call = false;
			if (later) {
				fclose(later);
				failed |= fwrite(held, 1, n_held, file) != n_held;
				free(held);
				later = NULL;
			}
		}
		line += n;
	}
	if (later) {
		fclose(later);
		free(held);
	}
	return failed ? cudasim_error_errno(errno, "cannot write PTX") : NULL;
}

static struct cudasim_error *write_text(const struct device_options *options, const char *text)
{
	FILE *file = fopen(options->output, "we");
	if (!file)
		return cudasim_error_errno(errno, "cannot write '%s'", options->output);
	struct cudasim_error *error = write_lines(file, text, options);
	if (fclose(file) && !error)
		error = cudasim_error_errno(errno, "cannot write '%s'", options->output);
	return error;
}

struct cudasim_error *gpu_emit(struct device_module *dm)
{
	const struct device_options *options = dm->program->options;
	LLVMTargetMachineRef machine;
	struct cudasim_error *error = machine_begin(dm, &machine);
	if (error)
		return error;
	LLVMMemoryBufferRef buffer = NULL;
	char *message = NULL;
	if (LLVMTargetMachineEmitToMemoryBuffer(machine, dm->module, LLVMAssemblyFile, &message,
						&buffer)) {
		error = cudasim_error_new(CUDASIM_E_FAILED, "error: %s", message);
		LLVMDisposeMessage(message);
	}
	machine_end(machine);
	if (error)
		return error;
	/* LLVM's buffers end in NUL. */
	const char *ptx = LLVMGetBufferStart(buffer);
	char *text = gpu_add_directives(ptx, dm->program);
	error = write_text(options, text);
	if (text != ptx)
		free(text);
	LLVMDisposeMemoryBuffer(buffer);
	return error;
}
