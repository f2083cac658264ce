/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_translate_test.c - runs translated PTX and compares with a GPU.
 *
 *     ptx_translate_test CASES...
 *
 * A line of a file of cases holds a hash of what an H200 answered to 1,024 inputs
 * (see ptx_inputs.h), a signature and a statement: tests/ptx/answers.py makes such
 * lines. Each becomes a function with the asm statement in it, as clang would write it;
 * pass_asm and the passes behind it make x86 code of that, which runs here. Cells of
 * memory lie below 2^31, so that an address in shared memory, which has 32 bits, is
 * the host's own. Where a case differs, the program of tests/ptx/record.py shows more:
 * built here and by nvcc it writes all words to a file. */
#define _GNU_SOURCE
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/Target.h>

#include "arithmetic.h"
#include "contract_half.h"
#include "lower.h"
#include "llvm_functions.h"
#include "ptx_inputs.h"

#define MAX_CASES 10000
#define MAX_RESULTS 8
#define MAX_SOURCES 16
#define CELL_WORDS 8

struct ptx_case {
	uint64_t hash;
	char results[MAX_RESULTS + 1], sources[MAX_SOURCES + 1]; /* letters */
	unsigned n_words; /* how many of its cell it may write */
	const char *text;
};

static struct ptx_case cases[MAX_CASES];
static size_t n_cases;
static struct ptx_inputs inputs;
static uint64_t *cell, *fixed; /* what a case may write; what none does */

/* The constants of record.py. */
static const uint64_t constants[CELL_WORDS] = {
	0x8182838485868788, 0x3ff0000040490fdb, 3,
	0x7c00bc003c000001, 0xfedcba9876543210, 0xffffffff80000000,
	0x0123456789abcdef, 0x7f800000ff7fffff,
};

static bool is_address(char letter)
{
	return isupper((unsigned char)letter) != 0;
}

/* "rr_S2r" and so on: tests/ptx/cases.py. */
static void read_signature(struct ptx_case *c, const char *text)
{
	size_t n = strcspn(text, "_"), k = 0;

	assert_true(n <= MAX_RESULTS && text[n] == '_');
	memcpy(c->results, text, n);
	for (text += n + 1; *text; text++) {
		if (isdigit((unsigned char)*text)) {
			c->n_words += (unsigned)(*text - '0');
			continue;
		}
		assert_true(k < MAX_SOURCES);
		c->sources[k++] = *text;
		/* A cell without a number is written as a whole. */
		if (is_address(*text) && *text != 'C' && !isdigit((unsigned char)text[1]))
			c->n_words += CELL_WORDS;
	}
	assert_true(c->n_words <= CELL_WORDS);
}

/* The lines stay in memory: cases point into them. */
static void read_cases(const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL, *text;
	size_t size = 0;

	assert_non_null(file);
	while (getline(&line, &size, file) > 0) {
		struct ptx_case *c = &cases[n_cases];
		char *signature = strchr(line, '\t');

		if (line[0] == '#')
			continue;
		assert_true(++n_cases < MAX_CASES);
		assert_non_null(signature);
		line[strcspn(line, "\n")] = '\0';
		text = strchr(++signature, '\t');
		assert_non_null(text);
		*text = '\0';
		c->hash = strtoull(line, NULL, 16);
		read_signature(c, signature);
		c->text = text + 1;
		line = NULL;
		size = 0;
	}
	free(line);
	fclose(file);
}

static LLVMTypeRef letter_type(LLVMContextRef context, char letter)
{
	switch (letter) {
	case 'h':
		return LLVMInt16TypeInContext(context);
	case 'r':
		return LLVMInt32TypeInContext(context);
	case 'f':
		return LLVMFloatTypeInContext(context);
	case 'd':
		return LLVMDoubleTypeInContext(context);
	case 'S':
		return LLVMInt32TypeInContext(context);
	default:
		return LLVMInt64TypeInContext(context);
	}
}

static unsigned letter_bits(char letter)
{
	return letter == 'h' ? 16 : strchr("rfS", letter) ? 32 : 64;
}

/* %0 of CUDA is $0 of LLVM; %r1 stays. */
static void to_template(const char *from, char *to)
{
	for (; *from; from++)
		*to++ = *from == '%' && from[1] >= '0' && from[1] <= '9' ? '$' : *from;
	*to = '\0';
}

