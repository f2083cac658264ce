/* SPDX-License-Identifier: Apache-2.0 */
/* PTX that the program brings along as text: modules of all that PTX has around instructions,
 * loaded and linked by the driver API; what is wrong with some, by code and log.
 *
 * Flags: -std=c++17 -lcuda */
#include <cuda.h>

#include <string>

#include "driver.cuh"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

static CUmodule load(const std::string &text)
{
	CUmodule module = nullptr;
	DO(cuModuleLoadData(&module, text.c_str()));
	return module;
}

/* A kernel with one parameter, the address of n words, in one block of `threads`. */
static void run(const char *name, CUmodule module, const char *kernel, int threads, int n,
		unsigned shared = 0)
{
	CUfunction function;
	CUdeviceptr p;
	std::vector<uint32_t> words(n);
	for (int i = 0; i < n; i++)
		words[i] = 3 * i + 1;
	DO(cuModuleGetFunction(&function, module, kernel));
	DO(cuMemAlloc(&p, 4 * n));
	DO(cuMemcpyHtoD(p, words.data(), 4 * n));
	void *parameters[] = {&p};
	DO(cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, shared, nullptr, parameters, nullptr));
	DO(cuCtxSynchronize());
	DO(cuMemcpyDtoH(words.data(), p, 4 * n));
	DO(cuMemFree(p));
	show(name, words.data(), n);
}

/* %rd1: the words; %r1: the thread; %rd2: its word. Ends with it in %r0 to be stored. */
#define BEGIN(name)                                                                              \
	".visible .entry " name "(.param .u64 words)\n{\n.reg .pred %p<8>; .reg .b16 %h<8>;\n"   \
	".reg .b32 %r<20>; .reg .f32 %f<8>; .reg .b64 %rd<12>;\n"                                \
	"ld.param.u64 %rd1, [words]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r1, %tid.x;\n"     \
	"mad.wide.u32 %rd2, %r1, 4, %rd1; ld.global.u32 %r0, [%rd2];\n"
#define END "st.global.u32 [%rd2], %r0;\nret;\n}\n"

static const char straight[] = HEAD
	BEGIN("bits") "brev.b32 %r2, %r0; popc.b32 %r3, %r2; lop3.b32 %r4, %r2, %r0, %r3, 0x96;"
	"add.cc.u32 %r5, %r4, 0xfffffff0; addc.u32 %r0, %r5, 0;\n" END
	BEGIN("floats") "cvt.rn.f32.u32 %f1, %r0; mul.rn.f32 %f2, %f1, 0f3DCCCCCD;\n"
	"add.rn.f32 %f3, %f2, 1.5; sqrt.rn.f32 %f4, %f3; mov.b32 %r0, %f4;\n" END
	/* products and sums that say no rounding may be fused */
	BEGIN("fused") "cvt.rn.f32.u32 %f1, %r0; mul.f32 %f2, %f1, 0f3DCCCCCD;\n"
	"mul.f32 %f3, %f2, %f2; sub.f32 %f4, %f3, %f1; mov.b32 %r0, %f4;\n" END;

