/* SPDX-License-Identifier: Apache-2.0 */
/* libcudasim-nvvm's functions, opened as Numba opens libnvvm.so.4. Codes and messages are those of
 * CUDA 13.0's libnvvm.so.4; where cudasim reads more than that does, the case says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dlfcn.h>

enum {
	SUCCESS,
	OUT_OF_MEMORY,
	PROGRAM_CREATION_FAILURE,
	VERSION_MISMATCH,
	INVALID_INPUT,
	INVALID_PROGRAM,
	INVALID_IR,
	INVALID_OPTION,
	NO_MODULE,
	COMPILATION,
};

static struct {
	int (*version)(int *, int *);
	int (*ir_version)(int *, int *, int *, int *);
	const char *(*error_string)(int);
	int (*create)(void **), (*destroy)(void **);
	int (*add)(void *, const char *, size_t, const char *);
	int (*add_lazy)(void *, const char *, size_t, const char *);
	int (*compile)(void *, int, const char **), (*verify)(void *, int, const char **);
	int (*result_size)(void *, size_t *), (*result)(void *, char *);
	int (*log_size)(void *, size_t *), (*log)(void *, char *);
} nvvm;

static void *symbol(void *library, const char *name)
{
	void *found = dlsym(library, name);
	if (!found)
		fail_msg("%s is missing", name);
	return found;
}

static int open_library(void **state)
{
	(void)state;
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		fail_msg("%s", dlerror());
#define SYMBOL(field, name) *(void **)&nvvm.field = symbol(library, name)
	SYMBOL(version, "nvvmVersion");
	SYMBOL(ir_version, "nvvmIRVersion");
	SYMBOL(error_string, "nvvmGetErrorString");
	SYMBOL(create, "nvvmCreateProgram");
	SYMBOL(destroy, "nvvmDestroyProgram");
	SYMBOL(add, "nvvmAddModuleToProgram");
	SYMBOL(add_lazy, "nvvmLazyAddModuleToProgram");
	SYMBOL(compile, "nvvmCompileProgram");
	SYMBOL(verify, "nvvmVerifyProgram");
	SYMBOL(result_size, "nvvmGetCompiledResultSize");
	SYMBOL(result, "nvvmGetCompiledResult");
	SYMBOL(log_size, "nvvmGetProgramLogSize");
	SYMBOL(log, "nvvmGetProgramLog");
	return 0;
}

/* ---- modules ---------------------------------------------------------------------------------- */

#define LAYOUT                                                                                     \
	"target datalayout = \"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-"          \
	"i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-"             \
	"n16:32:64\"\n"
#define TRIPLE "target triple = \"nvptx64-nvidia-cuda\"\n"
#define VERSION_OF(numbers) "!nvvmir.version = !{!0}\n!0 = !{" numbers "}\n"
#define VERSION VERSION_OF("i32 2, i32 0")
#define KERNEL                                                                                     \
	"define void @k(i32* %p) {\n store i32 1, i32* %p\n ret void\n}\n"                         \
	"!nvvm.annotations = !{!1}\n!1 = !{void (i32*)* @k, !\"kernel\", i32 1}\n"
#define MODULE LAYOUT TRIPLE KERNEL VERSION

static void *program_of(const char *text)
{
	void *p = NULL;
	assert_int_equal(nvvm.create(&p), SUCCESS);
	assert_int_equal(nvvm.add(p, text, strlen(text), NULL), SUCCESS);
	return p;
}

/* The caller frees it. */
static char *log_of(void *p)
{
	size_t n = 0;
	assert_int_equal(nvvm.log_size(p, &n), SUCCESS);
	char *text = malloc(n);
	assert_non_null(text);
	assert_int_equal(nvvm.log(p, text), SUCCESS);
	assert_int_equal(strlen(text) + 1, n);
	return text;
}