/* The constraints of a statement as clang writes them. */
static void write_constraints(const struct ptx_case *c, char *to)
{
	size_t n_results = strlen(c->results);

	for (const char *letter = c->results; *letter; letter++)
		to += sprintf(to, "%s=%s%c", letter == c->results ? "" : ",",
			      n_results > 1 ? "&" : "", *letter);
	for (const char *letter = c->sources; *letter; letter++)
		to += sprintf(to, "%s%c", letter == c->sources && !n_results ? "" : ",",
			      *letter == 'S'        ? 'r'
			      : is_address(*letter) ? 'l'
						    : *letter);
	if (c->n_words)
		sprintf(to, ",~{memory}");
}

static LLVMTypeRef result_type(LLVMContextRef context, const struct ptx_case *c)
{
	LLVMTypeRef types[MAX_RESULTS];
	unsigned n = (unsigned)strlen(c->results);

	for (unsigned i = 0; i < n; i++)
		types[i] = letter_type(context, c->results[i]);
	if (!n)
		return LLVMVoidTypeInContext(context);
	return n == 1 ? types[0] : LLVMStructTypeInContext(context, types, n, false);
}

static LLVMValueRef element(LLVMBuilderRef b, LLVMValueRef words, LLVMTypeRef word, unsigned i)
{
	LLVMValueRef index = LLVMConstInt(word, i, false);

	return LLVMBuildGEP2(b, word, words, &index, 1, "");
}

/* void case_k(const uint64_t *sources, uint64_t *results), each in the low bits. */
static void build_case(LLVMModuleRef module, size_t k)
{
	const struct ptx_case *c = &cases[k];
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef word = LLVMInt64TypeInContext(context), type;
	LLVMTypeRef pointers[2] = {LLVMPointerTypeInContext(context, 0),
				   LLVMPointerTypeInContext(context, 0)};
	LLVMTypeRef params[MAX_SOURCES];
	LLVMValueRef args[MAX_SOURCES], function, statement, value;
	LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
	char name[32], text[1024], constraints[128] = "";
	unsigned n = (unsigned)strlen(c->sources), n_results = (unsigned)strlen(c->results);

	snprintf(name, sizeof(name), "case_%zu", k);
	type = LLVMFunctionType(LLVMVoidTypeInContext(context), pointers, 2, false);
	function = LLVMAddFunction(module, name, type);
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, function, ""));
	for (unsigned i = 0; i < n; i++) {
		unsigned bits = letter_bits(c->sources[i]);

		params[i] = letter_type(context, c->sources[i]);
		value = LLVMBuildLoad2(b, word, element(b, LLVMGetParam(function, 0), word, i), "");
		value = LLVMBuildTrunc(b, value, LLVMIntTypeInContext(context, bits), "");
		args[i] = LLVMBuildBitCast(b, value, params[i], "");
	}
	write_constraints(c, constraints);
	assert_true(strlen(c->text) < sizeof(text));
	to_template(c->text, text);
	type = LLVMFunctionType(result_type(context, c), params, n, false);
	statement = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints),
				     true, false, LLVMInlineAsmDialectATT, false);
	statement = LLVMBuildCall2(b, type, statement, args, n, "");
	for (unsigned i = 0; i < n_results; i++) {
		unsigned bits = letter_bits(c->results[i]);

		value = n_results == 1 ? statement : LLVMBuildExtractValue(b, statement, i, "");
		value = LLVMBuildBitCast(b, value, LLVMIntTypeInContext(context, bits), "");
		LLVMBuildStore(b, LLVMBuildZExt(b, value, word, ""),
			       element(b, LLVMGetParam(function, 1), word, i));
	}
	LLVMBuildRetVoid(b);
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

/* A block's window of shared memory, asked for by atomic additions at generic
 * addresses, is empty: all cells count as global memory then, as they are. */
static void define_window(struct device_module *dm)
{
	static const char *const names[] = {"__cudasim_window", "__cudasim_window_bytes"};
	LLVMBuilderRef b = LLVMCreateBuilderInContext(dm->context);

	for (size_t i = 0; i < 2; i++) {
		LLVMValueRef function = LLVMGetNamedFunction(dm->module, names[i]);

		if (!function)
			continue;
		LLVMPositionBuilderAtEnd(b,
					 LLVMAppendBasicBlockInContext(dm->context, function, ""));
		LLVMBuildRet(b, LLVMConstNull(LLVMGetReturnType(LLVMGlobalGetValueType(function))));
	}
	LLVMDisposeBuilder(b);
}