static const char flow[] = HEAD
	/* the Collatz steps of the word */
	BEGIN("steps") "mov.u32 %r2, 0;\n"
	"LOOP: setp.eq.u32 %p1, %r0, 1; @%p1 bra.uni OUT;\n"
	"and.b32 %r3, %r0, 1; setp.ne.u32 %p2, %r3, 0; shr.u32 %r4, %r0, 1;\n"
	"mad.lo.u32 %r5, %r0, 3, 1; selp.b32 %r0, %r5, %r4, %p2; add.u32 %r2, %r2, 1; bra LOOP;\n"
	"OUT: mov.u32 %r0, %r2;\n" END
	BEGIN("wide") "rem.u32 %r2, %r0, 5; TABLE: .branchtargets A, B, C, D, E;\n"
	"brx.idx %r2, TABLE;\nA: add.u32 %r0, %r0, 100; bra Z;\nB: xor.b32 %r0, %r0, 0xff; bra Z;\n"
	"C: { .reg .b32 %r2; mov.u32 %r2, 7; mul.lo.u32 %r0, %r0, %r2; }\nD: not.b32 %r0, %r0; bra Z;\n"
	"E: sub.u32 %r0, 0, %r2;\nZ:\n" END
	BEGIN("early") "setp.gt.u32 %p1, %r1, 20; @%p1 ret; setp.gt.u32 %p1, %r1, 10; @!%p1 exit;\n"
	"mov.u32 %r0, 5;\n" END
	BEGIN("carries") "mov.u32 %r3, 0; mov.u32 %r4, 0; setp.ne.u32 %p7, %r1, %r1;\nL: add.cc.u32 %r3, %r3, 0x70000001;\n"
	"@%p7 bra L; addc.cc.u32 %r4, %r4, %r0; setp.lt.u32 %p1, %r4, 50; @%p1 bra L;\n"
	"xor.b32 %r0, %r3, %r4;\n" END;

static const char variables[] = HEAD
	".const .align 4 .b32 table[2][4] = {{1, 2, 3, 4}, {-1, 0x10}};\n"
	".visible .global .align 4 .f32 reals[3] = {1.0, 0f40490FDB, -2.5};\n"
	".global .align 1 .b8 text[8] = {72, 105, 33, 0};\n"
	".global .align 8 .u64 places[3] = {reals, generic(reals)+8, text};\n"
	".global .align 8 .u8 mixed[24] = {1, 2, 3, 4, 5, 6, 7, 8, 0xFF(text), 0xFF00(text), 0xFF0000(text),\n"
	"0xFF000000(text), 0xFF00000000(text), 0xFF0000000000(text), 0xFF000000000000(text),\n"
	"0xFF00000000000000(text), 9};\n"
	".extern .shared .align 16 .b8 dynamic[];\n.shared .align 8 .b32 fixed[64];\n"
	/* the sum of all words, by halves */
	BEGIN("reduce") "shl.b32 %r2, %r1, 2; mov.u32 %r3, fixed; add.u32 %r4, %r3, %r2;\n"
	"st.shared.u32 [%r4], %r0; bar.sync 0; mov.u32 %r5, 16;\n"
	"L: setp.lt.u32 %p1, %r1, %r5; @!%p1 bra.uni N; shl.b32 %r6, %r5, 2; add.u32 %r7, %r4, %r6;\n"
	"ld.shared.u32 %r8, [%r7]; ld.shared.u32 %r9, [%r4]; add.u32 %r9, %r9, %r8; st.shared.u32 [%r4], %r9;\n"
	"N: bar.sync 0; shr.u32 %r5, %r5, 1; setp.ne.u32 %p2, %r5, 0; @%p2 bra L;\n"
	"ld.shared.u32 %r0, [fixed];\n" END
	/* the neighbour's word, through dynamic shared memory and a generic address */
	BEGIN("swap") "mov.u64 %rd3, dynamic; cvta.shared.u64 %rd4, %rd3; mul.wide.u32 %rd5, %r1, 4;\n"
	"add.u64 %rd6, %rd4, %rd5; st.u32 [%rd6], %r0; barrier.sync 0; xor.b32 %r2, %r1, 1;\n"
	"mul.wide.u32 %rd5, %r2, 4; add.u64 %rd6, %rd3, %rd5; ld.shared.u32 %r0, [%rd6];\n" END
	BEGIN("tables") "and.b32 %r2, %r1, 7; mul.wide.u32 %rd3, %r2, 4; mov.u64 %rd4, table;\n"
	"add.u64 %rd5, %rd4, %rd3; ld.const.u32 %r3, [%rd5]; cvta.const.u64 %rd6, %rd5;\n"
	"ld.u32 %r4, [%rd6]; ld.const.u32 %r5, [table+16]; add.u32 %r0, %r3, %r4; add.u32 %r0, %r0, %r5;\n"
	"ld.global.u64 %rd7, [places+8]; ld.global.f32 %f1, [%rd7]; ld.global.f32 %f2, [reals+4];\n"
	"add.f32 %f1, %f1, %f2; mov.b32 %r6, %f1; xor.b32 %r0, %r0, %r6;\n"
	"ld.global.u64 %rd8, [mixed+8]; ld.global.u8 %r7, [%rd8+1]; ld.global.u8 %r8, [mixed+16];\n"
	"mov.u64 %rd9, text+2; ld.global.s8 %r9, [%rd9]; mad.lo.u32 %r0, %r7, %r8, %r0; add.u32 %r0, %r0, %r9;\n" END
	/* each thread's array, turned around */
	BEGIN("locals") ".local .align 4 .b8 own[64]; .reg .b64 %SP;\n"
	"mov.u64 %SP, own; mov.u32 %r2, 0;\n"
	"W: mul.wide.u32 %rd3, %r2, 4; add.u64 %rd4, %SP, %rd3; mad.lo.u32 %r3, %r2, %r0, %r1;\n"
	"st.local.u32 [%rd4], %r3; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 16; @%p1 bra W;\n"
	"and.b32 %r4, %r0, 15; mul.wide.u32 %rd3, %r4, 4; cvta.local.u64 %rd5, %SP; add.u64 %rd5, %rd5, %rd3;\n"
	"ld.u32 %r0, [%rd5]; ld.local.v2.u32 {%r5, %r6}, [own+8]; sub.u32 %r0, %r0, %r6;\n" END
	BEGIN("adds") "atom.global.add.u32 %r2, [%rd1], 1; red.shared.add.u32 [fixed+4], 1;\n"
	"bar.sync 0; mov.u32 %r0, 0;\n"
	"setp.eq.u32 %p1, %r1, 0; @%p1 ld.global.u32 %r0, [%rd1];\n" END;