/* What verifying and compiling a module answers, and the log of each, NULL for any. */
static void answers(const char *text, int verified, const char *log_verified, int compiled,
		    const char *log_compiled)
{
	void *p = program_of(text);
	char *log;
	assert_int_equal(nvvm.verify(p, 0, NULL), verified);
	log = log_of(p);
	if (log_verified)
		assert_string_equal(log, log_verified);
	free(log);
	assert_int_equal(nvvm.compile(p, 0, NULL), compiled);
	log = log_of(p);
	if (log_compiled)
		assert_string_equal(log, log_compiled);
	free(log);
	assert_int_equal(nvvm.destroy(&p), SUCCESS);
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void versions_are_those_of_cuda_13(void **state)
{
	(void)state;
	int n[4] = {-1, -1, -1, -1};
	assert_int_equal(nvvm.version(&n[0], &n[1]), SUCCESS);
	assert_int_equal(n[0], 2);
	assert_int_equal(n[1], 0);
	assert_int_equal(nvvm.ir_version(&n[0], &n[1], &n[2], &n[3]), SUCCESS);
	assert_int_equal(n[0], 2);
	assert_int_equal(n[1], 0);
	assert_int_equal(n[2], 3);
	assert_int_equal(n[3], 2);
}

static void results_have_names(void **state)
{
	(void)state;
	static const char *const names[] = {
		"NVVM_SUCCESS",
		"NVVM_ERROR_OUT_OF_MEMORY",
		"NVVM_ERROR_PROGRAM_CREATION_FAILURE",
		"NVVM_ERROR_IR_VERSION_MISMATCH",
		"NVVM_ERROR_INVALID_INPUT",
		"NVVM_ERROR_INVALID_PROGRAM",
		"NVVM_ERROR_INVALID_IR",
		"NVVM_ERROR_INVALID_OPTION",
		"NVVM_ERROR_NO_MODULE_IN_PROGRAM",
		"NVVM_ERROR_COMPILATION",
		"NVVM_ERROR not found",
	};
	for (int i = 0; i < 11; i++)
		assert_string_equal(nvvm.error_string(i), names[i]);
	assert_string_equal(nvvm.error_string(-1), "NVVM_ERROR not found");
}

static void handles_are_checked(void **state)
{
	(void)state;
	void *p = NULL;
	size_t n = 9;
	assert_int_equal(nvvm.create(NULL), INVALID_PROGRAM);
	assert_int_equal(nvvm.destroy(NULL), INVALID_PROGRAM);
	assert_int_equal(nvvm.destroy(&p), INVALID_PROGRAM);
	assert_int_equal(nvvm.add(NULL, "x", 1, NULL), INVALID_PROGRAM);
	assert_int_equal(nvvm.log_size(NULL, &n), INVALID_PROGRAM);
	assert_int_equal(nvvm.create(&p), SUCCESS);
	assert_int_equal(nvvm.add(p, NULL, 0, NULL), INVALID_INPUT);
	assert_int_equal(nvvm.add_lazy(p, NULL, 0, NULL), INVALID_INPUT);
	assert_int_equal(nvvm.compile(p, 0, NULL), NO_MODULE);
	assert_int_equal(nvvm.verify(p, 0, NULL), NO_MODULE);
	const char *option = "-foo";
	assert_int_equal(nvvm.compile(p, 1, &option), NO_MODULE);
	assert_int_equal(nvvm.result_size(p, &n), SUCCESS);
	assert_int_equal(n, 1);
	assert_int_equal(nvvm.log_size(p, &n), SUCCESS);
	assert_int_equal(n, 1);
	assert_int_equal(nvvm.add_lazy(p, MODULE, strlen(MODULE), NULL), SUCCESS);
	assert_int_equal(nvvm.compile(p, 0, NULL), NO_MODULE);
	assert_int_equal(nvvm.destroy(&p), SUCCESS);
	assert_null(p);
}

static void options_are_checked(void **state)
{
	(void)state;
	static const struct {
		const char *options[3];
		const char *log; /* NULL: taken */
	} cases[] = {
		{{"-foo"}, "libnvvm : error: -foo is an unsupported option"},
		{{"-opt=1"}, NULL},
		{{"-opt=5"}, "libnvvm : error: -opt=5 is an unsupported option"},
		{{"-opt="}, "libnvvm : error: -opt= is an unsupported option"},
		{{"-arch=compute_90a"}, NULL},
		{{"-arch=compute_121f"}, NULL},
		{{"-arch=compute_89a"}, "libnvvm : error: -arch=compute_89a is an unsupported option"},
		{{"-arch=sm_90"}, "libnvvm : error: -arch=sm_90 is an unsupported option"},
		{{"-arch"}, "libnvvm : error: -arch is an unsupported option"},
		{{"-g", "-opt=0"}, NULL},
		{{"-g=1"}, "libnvvm : error: -g=1 is an unsupported option"},
		{{"-generate-line-info"}, NULL},
		{{"-ftz=1", "-fma=0"}, NULL},
		{{"-ftz=2"}, "libnvvm : error: -ftz=2 is an unsupported option"},
		{{"-prec-div=0", "-prec-sqrt=0"}, NULL},
		{{"-prec-sqrt=true"}, "libnvvm : error: -prec-sqrt=true is an unsupported option"},
		{{"-jump-table-density=50"}, NULL},
		{{"-maxreg=32"}, NULL},
		{{"-numba-debug"}, "libnvvm : error: -numba-debug is an unsupported option"},
		{{"-lineinfo"}, "libnvvm : error: -lineinfo is an unsupported option"},
		{{"-opt=3", "-opt=3"}, "libnvvm : error: -opt defined more than once"},
		{{"-g", "-g"}, "libnvvm : error: -g defined more than once"},
		{{"-gen-lto", "-foo"}, "libnvvm : error: -foo is an unsupported option"},
		{{""}, "libnvvm : error:  is an unsupported option"},
		{{"-nvvm-version=foo"},
		 "libnvvm : error: foo is an unsupported value for option: -nvvm-version"},
	};
	void *p = program_of(MODULE);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *options[] = {cases[i].options[0], cases[i].options[1]};
		int n = options[1] ? 2 : 1;
		assert_int_equal(nvvm.verify(p, n, options), cases[i].log ? INVALID_OPTION : SUCCESS);
		char *log = log_of(p);
		assert_string_equal(log, cases[i].log ? cases[i].log : "");
		free(log);
	}
	assert_int_equal(nvvm.destroy(&p), SUCCESS);
}

