/* SPDX-License-Identifier: Apache-2.0 */
/* devcc.c - the command line of cudasim-devcc: NVVM bitcode in, one object out. */
#define _GNU_SOURCE
#include "devcc.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile.h"
#include "device.h"
#include "pipeline.h"
#include "run_pass.h"
#include "must.h"

static const char usage[] =
	"usage: cudasim-devcc [options] -o OUT.o IN.bc...\n"
	"  --id=HEX32           the module's id, 32 hexadecimal digits\n"
	"  --source=NAME        the source file's name, for messages and tables\n"
	"  -O0 -O1 -O2 -O3      optimisation of the plain bodies (3)\n"
	"  --ftz=0|1            flush single precision denormals (0)\n"
	"  --prec-div=0|1       IEEE 754 division (1)\n"
	"  --prec-sqrt=0|1      IEEE 754 square roots (1)\n"
	"  --fmad=0|1           contract a*b+c (1)\n"
	"  --fast-math=0|1      the quick forms of functions and quotients (0)\n"
	"  --arch=N             __CUDA_ARCH__ of the inputs, for cudaFuncGetAttributes\n"
	"  --libdevice=PATH     libdevice.10.bc of a CUDA toolkit\n"
	"  --builtins=PATH      cudasim's builtins.bc (beside this program)\n"
	"  --step-into=NAME     lines of headers in a folder of this name are places, too\n"
	"  --attach=PATH        an object to be a part of OUT.o, cudasim's attach.o\n"
	"  --library=PATH       where the program finds libcudasim.so if not linked with it\n"
	"  --maxrregcount=N     accepted; registers are not limited here\n"
	"  --check              look for errors in PTX or NVVM IR only\n"
	"  --nvvm               the inputs are NVVM IR, text or bitcode; OUT is bitcode to compile\n"
	"  --lazy=FILE          with --nvvm: link what the inputs need of this one\n"
	"  --rdc                the inputs are all device code of a program\n"
	"  --relocatable        they are a part of one; where something is undefined, OUT is empty\n"
	"  --rdc-id=NAME        define __cudaRegisterLinkedBinary_NAME\n"
	"  --gpu=sm_NN          write PTX for a real GPU to OUT instead of an object\n"
	"  --gpu-debug          with all debug information (-G)\n"
	"  --gpu-alone          that a driver loads with nothing of libcudasim beside it\n"
	"  --gpu-beside=0|1     the host object carries code for a GPU\n"
	"  --gpu-blob=FILE      the module's GPU code, a struct cudasim_blob and what follows\n"
	"  --bodies=LIST        of plain, v4, watched (all)\n"
	"  --save-temps=DIR     write the IR after each stage to DIR\n"
	"  --verify-each        verify the IR after each pass, to name one that breaks it\n"
	"  --engines            say how each kernel's blocks are run, and why\n"
	"  --verbose            say what is done, and how long it took\n"
	"  --print-pipeline     list all passes: stage, name, source, what holds after it\n"
	"  --run-pass=NAME,...  run these on one .ll, and what they need before; NAME may be\n"
	"                       STAGE/NAME; the outcome goes to stdout or -o FILE\n";

/* What main owns beside the options. */
struct arguments {
	struct device_options options;
	const char **inputs, **rdc_ids, **lazy, **step_into;
	char *builtins; /* the default path */
	const char *run_pass; /* names, or NULL: compile */
};

/* The value of `--name=value`, or NULL if arg is another option. */
static const char *value_of(const char *arg, const char *name)
{
	size_t length = strlen(name);
	return !strncmp(arg, name, length) && arg[length] == '=' ? arg + length + 1 : NULL;
}

static struct cudasim_error *parse_id(const char *text, uint8_t id[16])
{
	unsigned n = 0;
	for (; text[n]; n++) {
		const char *digits = "0123456789abcdef", *digit = strchr(digits, text[n]);
		if (!digit || n >= 32)
			break;
		id[n / 2] = (uint8_t)(id[n / 2] << 4 | (digit - digits));
	}
	if (n != 32 || text[n])
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "--id=%s: 32 digits of 0-9a-f are needed", text);
	return NULL;
}

static struct cudasim_error *parse_arch(const char *text, unsigned *ret)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);
	if (end == text || *end || n < 100 || n > 9999)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "--arch: '%s' is not a value of __CUDA_ARCH__", text);
	*ret = (unsigned)n;
	return NULL;
}

static struct cudasim_error *parse_bool(const char *option, const char *text, bool *ret)
{
	if (strcmp(text, "0") && strcmp(text, "1"))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "%s: the value is 0 or 1", option);
	*ret = text[0] == '1';
	return NULL;
}

static struct cudasim_error *parse_bodies(const char *text, struct device_options *options)
{
	options->body_plain = options->body_v4 = options->body_watched = false;
	while (*text) {
		size_t length = strcspn(text, ",");
		if (length == 5 && !strncmp(text, "plain", 5))
			options->body_plain = true;
		else if (length == 2 && !strncmp(text, "v4", 2))
			options->body_v4 = true;
		else if (length == 7 && !strncmp(text, "watched", 7))
			options->body_watched = true;
		else
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "--bodies: '%.*s' is not plain, v4 or watched",
						 (int)length, text);
		text += length + (text[length] == ',');
	}
	return NULL;
}