static const char calls[] = HEAD
	".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 p);\n"
	".global .align 1 .b8 format[20] = {118, 97, 108, 117, 101, 115, 58, 32, 37, 100, 32, 37, 103, 10, 0};\n"
	/* declared before it is defined */
	".func (.param .b32 r) power (.param .b32 x, .param .b32 n);\n"
	".func (.param .align 8 .b8 r[16]) pair (.param .align 8 .b8 x[16], .param .b32 by)\n{\n"
	".reg .b64 %rd<4>; .reg .b32 %r<2>; ld.param.u32 %r1, [by]; cvt.u64.u32 %rd3, %r1;\n"
	"ld.param.v2.b64 {%rd1, %rd2}, [x]; add.u64 %rd1, %rd1, %rd3; mul.lo.u64 %rd2, %rd2, %rd3;\n"
	"st.param.b64 [r+0], %rd2; st.param.b64 [r+8], %rd1; ret;\n}\n"
	".func (.param .b32 r) triple (.param .b32 x)\n{ .reg .b32 %r<2>; ld.param.b32 %r1, [x];\n"
	"mul.lo.u32 %r1, %r1, 3; st.param.b32 [r], %r1; ret; }\n"
	".func (.param .b32 r) square (.param .b32 x)\n{ .reg .b32 %r<2>; ld.param.b32 %r1, [x];\n"
	"mul.lo.u32 %r1, %r1, %r1; st.param.b32 [r], %r1; ret; }\n"
	".global .align 8 .u64 functions[2] = {triple, square};\n"
	".func (.param .b32 r) power (.param .b32 x, .param .b32 n)\n{\n"
	".reg .pred %p<2>; .reg .b32 %r<6>; ld.param.b32 %r1, [x]; ld.param.b32 %r2, [n]; mov.u32 %r3, 1;\n"
	"setp.eq.u32 %p1, %r2, 0; @%p1 bra DONE; sub.u32 %r4, %r2, 1;\n"
	"{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %r1; st.param.b32 [b], %r4;\n"
	"call (c), power, (a, b); ld.param.b32 %r5, [c]; } mul.lo.u32 %r3, %r5, %r1;\n"
	"DONE: st.param.b32 [r], %r3; ret;\n}\n"
	BEGIN("recursion") "{ .param .b32 a; .param .b32 b; .param .b32 c; and.b32 %r2, %r1, 7; st.param.b32 [a], 3;\n"
	"st.param.b32 [b], %r2; call.uni (c), power, (a, b); ld.param.b32 %r0, [c]; }\n" END
	BEGIN("arrays") "{ .param .align 8 .b8 a[16]; .param .b32 b; .param .align 8 .b8 c[16];\n"
	"cvt.u64.u32 %rd3, %r0; st.param.v2.b64 [a], {%rd3, %rd3}; st.param.b32 [b], %r1;\n"
	"call.uni (c), pair, (a, b); ld.param.b64 %rd4, [c]; ld.param.b64 %rd5, [c+8]; }\n"
	"shl.b64 %rd4, %rd4, 8; add.u64 %rd4, %rd4, %rd5; cvt.u32.u64 %r0, %rd4;\n" END
	BEGIN("pointers") "and.b32 %r2, %r1, 1; mul.wide.u32 %rd3, %r2, 8; mov.u64 %rd4, functions;\n"
	"add.u64 %rd4, %rd4, %rd3; ld.global.u64 %rd5, [%rd4];\n"
	"{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r0;\n"
	"proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
	"call (b), %rd5, (a), proto; ld.param.b32 %r0, [b]; }\n"
	"mov.u64 %rd6, triple; setp.eq.u64 %p1, %rd6, %rd5; selp.b32 %r3, 1000, 0, %p1; add.u32 %r0, %r0, %r3;\n" END
	BEGIN("prints") ".local .align 8 .b8 list[16]; .reg .f64 %d<2>;\n"
	"mov.f64 %d1, 0d3FF8000000000000; st.local.u32 [list], %r0; st.local.f64 [list+8], %d1;\n"
	"mov.u64 %rd3, list; cvta.local.u64 %rd4, %rd3; mov.u64 %rd5, format; cvta.global.u64 %rd6, %rd5;\n"
	"{ .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], %rd6; st.param.b64 [b], %rd4;\n"
	"call.uni (c), vprintf, (a, b); ld.param.b32 %r0, [c]; }\n" END;

