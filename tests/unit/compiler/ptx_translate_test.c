/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_translate_test.c - runs translated PTX and compares with a GPU.
 *
 * tests/ptx/registers.txt holds, for some 3,100 instruction forms, a hash of what an H200
 * answered to 1,024 inputs (see ptx_inputs.h, record.py). Each form becomes
 * a function with the asm statement in it, as clang would write it; pass_asm and
 * the passes behind it make x86 code of that, which runs here. PTX_FULL=FILE, the
 * file that the recording program wrote, shows the first differing inputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/Target.h>

#include "arithmetic.h"
#include "device.h"
#include "ptx_inputs.h"

#define MAX_CASES 8000

struct ptx_case {
	uint64_t hash;
	char result, sources[PTX_N_SLOTS + 1];
	const char *text;
};

static struct ptx_case cases[MAX_CASES];
static size_t n_cases;
static char *cases_text;
static struct ptx_inputs inputs;

static void read_cases(void)
{
	FILE *file = fopen(PTX_CASES, "r");
	char *line, *rest;
	size_t size;

	assert_non_null(file);
	cases_text = calloc(1, 1 << 21);
	size = fread(cases_text, 1, (1 << 21) - 1, file);
	fclose(file);
	assert_true(size > 0);
	for (line = strtok_r(cases_text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct ptx_case *c = &cases[n_cases];
		char *signature = strchr(line, '\t'), *text;

		if (line[0] == '#')
			continue;
		assert_true(++n_cases < MAX_CASES);
		assert_non_null(signature);
		c->hash = strtoull(line, NULL, 16);
		text = strchr(++signature, '\t');
		assert_non_null(text);
		c->result = signature[0];
		snprintf(c->sources, sizeof(c->sources), "%.*s", (int)(text - signature - 2),
			 signature + 2);
		c->text = text + 1;
	}
}

static LLVMTypeRef letter_type(LLVMContextRef context, char letter)
{
	switch (letter) {
	case 'h': return LLVMInt16TypeInContext(context);
	case 'r': return LLVMInt32TypeInContext(context);
	case 'f': return LLVMFloatTypeInContext(context);
	case 'd': return LLVMDoubleTypeInContext(context);
	default: return LLVMInt64TypeInContext(context);
	}
}

static unsigned letter_bits(char letter)
{
	return letter == 'h' ? 16 : letter == 'r' || letter == 'f' ? 32 : 64;
}

/* %0 of CUDA is $0 of LLVM; %r1 stays. */
static void to_template(const char *from, char *to)
{
	for (; *from; from++)
		*to++ = *from == '%' && from[1] >= '0' && from[1] <= '9' ? '$' : *from;
	*to = '\0';
}

/* uint64_t case_k(uint64_t a, ... x4), the sources in the low bits. */
static void build_case(LLVMModuleRef module, size_t k)
{
	const struct ptx_case *c = &cases[k];
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef word = LLVMInt64TypeInContext(context), words[PTX_N_SLOTS] = { word, word, word, word };
	LLVMTypeRef params[PTX_N_SLOTS], type;
	LLVMValueRef args[PTX_N_SLOTS], function, statement, value;
	LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
	char name[32], text[512], constraints[32] = "=";
	size_t n = strlen(c->sources);

	snprintf(name, sizeof(name), "case_%zu", k);
	function = LLVMAddFunction(module, name, LLVMFunctionType(word, words, PTX_N_SLOTS, false));
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, function, ""));
	constraints[1] = c->result;
	for (size_t i = 0; i < n; i++) {
		char letter = c->sources[i];

		params[i] = letter_type(context, letter);
		args[i] = LLVMBuildTrunc(b, LLVMGetParam(function, (unsigned)i),
					 LLVMIntTypeInContext(context, letter_bits(letter)), "");
		args[i] = LLVMBuildBitCast(b, args[i], params[i], "");
		strcat(constraints, ",");
		strncat(constraints, &letter, 1);
	}
	to_template(c->text, text);
	type = LLVMFunctionType(letter_type(context, c->result), params, (unsigned)n, false);
	statement = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints),
				     true, false, LLVMInlineAsmDialectATT, false);
	value = LLVMBuildCall2(b, type, statement, args, (unsigned)n, "");
	value = LLVMBuildBitCast(b, value, LLVMIntTypeInContext(context, letter_bits(c->result)), "");
	LLVMBuildRet(b, LLVMBuildZExt(b, value, word, ""));
	LLVMDisposeBuilder(b);
}

static void run_pass(struct cudasim_error *error)
{
	if (error)
		fail_msg("%s", error->message);
}

