/* SPDX-License-Identifier: Apache-2.0 */
/* rtc_names.cu - what a program for NVRTC finds before its first line: NVRTC names no compiler and no
 * host, and has no C or C++ library. Programs define these names themselves, bring headers of these
 * names, or ask by them which compiler reads them. The values are those of NVRTC 13.0.
 *
 * Flags: -std=c++17 -lnvrtc -lcuda */
#include <nvrtc.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "driver.cuh"

static const char *const absent[] = {
	"__clang__", "__clang_major__", "__clang_minor__", "__clang_patchlevel__", "__clang_version__",
	"__llvm__", "__CUDA__", "__NVCC__", "__NVPTX__", "__GNUC__", "__GNUC_MINOR__",
	"__GNUC_PATCHLEVEL__", "__GNUG__", "__GXX_ABI_VERSION", "__GXX_RTTI", "__GXX_WEAK__",
	"__VERSION__", "__ELF__", "__gnu_linux__", "__linux", "__linux__", "__unix", "__unix__", "linux",
	"unix", "__amd64", "__amd64__", "__x86_64", "__x86_64__", "__k8", "__k8__", "__MMX__", "__SSE__",
	"__SSE2__", "_GNU_SOURCE", "__GLIBC__", "__GLIBCXX__", "__INTEL_COMPILER", "_MSC_VER",
	"_WIN32", "_WIN64", "__APPLE__", "__aarch64__", "__SIZEOF_INT128__", "__SIZEOF_FLOAT128__",
	"__CUDACC_RDC__", "__CUDACC_EWP__", "__CUDACC_DEBUG__", "__CUDACC_EXTENDED_LAMBDA__",
	"__CUDACC_RELAXED_CONSTEXPR__", "__CUDACC_RTC_INT128__", "NDEBUG",
	"CHAR_BIT", "INT_MAX", "INT_MIN", "UINT_MAX", "LONG_MAX", "LLONG_MAX", "ULLONG_MAX", "SHRT_MAX",
	"INT8_MAX", "INT32_MAX", "INT64_MAX", "UINT64_MAX", "INT64_C", "UINT64_C", "SIZE_MAX", "FLT_MAX",
	"NAN", "INFINITY", "HUGE_VAL", "HUGE_VALF", "M_PI", "M_PI_2", "M_E", "M_SQRT2", "EOF", "BUFSIZ",
	"EXIT_SUCCESS", "EXIT_FAILURE", "RAND_MAX", "CLOCKS_PER_SEC", "stdin", "stdout", "stderr",
};

static const struct {
	const char *name;
	long long value;
} present[] = {
	{"__CUDACC__", 1}, {"__CUDACC_RTC__", 1}, {"__CUDA_ARCH__", 800}, {"__CUDA_ARCH_LIST__", 800},
	{"__CUDACC_VER_MAJOR__", 13}, {"__CUDACC_VER_MINOR__", 0}, {"__CUDA_API_VER_MAJOR__", 13},
	{"CUDART_VERSION", 13000}, {"__NVCC_DIAG_PRAGMA_SUPPORT__", 1}, {"__LP64__", 1},
	{"__STDC_HOSTED__", 1}, {"__cplusplus", 201703}, {"__CUDA_FTZ", 1}, {"__CUDA_PREC_DIV", 1},
	{"__CUDA_PREC_SQRT", 0}, {"__NV_BUILTIN_MOVE_FORWARD", 1}, {"__cpp_rvalue_references", 200610},
	{"NULL", 0}, {"WANTED", 7}, {"GIVEN", 1}, {"EMPTY + 3", 3}, {"TWICE(4)", 8},
};

/* Names of the C and C++ library as a program's own. */
static const char names[] = R"(
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef long int32_t_of_its_own, int_fast32_t;
typedef unsigned char uintptr_t;
__device__ float time = 1.5f;
__device__ int index = 2, remove = 3, div_t = 4, FILE = 5;
#define INFINITY 6
#define CHAR_BIT 9
#if __has_include(<version>) /* not with NVRTC */
#include <version>
#endif
namespace std {
template <class T, class U> struct is_same { enum { value = 0 }; };
template <class T> struct is_same<T, T> { enum { value = 1 }; };
template <int> struct numeric_limits { enum { digits = 12 }; };
struct string { int length; };
}
static_assert(std::is_same<int64_t, long long>::value, "");
static_assert(std::is_same<uintptr_t, unsigned char>::value, "");
struct moved {
	int value;
	__device__ moved(int value) : value(value) {}
	__device__ moved(moved &&other) : value(other.value) { other.value = 0; }
};
template <class T> __device__ int taken(T &&t) { moved to(std::forward<T>(t)); return to.value; }
__device__ int sum(std::initializer_list<int> list)
{
	int s = 0;
	for (int i : list)
		s += i;
	return s + 100 * (int)list.size();
}
extern "C" __global__ void k(int *out)
{
	moved m(11);
	std::string text = {13};
	out[0] = (int)(time * 2) + index + remove + div_t + FILE;
	out[1] = INFINITY * CHAR_BIT + std::numeric_limits<3>::digits;
	out[2] = taken(std::move(m)) + m.value;
	out[3] = sum({1, 2, 3}) + text.length;
	out[4] = (int)(max(2, 3) + sqrt(16.0) + fabs(-2.f) + pow(2.0, 3) + isnan(1.f));
	size_t size = sizeof(clock_t) + sizeof(ptrdiff_t);
	memset(out + 5, 0, sizeof *out);
	out[5] += (int)size;
}
)";