/* Several results, in registers. */
static const char registers[] = HEAD
	".func (.reg .b32 %q, .reg .b32 %m) divide (.reg .b32 %a, .reg .b32 %b)\n"
	"{ div.u32 %q, %a, %b; rem.u32 %m, %a, %b; ret; }\n"
	BEGIN("registers") "call (%r2, %r3), divide, (%r0, 7); shl.b32 %r2, %r2, 4; or.b32 %r0, %r2, %r3;\n" END;

/* Parameters of all kinds. */
static const char parameters[] = HEAD
	".visible .entry all(.param .u64 .ptr .global .align 4 out, .param .u8 a, .param .s16 b, .param .f64 c,\n"
	".param .align 16 .b8 d[20], .param .f32 e)\n.maxntid 128, 1, 1\n.minnctapersm 2\n{\n"
	".reg .b16 %h<3>; .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .f64 %d<3>; .reg .f32 %f<3>;\n"
	"ld.param.u64 %rd1, [out]; ld.param.u8 %h1, [a]; ld.param.s16 %r1, [b]; ld.param.f64 %d1, [c];\n"
	"ld.param.v4.u32 {%r2, %r3, %r4, %r5}, [d]; ld.param.u32 %r6, [d+16]; ld.param.f32 %f1, [e];\n"
	"cvt.u32.u16 %r7, %h1; cvt.rzi.s32.f64 %r8, %d1; st.global.u32 [%rd1], %r7; st.global.u32 [%rd1+4], %r1;\n"
	"st.global.u32 [%rd1+8], %r8; st.global.v4.u32 [%rd1+16], {%r2, %r3, %r4, %r5};\n"
	"st.global.u32 [%rd1+12], %r6; st.global.f32 [%rd1+32], %f1; ret;\n}\n";