/* Our processors are x86-64-v3; MCJIT's C interface cannot say so. */
static void set_cpu(LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			LLVMAddTargetDependentFunctionAttr(f, "target-cpu", "x86-64-v3");
}

static LLVMExecutionEngineRef compile(struct device_module *dm)
{
	LLVMExecutionEngineRef engine;
	struct LLVMMCJITCompilerOptions options;
	char *message = NULL;

	run_pass(pass_asm(dm));
	run_pass(pass_intrinsics(dm));
	run_pass(pass_arithmetic(dm));
	if (LLVMVerifyModule(dm->module, LLVMReturnStatusAction, &message))
		fail_msg("%s", message);
	LLVMDisposeMessage(message);
	assert_int_equal(dm->program->n_diagnoses, 0);
	set_cpu(dm->module);
	run_pass(device_run_passes(dm, "default<O2>"));
	run_pass(canonical_nans(dm));
	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86Target();
	LLVMInitializeX86TargetMC();
	LLVMInitializeX86AsmPrinter();
	LLVMLinkInMCJIT();
	LLVMInitializeMCJITCompilerOptions(&options, sizeof(options));
	options.OptLevel = 1;
	if (LLVMCreateMCJITCompilerForModule(&engine, dm->module, &options, sizeof(options),
					     &message))
		fail_msg("%s", message);
	return engine;
}

static uint64_t input(char letter, size_t slot, size_t i)
{
	return letter == 'h' ? inputs.h[slot][i]
			     : letter_bits(letter) == 32 ? inputs.r[slot][i] : inputs.l[slot][i];
}

/* Shows where a case differs from the full recording. */
static void show_difference(size_t k, const uint64_t *results)
{
	const char *path = getenv("PTX_FULL");
	FILE *file = path ? fopen(path, "rb") : NULL;
	uint64_t expected[PTX_N_INPUTS];
	const struct ptx_case *c = &cases[k];
	int shown = 0;

	print_message("differs: %s\n", c->text);
	if (!file)
		return;
	if (!fseek(file, (long)(k * sizeof(expected)), SEEK_SET) &&
	    fread(expected, sizeof(expected), 1, file) == 1) {
		for (size_t i = 0; i < PTX_N_INPUTS && shown < 4; i++) {
			if (ptx_canonical(c->result, expected[i]) == results[i])
				continue;
			shown++;
			for (size_t s = 0; c->sources[s]; s++)
				print_message("  %llx", (unsigned long long)input(c->sources[s], s, i));
			print_message(" -> %llx, H200 %llx\n", (unsigned long long)results[i],
				      (unsigned long long)expected[i]);
		}
	}
	fclose(file);
}

static bool agrees(LLVMExecutionEngineRef engine, size_t k)
{
	typedef uint64_t (*function)(uint64_t, uint64_t, uint64_t, uint64_t);
	static uint64_t results[PTX_N_INPUTS];
	const struct ptx_case *c = &cases[k];
	uint64_t hash = PTX_HASH_START;
	char name[32];
	function f;

	snprintf(name, sizeof(name), "case_%zu", k);
	f = (function)LLVMGetFunctionAddress(engine, name);
	assert_true(f != NULL);
	for (size_t i = 0; i < PTX_N_INPUTS; i++) {
		uint64_t in[PTX_N_SLOTS] = { 0 };

		for (size_t s = 0; c->sources[s]; s++)
			in[s] = input(c->sources[s], s, i);
		results[i] = ptx_canonical(c->result, f(in[0], in[1], in[2], in[3]));
		hash = ptx_hash(hash, results[i]);
	}
	if (hash == c->hash)
		return true;
	show_difference(k, results);
	return false;
}

static void every_case_agrees_with_the_gpu(void **state)
{
	struct device_options options = { .builtins = BUILTINS, .prec_div = true,
					  .prec_sqrt = true, .fmad = true };
	struct device_program program = { .options = &options };
	struct device_module dm = { .program = &program };
	LLVMExecutionEngineRef engine;
	size_t n_wrong = 0;

	(void)state;
	read_cases();
	ptx_inputs_fill(&inputs);
	dm.context = program.context = LLVMContextCreate();
	dm.module = LLVMModuleCreateWithNameInContext("cases", dm.context);
	LLVMSetTarget(dm.module, "x86_64-unknown-linux-gnu");
	for (size_t k = 0; k < n_cases; k++)
		build_case(dm.module, k);
	engine = compile(&dm);
	for (size_t k = 0; k < n_cases; k++)
		n_wrong += !agrees(engine, k);
	LLVMDisposeExecutionEngine(engine);
	LLVMContextDispose(dm.context);
	free(cases_text);
	print_message("# %zu cases\n", n_cases);
	assert_int_equal(n_wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_case_agrees_with_the_gpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