static void a_module_becomes_ptx(void **state)
{
	(void)state;
	void *p = program_of(MODULE);
	const char *options[] = {"-opt=3", "-arch=compute_90a"}, *wrong = "-foo";
	size_t n = 0, again = 0;
	assert_int_equal(nvvm.compile(p, 2, options), SUCCESS);
	assert_int_equal(nvvm.result_size(p, &n), SUCCESS);
	char *ptx = malloc(n);
	assert_non_null(ptx);
	assert_int_equal(nvvm.result(p, ptx), SUCCESS);
	assert_int_equal(strlen(ptx) + 1, n);
	assert_non_null(strstr(ptx, ".visible .entry k("));
	assert_non_null(strstr(ptx, ".target sm_90"));
	free(ptx);
	/* A failure leaves it. */
	assert_int_equal(nvvm.verify(p, 1, &wrong), INVALID_OPTION);
	assert_int_equal(nvvm.result_size(p, &again), SUCCESS);
	assert_int_equal(again, n);
	assert_int_equal(nvvm.destroy(&p), SUCCESS);
}

static void lto_has_no_end_of_a_text(void **state)
{
	(void)state;
	void *p = program_of(MODULE);
	const char *option = "-gen-lto";
	size_t n = 0;
	assert_int_equal(nvvm.compile(p, 1, &option), SUCCESS);
	assert_int_equal(nvvm.result_size(p, &n), SUCCESS);
	char *code = malloc(n + 1);
	assert_non_null(code);
	code[n] = 'x';
	assert_int_equal(nvvm.result(p, code), SUCCESS);
	assert_int_equal(code[n], 'x');
	/* driver/steps/seal.h: bitcode, whose size the header has, and nothing behind it. */
	assert_memory_equal(code, "cudasim\1", 8);
	uint64_t size;
	memcpy(&size, code + 8, sizeof size);
	assert_int_equal(n, size + 32);
	free(code);
	assert_int_equal(nvvm.destroy(&p), SUCCESS);
}

static void heads_are_checked(void **state)
{
	(void)state;
	static const char mismatch[] =
		"<unnamed>: error: incompatible IR detected. Possible mix of compiler/IR from "
		"different releases.";
	char text[256];
	answers(LAYOUT KERNEL VERSION, INVALID_IR,
		"<unnamed>: error: Module does not contain a triple, should be 'nvptx64-'",
		COMPILATION, "<unnamed>: error: Module does not contain a triple, should be 'nvptx64-'");
	answers(TRIPLE KERNEL VERSION, INVALID_IR,
		"error: Error: Empty target data layout, must exist\n\n", COMPILATION,
		"DataLayoutError: Data Layout string is empty");
	answers(LAYOUT "target triple = \"x86_64-unknown-linux-gnu\"\n" KERNEL VERSION, INVALID_IR,
		NULL, SUCCESS, "");
	answers(LAYOUT "target triple = \"nvptx64-unknown-cuda\"\n" KERNEL VERSION, SUCCESS, "",
		SUCCESS, "");
	snprintf(text, sizeof text, "IR version 1.0 incompatible with current version 2.0\n%s",
		 mismatch);
	answers(LAYOUT TRIPLE KERNEL, VERSION_MISMATCH, text, VERSION_MISMATCH, text);
	answers("", VERSION_MISMATCH, text, VERSION_MISMATCH, text);
	answers(LAYOUT TRIPLE KERNEL VERSION_OF("i32 2"), VERSION_MISMATCH, mismatch,
		VERSION_MISMATCH, mismatch);
	snprintf(text, sizeof text, "DBG version 4.0 incompatible with current version 3.2\n%s",
		 mismatch);
	answers(LAYOUT TRIPLE KERNEL VERSION_OF("i32 2, i32 0, i32 4, i32 0"), VERSION_MISMATCH,
		text, VERSION_MISMATCH, text);
	/* CUDA 13.0 refuses all but 2.0. */
	answers(LAYOUT TRIPLE KERNEL VERSION_OF("i32 1, i32 11"), SUCCESS, "", SUCCESS, "");
	answers(LAYOUT TRIPLE KERNEL VERSION_OF("i32 3, i32 1"), SUCCESS, "", SUCCESS, "");
}