/* Orders and scopes: one thread cannot tell them apart. */
static void forget_order(LLVMValueRef i)
{
	bool fence = LLVMIsAFenceInst(i);

	if (LLVMIsAAtomicCmpXchgInst(i)) {
		LLVMSetCmpXchgSuccessOrdering(i, LLVMAtomicOrderingMonotonic);
		LLVMSetCmpXchgFailureOrdering(i, LLVMAtomicOrderingMonotonic);
	} else if (LLVMIsAAtomicRMWInst(i) || fence ||
		   ((LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) &&
		    LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)) {
		LLVMSetOrdering(i, fence ? LLVMAtomicOrderingSequentiallyConsistent
					 : LLVMAtomicOrderingMonotonic);
	} else {
		return;
	}
	instruction_set_sync_scope(i, "");
}

/* Most forms differ in order, scope or hints alone: where two are translated alike
 * one becomes a call of the other, which stays a call, and costs nothing to compile. */
static void merge_same(struct device_module *dm)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("noinline", 8);
	LLVMAttributeRef noinline = LLVMCreateEnumAttribute(dm->context, kind, 0);

	for (size_t k = 0; k < n_cases; k++) {
		char name[32];
		LLVMValueRef function;

		snprintf(name, sizeof(name), "case_%zu", k);
		function = LLVMGetNamedFunction(dm->module, name);
		LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
					noinline);
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i))
				forget_order(i);
	}
	run_pass(device_run_passes(dm, "mergefunc"));
}

static LLVMExecutionEngineRef compile(struct device_module *dm)
{
	LLVMExecutionEngineRef engine;
	struct LLVMMCJITCompilerOptions options;
	char *message = NULL;

	run_pass(pass_asm(dm));
	run_pass(pass_contract_half(dm));
	merge_same(dm);
	run_pass(pass_intrinsics(dm));
	run_pass(pass_copies(dm));
	run_pass(pass_contract(dm));
	run_pass(pass_arithmetic(dm));
	run_pass(pass_atomics(dm));
	define_window(dm);
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

static uint64_t cell_word(size_t k, size_t i)
{
	return inputs.l[k & 3][(i + 37 * k) % PTX_N_INPUTS];
}

/* Source k of a case, for thread i. */
static uint64_t input(const struct ptx_case *c, size_t k, size_t i)
{
	char letter = c->sources[k];
	size_t slot = k % PTX_N_SLOTS;

	if (letter == 'C')
		return (uint64_t)(uintptr_t)constants;
	if (is_address(letter))
		return (uint64_t)(uintptr_t)(c->n_words ? cell : fixed);
	if (k >= PTX_N_SLOTS)
		i = (i + 61) % PTX_N_INPUTS;
	return letter == 'h'               ? inputs.h[slot][i]
	       : letter_bits(letter) == 32 ? inputs.r[slot][i]
					   : inputs.l[slot][i];
}

static bool agrees(LLVMExecutionEngineRef engine, size_t k)
{
	typedef void (*function)(const uint64_t *, uint64_t *);
	const struct ptx_case *c = &cases[k];
	uint64_t hash = PTX_HASH_START;
	char name[32];
	function f;

	snprintf(name, sizeof(name), "case_%zu", k);
	f = (function)LLVMGetFunctionAddress(engine, name);
	assert_true(f != NULL);
	for (size_t i = 0; i < PTX_N_INPUTS; i++) {
		uint64_t in[MAX_SOURCES], out[MAX_RESULTS];

		for (size_t s = 0; c->sources[s]; s++)
			in[s] = input(c, s, i);
		for (size_t w = 0; w < CELL_WORDS; w++)
			cell[w] = fixed[w] = cell_word(w, i);
		f(in, out);
		for (size_t r = 0; c->results[r]; r++)
			hash = ptx_hash(hash, ptx_canonical(c->results[r], out[r]));
		for (size_t w = 0; w < c->n_words; w++)
			hash = ptx_hash(hash, cell[w]);
	}
	if (hash != c->hash)
		print_message("differs: %s\n", c->text);
	return hash == c->hash;
}

static void every_case_agrees_with_the_gpu(void **state)
{
	struct device_options options = {
		.builtins = BUILTINS, .prec_div = true, .prec_sqrt = true, .fmad = true};
	struct device_program program = {.options = &options};
	struct device_module dm = {.program = &program};
	LLVMExecutionEngineRef engine;
	size_t n_wrong = 0;

	(void)state;
	ptx_inputs_fill(&inputs);
	cell = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1,
		    0);
	assert_true(cell != MAP_FAILED);
	fixed = cell + 2 * CELL_WORDS;
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
	munmap(cell, 4096);
	print_message("# %zu cases\n", n_cases);
	assert_true(n_cases > 0);
	assert_int_equal(n_wrong, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_case_agrees_with_the_gpu),
	};

	for (int i = 1; i < argc; i++)
		read_cases(argv[i]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