static struct cudasim_error *parse_option(const char *arg, struct arguments *a)
{
	static const struct {
		const char *name;
		size_t field;
	} flags[] = {
		{"--ftz", offsetof(struct device_options, ftz)},
		{"--prec-div", offsetof(struct device_options, prec_div)},
		{"--prec-sqrt", offsetof(struct device_options, prec_sqrt)},
		{"--fast-math", offsetof(struct device_options, fast_math)},
		{"--fmad", offsetof(struct device_options, fmad)},
		{"--gpu-beside", offsetof(struct device_options, gpu_beside)},
	};
	struct device_options *o = &a->options;
	const char *value;
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if ((value = value_of(arg, flags[i].name)))
			return parse_bool(flags[i].name, value,
					  (bool *)((char *)o + flags[i].field));
	}
	if ((value = value_of(arg, "--id")))
		return parse_id(value, o->id);
	if ((value = value_of(arg, "--arch")))
		return parse_arch(value, &o->arch);
	if ((value = value_of(arg, "--bodies")))
		return parse_bodies(value, o);
	if ((value = value_of(arg, "--rdc-id"))) {
		a->rdc_ids[o->n_rdc_ids++] = value;
		return NULL;
	}
	if ((value = value_of(arg, "--lazy"))) {
		a->lazy[o->n_lazy++] = value;
		return NULL;
	}
	if ((value = value_of(arg, "--step-into"))) {
		a->step_into[o->n_step_into++] = value;
		return NULL;
	}
	if ((value = value_of(arg, "--run-pass")))
		a->run_pass = value;
	else if ((value = value_of(arg, "--source")))
		o->source = value;
	else if ((value = value_of(arg, "--libdevice")))
		o->libdevice = value;
	else if ((value = value_of(arg, "--builtins")))
		o->builtins = value;
	else if ((value = value_of(arg, "--attach")))
		o->attach = value;
	else if ((value = value_of(arg, "--library")))
		o->library = value;
	else if ((value = value_of(arg, "--save-temps")))
		o->save_temps = value;
	else if ((value = value_of(arg, "--gpu")))
		o->gpu = value;
	else if ((value = value_of(arg, "--gpu-blob")))
		o->gpu_blob = value;
	else if (!strcmp(arg, "--gpu-debug"))
		o->gpu_debug = true;
	else if (!strcmp(arg, "--gpu-alone"))
		o->gpu_alone = true;
	else if (!strcmp(arg, "--nvvm"))
		o->nvvm = true;
	else if (!strcmp(arg, "--check"))
		o->check = true;
	else if (!strcmp(arg, "--rdc"))
		o->rdc = true;
	else if (!strcmp(arg, "--relocatable"))
		o->relocatable = true;
	else if (!strcmp(arg, "--verify-each"))
		o->verify_each = true;
	else if (!strcmp(arg, "--engines"))
		o->engines = true;
	else if (!strcmp(arg, "--verbose"))
		o->verbose = true;
	else if (!strncmp(arg, "-O", 2) && strlen(arg) == 3 && arg[2] >= '0' && arg[2] <= '3')
		o->optimize = arg[2] - '0';
	else if (!value_of(arg, "--maxrregcount"))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "unknown option '%s'", arg);
	return NULL;
}

static struct cudasim_error *parse(int argc, char **argv, struct arguments *a)
{
	struct device_options *o = &a->options;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-o")) {
			if (++i == argc)
				return cudasim_error_new(CUDASIM_E_ARGUMENT, "-o needs a file");
			o->output = argv[i];
		} else if (argv[i][0] == '-') {
			struct cudasim_error *error = parse_option(argv[i], a);
			if (error)
				return error;
		} else {
			a->inputs[o->n_inputs++] = argv[i];
		}
	}
	if (!o->output && !a->run_pass)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "-o OUT.o is missing");
	if (!o->n_inputs)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "no input file");
	if (!o->source)
		o->source = a->inputs[0];
	return NULL;
}

/* builtins.bc stands beside the program in the build tree, and in
 * PREFIX/lib/cudasim when the program is PREFIX/libexec/cudasim/cudasim-devcc. */
static char *default_builtins(void)
{
	static const char *const places[] = {"builtins.bc", "../../lib/cudasim/builtins.bc"};
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (length < 0)
		return NULL;
	path[length] = 0;
	*(strrchr(path, '/') + 1) = 0;
	char *full = NULL;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		free(full);
		if (asprintf(&full, "%s%s", path, places[i]) < 0)
			return NULL;
		if (!access(full, R_OK))
			break;
	}
	return full;
}

static int show(struct cudasim_error *error)
{
	if (!error)
		return 0;
	fprintf(stderr, "%s\n", error->message);
	cudasim_error_free(error);
	return 1;
}

int devcc_run(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "--print-pipeline")) {
		pipeline_print(stdout);
		return 0;
	}
	must_policy("cudasim-devcc", 1);
	struct arguments a = {
		.options = {.optimize = 3,
			    .prec_div = true,
			    .prec_sqrt = true,
			    .fmad = true,
			    .library = "libcudasim.so",
			    .body_plain = true,
			    .body_v4 = true,
			    .body_watched = true},
		.inputs = calloc((size_t)argc, sizeof(char *)),
		.rdc_ids = calloc((size_t)argc, sizeof(char *)),
		.step_into = calloc((size_t)argc, sizeof(char *)),
		.lazy = calloc((size_t)argc, sizeof(char *)),
		.builtins = default_builtins(),
	};
	struct cudasim_error *error = &cudasim_error_nomem;
	if (a.inputs && a.rdc_ids && a.lazy && a.step_into) {
		a.options.inputs = a.inputs;
		a.options.rdc_ids = a.rdc_ids;
		a.options.lazy = a.lazy;
		a.options.step_into = a.step_into;
		a.options.builtins = a.builtins;
		error = parse(argc, argv, &a);
	}
	if (error)
		fputs("cudasim-devcc: error: ", stderr);
	else
		error = a.run_pass ? run_pass(&a.options, a.run_pass) : compile_run(&a.options);
	int status = show(error);
	free(a.inputs);
	free(a.rdc_ids);
	free(a.lazy);
	free(a.step_into);
	free(a.builtins);
	return status;
}