static void run_parameters()
{
	struct part { uint32_t words[5]; } d = {{10, 20, 30, 40, 50}};
	unsigned char a = 200;
	short b = -3;
	double c = -7.75;
	float e = 2.5f;
	uint32_t out[9] = {0};
	CUfunction function;
	CUdeviceptr p;
	CUmodule module = load(parameters);
	DO(cuModuleGetFunction(&function, module, "all"));
	DO(cuMemAlloc(&p, sizeof out));
	void *list[] = {&p, &a, &b, &c, &d, &e};
	DO(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, list, nullptr));
	DO(cuMemcpyDtoH(out, p, sizeof out));
	show("parameters", out, 9);
	int most = 0;
	DO(cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
	say("threads of maxntid", "%d", most);
	for (int i = 0; i < 6; i++) {
		size_t offset, size;
		DO(cuFuncGetParamInfo(function, i, &offset, &size));
		say(("parameter " + std::to_string(i)).c_str(), "%zu %zu", offset, size);
	}
	DO(cuModuleUnload(module));
}

/* Two pieces that need each other. */
static const char user[] = HEAD
	".extern .func (.param .b32 r) helper (.param .b32 x);\n.extern .global .align 4 .u32 shift;\n"
	".func hidden() { ret; }\n"
	BEGIN("use") "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r0; call.uni (b), helper, (a);\n"
	"ld.param.b32 %r0, [b]; } call hidden; ld.global.u32 %r2, [shift]; add.u32 %r0, %r0, %r2;\n" END;
static const char helper[] = HEAD
	".visible .global .align 4 .u32 shift = 1000;\n.func hidden() { trap; ret; }\n"
	".visible .func (.param .b32 r) helper (.param .b32 x)\n{ .reg .b32 %r<2>; ld.param.b32 %r1, [x];\n"
	"shl.b32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }\n";

static int link(std::vector<const char *> pieces, std::vector<char> *image, std::string *log)
{
	CUlinkState state;
	std::vector<char> errors(4000);
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {errors.data(), (void *)errors.size()}, *cubin;
	size_t size;
	int result = 0, n = 0;
	DO(cuLinkCreate(2, options, values, &state));
	for (const char *piece : pieces) {
		std::string name = "piece" + std::to_string(n++);
		if (!result)
			result = cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)piece, strlen(piece) + 1,
					       name.c_str(), 0, nullptr, nullptr);
	}
	say("adding", "%d", result);
	if (!result)
		result = cuLinkComplete(state, &cubin, &size);
	if (!result)
		image->assign((char *)cubin, (char *)cubin + size);
	*log = errors.data();
	DO(cuLinkDestroy(state));
	return result;
}

static void run_links()
{
	std::vector<char> image;
	std::string log;
	CUmodule module;
	say("link", "%d", link({user, helper}, &image, &log));
	DO(cuModuleLoadData(&module, image.data()));
	run("linked", module, "use", 4, 4);
	DO(cuModuleUnload(module));
	say("link without one", "%d", link({user}, &image, &log));
	say("its log has an error", "%d", log.find("error") != std::string::npos || log.find("fatal") != std::string::npos);
	say("link with one twice", "%d", link({user, helper, helper}, &image, &log));
	say("its log has an error", "%d", log.find("error") != std::string::npos);
	say("link with a wrong one", "%d", link({user, "foo", helper}, &image, &log));
}