/* Headers of the library's names that the program brings, as jitify does; and one in which a header asks for
 * another by its full name. */
static const char own_headers[] = R"(
#include <string.h>
#include <cstdint>
#include <limits>
#include "part/first.h"
extern "C" __global__ void k(int *out)
{
	out[0] = STRING_H;
	out[1] = sizeof(std::int32_t);
	out[2] = std::numeric_limits<int>::max_of_mine;
	out[3] = SECOND;
	out[4] = __x86_64__ + (std::is_other ? 1 : 0);
	out[5] = (int)strlen("abc");
}
)";
static const char *const own_texts[] = {
	"#pragma once\n#define STRING_H 21\nstatic __device__ size_t strlen(const char *s)\n"
	"{ size_t n = 0; while (s[n]) n++; return n + 40; }\n",
	"#pragma once\n#include <limits>\nnamespace std { typedef short int32_t; }\n",
	"#pragma once\nnamespace std { constexpr bool is_other = true;\n"
	"template <class T> struct numeric_limits { enum { max_of_mine = 33 }; }; }\n",
	"#include \"second.h\"\n",
	"#define SECOND 44\n",
};
static const char *const own_names[] = {"string.h", "cstdint", "limits", "part/first.h", "second.h"};

static const char standard20[] = R"(
template <class T> concept small = sizeof(T) < 4;
template <small T> __device__ int kind(T) { return 1; }
template <class T> __device__ int kind(T) { return 2; }
extern "C" __global__ void k(int *out)
{
	out[0] = kind('a') * 10 + kind(1);
}
)";

/* NVRTC has no such header; cudasim takes the host's. */
static const char host_library[] = R"(
#include <type_traits>
#include <cstdint>
static_assert(std::is_same<std::int64_t, int64_t>::value, "");
extern "C" __global__ void k(int *out) { out[0] = std::is_pointer<int *>::value; }
)";

/* CCCL's header for NVRTC counts on what clang does not take. */
static const char barrier[] = R"(
#include <cuda/barrier>
extern "C" __global__ void k(int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> b;
	init(&b, 1);
	b.arrive_and_wait();
	out[0] = 18;
}
)";

/* As NVRTC takes it: an offset through a pointer is a constant. */
static const char offset[] = R"(
#define IS_FIRST(type, member) !(&(((type *) 0)->member))
struct pair { int a, b; };
static_assert(IS_FIRST(pair, a) && !IS_FIRST(pair, b), "");
extern "C" __global__ void k(int *out) { out[0] = 19; }
)";

/* Programs look in the log for the header that is missing, and for who includes it: by its name, if the
 * program has given it as a text. */
static void missing(const char *name, const char *text)
{
	static const char *const texts[] = {"\n\n#include \"absent.h\"\n", "#include <part/other.h>\n"};
	static const char *const names[] = {"part/outer.h", "part/inner.h"};
	nvrtcProgram program;
	size_t n = 0;
	std::string log;
	DO(nvrtcCreateProgram(&program, text, "names.cu", 2, texts, names));
	const char *options[] = {"-I."};
	nvrtcResult result = nvrtcCompileProgram(program, 1, options);
	DO(nvrtcGetProgramLogSize(program, &n));
	log.resize(n);
	DO(nvrtcGetProgramLog(program, &log[0]));
	DO(nvrtcDestroyProgram(&program));
	size_t at = log.find(": catastrophic error: "), start = log.rfind('\n', at);
	size_t begin = start == std::string::npos ? 0 : start + 1;
	std::string line = at == std::string::npos ? log : log.substr(begin, log.find('\n', at) - begin);
	say(name, "%d %s", (int)result, line.c_str());
}