static void errors_have_places(void **state)
{
	(void)state;
	static const char undefined[] =
		LAYOUT TRIPLE "define void @k(i32 %p) {\n %x = add i32 %p, %q\n ret void\n}\n" VERSION;
	answers(undefined, INVALID_IR, "<unnamed> (4, 18): parse use of undefined value '%q'",
		COMPILATION, "<unnamed> (4, 18): parse use of undefined value '%q'");
	answers("hello", INVALID_IR, "<unnamed> (1, 0): parse expected top-level entity",
		COMPILATION, "<unnamed> (1, 0): parse expected top-level entity");
	answers("BC\xc0\xdegarbage", INVALID_IR, NULL, COMPILATION, NULL);
	void *p = NULL;
	assert_int_equal(nvvm.create(&p), SUCCESS);
	assert_int_equal(nvvm.add(p, MODULE, strlen(MODULE), "a.ll"), SUCCESS);
	assert_int_equal(nvvm.add(p, MODULE, strlen(MODULE), "b.ll"), SUCCESS);
	assert_int_equal(nvvm.compile(p, 0, NULL), COMPILATION);
	char *log = log_of(p);
	assert_string_equal(log, "b.ll: link error: error: Linking globals named 'k': symbol "
				 "multiply defined!\n\n");
	free(log);
	assert_int_equal(nvvm.destroy(&p), SUCCESS);
}

static void rules_are_checked_when_verified(void **state)
{
	(void)state;
	answers(LAYOUT TRIPLE "define void @k(i32* %p) {\n indirectbr i8* null, [label %a]\na:\n "
			      "ret void\n}\n" VERSION,
		INVALID_IR, NULL, SUCCESS, "");
	answers(LAYOUT TRIPLE "@x = internal addrspace(3) global i32 1\n" KERNEL VERSION, INVALID_IR,
		NULL, SUCCESS, "");
	answers(LAYOUT TRIPLE "define i32 @k() {\n ret i32 1\n}\n!nvvm.annotations = !{!1}\n!1 = "
			      "!{i32 ()* @k, !\"kernel\", i32 1}\n" VERSION,
		INVALID_IR, "error: Error: : Function `k': non-void entry function.\n\n", SUCCESS,
		NULL);
}

static void warnings_are_in_the_log(void **state)
{
	(void)state;
	answers(LAYOUT TRIPLE "define void @k() noinline {\n ret void\n}\n!nvvm.annotations = !{!1}\n"
			      "!1 = !{void ()* @k, !\"kernel\", i32 1}\n" VERSION,
		SUCCESS, "", SUCCESS,
		"(): Warning: Function k is a kernel, so overriding noinline attribute. The "
		"function may be inlined when called.");
}

static void lazy_text_is_refused(void **state)
{
	(void)state;
	void *p = program_of(MODULE);
	assert_int_equal(nvvm.add_lazy(p, MODULE, strlen(MODULE), NULL), SUCCESS);
	assert_int_equal(nvvm.verify(p, 0, NULL), INVALID_IR);
	assert_int_equal(nvvm.compile(p, 0, NULL), COMPILATION);
	char *log = log_of(p);
	assert_string_equal(log, "");
	free(log);
	assert_int_equal(nvvm.destroy(&p), SUCCESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_are_those_of_cuda_13),
		cmocka_unit_test(results_have_names),
		cmocka_unit_test(handles_are_checked),
		cmocka_unit_test(options_are_checked),
		cmocka_unit_test(a_module_becomes_ptx),
		cmocka_unit_test(lto_has_no_end_of_a_text),
		cmocka_unit_test(heads_are_checked),
		cmocka_unit_test(errors_have_places),
		cmocka_unit_test(rules_are_checked_when_verified),
		cmocka_unit_test(warnings_are_in_the_log),
		cmocka_unit_test(lazy_text_is_refused),
	};
	return cmocka_run_group_tests(tests, open_library, NULL);
}