/* How a module is refused: the code, and the lines that the log names. */
static void wrong(const char *name, const std::string &text)
{
	CUmodule module;
	std::vector<char> errors(4000), infos(4000);
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
				  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {errors.data(), (void *)errors.size(), infos.data(), (void *)infos.size()};
	int result = cuModuleLoadDataEx(&module, text.c_str(), 4, options, values);
	std::string lines, log = errors.data(), prefix = "ptxas application ptx input, line ";
	for (size_t at = 0; (at = log.find(prefix, at)) != std::string::npos; at++) {
		size_t line = strtoul(log.c_str() + at + prefix.size(), nullptr, 10);
		size_t semicolon = log.find(';', at);
		std::string kind = semicolon == std::string::npos ? "" : log.substr(semicolon, 10);
		kind = " " + std::to_string(line) + kind;
		/* ptxas says of some things two lines. */
		if (lines.find(kind) == std::string::npos)
			lines += kind;
	}
	say(name, "%d%s", result, lines.c_str());
	say("bytes of its logs", "%d %d", (size_t)values[1] - strlen(errors.data()), (size_t)values[3] - strlen(infos.data()));
	if (getenv("SHOW_LOGS"))
		fprintf(stderr, "%s: %zu %zu\n%s\n%s\n", name, (size_t)values[1], (size_t)values[3], errors.data(), infos.data());
	if (!result)
		DO(cuModuleUnload(module));
}

static void run_wrong()
{
	const std::string kernel = std::string(HEAD) + ".visible .entry k()\n{\n.reg .b32 %r<4>;\n";
	wrong("nothing wrong", kernel + "ret;\n}\n");
	wrong("no PTX", "foo");
	wrong("an empty text", "");
	wrong("no version", ".target sm_90\n.address_size 64\n");
	wrong("a later version", ".version 19.0\n.target sm_90\n");
	wrong("a later GPU", ".version 8.8\n.target sm_120\n.address_size 64\n.visible .entry k() { ret; }\n");
	wrong("an unknown instruction", kernel + "foo.b32 %r1;\nret;\n}\n");
	wrong("an undeclared register", kernel + "mov.u32 %r1, %r9;\nret;\n}\n");
	wrong("an unknown label", kernel + "bra NOWHERE;\nret;\n}\n");
	wrong("an unknown variable", kernel + "ld.global.u32 %r1, [nothing];\nret;\n}\n");
	wrong("a missing semicolon", kernel + "mov.u32 %r1, 5\nret;\n}\n");
	wrong("a missing brace", kernel + "ret;\n");
	wrong("an unknown directive", std::string(HEAD) + ".nothing 5;\n");
	wrong("a function that is nowhere", std::string(HEAD) + ".extern .func f();\n.visible .entry k() { call f; ret; }\n");
	wrong("a name twice", std::string(HEAD) + ".global .u32 a;\n.global .u32 a;\n.visible .entry k() { ret; }\n");
	CUmodule module;
	char small[20];
	memset(small, 'x', sizeof small);
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {small, (void *)10};
	int result = cuModuleLoadDataEx(&module, (kernel + "foo;\n}\n").c_str(), 2, options, values);
	small[19] = 0;
	say("a small buffer", "%d %s", result, small);
	say("its bytes", "%d", (int)(size_t)values[1]);
	CUfunction function;
	CUmodule whole = load(kernel + "ret;\n}\n");
	say("a kernel that is not there", "%d", (int)cuModuleGetFunction(&function, whole, "other"));
	DO(cuModuleUnload(whole));
}

int main()
{
	CUdevice device;
	CUcontext context;
	DO(cuInit(0));
	DO(cuDeviceGet(&device, 0));
	DO(cuDevicePrimaryCtxRetain(&context, device));
	DO(cuCtxSetCurrent(context));
	static const struct {
		const char *text;
		std::vector<const char *> kernels;
	} modules[] = {
		{straight, {"bits", "floats", "fused"}},
		{flow, {"steps", "wide", "early", "carries"}},
		{variables, {"reduce", "swap", "tables", "locals", "adds"}},
		{calls, {"recursion", "arrays", "pointers", "prints"}},
		{registers, {"registers"}},
	};
	for (auto &one : modules) {
		CUmodule module = load(one.text);
		for (const char *kernel : one.kernels)
			run(kernel, module, kernel, !strcmp(kernel, "prints") ? 1 : 32, 32, 128);
		DO(cuModuleUnload(module));
	}
	run_parameters();
	run_links();
	run_wrong();
	return 0;
}