/* Neither is a kernel's name: T has to be as large as a char. */
static void no_names(const char *name, std::vector<const char *> expressions)
{
	static const char text[] = "template <bool> struct when {};\ntemplate <> struct when<true> { using type = int; };\n"
				   "template <class T> __global__ void k(T *, typename when<sizeof(T) == 1>::type) {}\n";
	static const char before[] = "Error in parsing name expression for lowered name lookup. Input name expression was: ";
	nvrtcProgram program;
	size_t n = 0;
	std::string log, line;
	DO(nvrtcCreateProgram(&program, text, "names.cu", 0, NULL, NULL));
	for (const char *expression : expressions)
		DO(nvrtcAddNameExpression(program, expression));
	nvrtcResult result = nvrtcCompileProgram(program, 0, NULL);
	DO(nvrtcGetProgramLogSize(program, &n));
	log.resize(n);
	DO(nvrtcGetProgramLog(program, &log[0]));
	DO(nvrtcDestroyProgram(&program));
	/* NVRTC parts the expression's words by spaces. */
	for (size_t at = 0; (at = log.find(before, at)) != std::string::npos; line += ';')
		for (at += sizeof before - 1; at < log.size() && log[at] != '\n'; at++)
			line += log[at] == ' ' ? "" : std::string(1, log[at]);
	say(name, "%d %s warnings %d", (int)result, line.c_str(), log.find("warning") != std::string::npos);
}

static void compile(const char *name, const std::string &text, std::vector<const char *> options, int values,
		    int headers = 0)
{
	nvrtcProgram program;
	CUmodule module;
	CUfunction kernel;
	size_t n = 0;
	std::string code;
	DO(nvrtcCreateProgram(&program, text.c_str(), "names.cu", headers, own_texts, own_names));
	options.push_back("-arch=compute_80");
	nvrtcResult result = nvrtcCompileProgram(program, (int)options.size(), options.data());
	DO(nvrtcGetProgramLogSize(program, &n));
	code.resize(n);
	DO(nvrtcGetProgramLog(program, &code[0]));
	if (result) {
		say(name, "%d", (int)result);
		fputs(code.c_str(), stderr);
		return;
	}
	DO(nvrtcGetPTXSize(program, &n));
	code.resize(n);
	DO(nvrtcGetPTX(program, &code[0]));
	DO(nvrtcDestroyProgram(&program));
	int *out;
	CHECK(cudaMallocManaged(&out, 64 * sizeof *out));
	DO(cuModuleLoadData(&module, code.data()));
	DO(cuModuleGetFunction(&kernel, module, "k"));
	void *arguments[] = {&out};
	DO(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, arguments, NULL));
	DO(cuCtxSynchronize());
	std::string line;
	for (int i = 0; i < values; i++)
		line += (i ? " " : "") + std::to_string(out[i]);
	say(name, "%s", line.c_str());
}

int main()
{
	const char *toolkit = getenv("CUDA_PATH");
	std::string include = std::string("-I") + (toolkit ? toolkit : "/usr/local/cuda") + "/include";
	std::string macros, cccl = include + "/cccl";
	for (const char *name : absent)
		macros += std::string("#ifdef ") + name + "\n#error \"" + name + "\"\n#endif\n";
	for (auto &macro : present)
		macros += std::string("static_assert((long long)(") + macro.name + ") == " +
			  std::to_string(macro.value) + ", \"" + macro.name + "\");\n";
	CHECK(cudaFree(0));
	compile("macros", macros + "extern \"C\" __global__ void k(int *out) { *out = 1; }",
		{"--std=c++17", "-ftz=true", "-prec-sqrt=false", "-DWANTED=7", "-D", "GIVEN", "-DEMPTY=",
		 "-DTWICE(x)=((x) * 2)", "-DNDEBUG", "-UNDEBUG"}, 1);
	compile("names", names, {"--std=c++17"}, 6);
	compile("own headers", own_headers, {"-D__x86_64__=50"}, 6, 5);
	compile("device by default", std::string("static int plain() { return 17; }\n") +
		"extern \"C\" __global__ void k(int *out) { *out = plain(); }",
		{"--device-as-default-execution-space"}, 1);
	compile("C++20", standard20, {"-std=c++20"}, 1);
	compile("host's library", host_library, {"-std=c++17"}, 1);
	compile("barrier", barrier, {"-std=c++17", include.c_str(), cccl.c_str()}, 1);
	compile("offset", offset, {"-std=c++17"}, 1);
	missing("missing", "\n#include \"absent.h\"\n");
	missing("missing in a header", "#include <part/outer.h>\n");
	missing("missing twice", "#include \"part/inner.h\"\n#include \"none.h\"\n");
	no_names("no such name", {"k<char>", "absent"});
	no_names("no such instance", {"k<int>"});
	return 0;
}
