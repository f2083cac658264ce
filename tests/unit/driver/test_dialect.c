/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "dialect.h"

/* The spot is where mark stands in the text. expected NULL: not to be mended. */
static void expect_spot(struct dialect_spot spot, const char *text, const char *mark,
			const char *expected)
{
	const char *at = strstr(text, mark);
	assert_non_null(at);
	spot.line = spot.column = 1;
	for (const char *c = text; c < at; c++) {
		spot.column++;
		if (*c == '\n') {
			spot.line++;
			spot.column = 1;
		}
	}
	char *mended = dialect_mend(text, &spot);
	if (!expected)
		assert_null(mended);
	else
		assert_string_equal(mended, expected);
	free(mended);
}

static void expect(enum dialect_kind kind, const char *text, const char *mark, const char *expected)
{
	expect_spot((struct dialect_spot){.kind = kind}, text, mark, expected);
}

static void attributes_move_to_the_front(void **state)
{
	(void)state;
	expect(DIALECT_ATTRIBUTE, "{\n\t__shared__ alignas(16) int s[64];\n}", "alignas",
	       "{\n\talignas(16) __shared__  int s[64];\n}");
	expect(DIALECT_ATTRIBUTE,
	       "extern __shared__ alignas(alignof(T)) [[maybe_unused]] char s[];", "alignas",
	       "alignas(alignof(T)) [[maybe_unused]] extern __shared__  char s[];");
	expect(DIALECT_ATTRIBUTE, "static __shared__\nalignas(8) int x;", "alignas",
	       "alignas(8) static __shared__\n int x;");
	expect(DIALECT_ATTRIBUTE, "struct s { HD [[nodiscard]] int f(); };", "[[",
	       "struct s { [[nodiscard]] HD  int f(); };");
	expect(DIALECT_ATTRIBUTE, "public: __host__ __device__ [[nodiscard]] s();", "[[",
	       "public: [[nodiscard]] __host__ __device__  s();");
	/* Another error of the same wording is not ours. */
	expect(DIALECT_ATTRIBUTE, "int alignas(16) x;", "alignas", NULL);
	expect(DIALECT_ATTRIBUTE, "__shared__ alignas(16 int x;", "alignas", NULL);
}

static void operands_of_asm_get_commas(void **state)
{
	(void)state;
	expect(DIALECT_OPERAND, "asm(\"\" :: \"r\"(f(x))\n\"r\"(y));", "\"r\"(y)",
	       "asm(\"\" :: \"r\"(f(x)),\n\"r\"(y));");
	expect(DIALECT_OPERAND, "asm(\"\" :: \"r\"(x) y);", "y", NULL);
	expect(DIALECT_OPERAND, "f((x) \"r\");", "\"r\"", NULL);
	expect(DIALECT_OPERAND, "f(x \"r\"(y));", "\"r\"", NULL);
}

static void lists_of_variable_length_arrays_become_calls(void **state)
{
	(void)state;
	expect(DIALECT_ARRAY, "{ int a[n] = {1, 2};", "n]",
	       "{ int a[n]; __cudasim_fill_array(&a[0], sizeof(a), {1, 2});");
	expect(DIALECT_ARRAY, "; float b[(n) + 1][2]{};", "(n)",
	       "; float b[(n) + 1][2]; __cudasim_fill_array(&b[0][0], sizeof(b), {});");
	expect(DIALECT_ARRAY, "; S b[n][m] = { {1, {2, 3}}, {} };", "n]",
	       "; S b[n][m]; __cudasim_fill_array(&b[0][0], sizeof(b), sizeof(b[0]), "
	       "{ {1, {2, 3}}, {} });");
	expect(DIALECT_ARRAY, "; int c[n] = {1}, d[n] = {2};", "n] = {1",
	       "; int c[n]; __cudasim_fill_array(&c[0], sizeof(c), {1}); int  d[n] = {2};");
	expect(DIALECT_ARRAY, "; int c, d[n] = {2};", "n]",
	       "; int c, d[n]; __cudasim_fill_array(&d[0], sizeof(d), {2});");
	expect(DIALECT_ARRAY, "; const char *s[n] = {\"a;\"};", "n]",
	       "; const char *s[n]; __cudasim_fill_array(&s[0], sizeof(s), {\"a;\"});");
	expect(DIALECT_ARRAY, "; const int a[n] = {1};", "n]", NULL);
	expect(DIALECT_ARRAY, "; char a[n] = \"ab\";", "n]", NULL);
	expect(DIALECT_ARRAY, "; int *a[n] = {0}, b;", "n]", NULL);
	expect(DIALECT_ARRAY, "; int a[n] = {1", "n]", NULL);
}

static void extern_scalars_become_arrays(void **state)
{
	(void)state;
	expect(DIALECT_EXTERN, "void f() { extern __shared__ int one; one = 3; }", "__shared__",
	       "void f() { extern __shared__ int __cudasim_extern_one[]; int &one = *__cudasim_extern_one; "
	       "one = 3; }");
	/* Outside of functions the host has no such memory to refer to. */
	expect(DIALECT_EXTERN, "struct S {}; extern __shared__ S s;", "__shared__",
	       "struct S {}; extern __shared__ S __cudasim_extern_s[]; static S &s = *__cudasim_extern_s;");
	expect(DIALECT_EXTERN, "void f() { extern __shared__ alignas(16) struct S s; }",
	       "__shared__",
	       "void f() { extern alignas(16) __shared__ struct S __cudasim_extern_s[]; "
	       "struct S &s = *__cudasim_extern_s; }");
	expect(DIALECT_EXTERN, "extern __shared__ struct { int n; float f[]; } s;", "__shared__",
	       "extern __shared__ struct { int n; float f[]; } __cudasim_extern_s[]; "
	       "static auto &s = *__cudasim_extern_s;");
	expect(DIALECT_EXTERN, "extern __shared__ float4 v[N + 1][2]; v[0];", "__shared__",
	       " __shared__ float4 v[N + 1][2]; v[0];");
	expect(DIALECT_EXTERN, "void f() { extern __shared__ int a, b; }", "__shared__",
	       "void f() { extern __shared__ int __cudasim_extern_a[]; int &a = *__cudasim_extern_a; "
	       "extern __shared__ int __cudasim_extern_b[]; int &b = *__cudasim_extern_b; }");
	expect(DIALECT_EXTERN, "extern __shared__", "__shared__", NULL);
	expect(DIALECT_EXTERN, "extern __shared__ int a = 3;", "__shared__", NULL);
}

static void constructed_variables_become_storage(void **state)
{
	(void)state;
	expect(DIALECT_CONSTRUCTOR, "void k() { __shared__ cuda::barrier<A, B> b; f(&b); }", "b; f",
	       "void k() { __shared__ __cudasim_raw<cuda::barrier<A, B> > __cudasim_raw_b; "
	       "auto &b = __cudasim_raw_b.value; f(&b); }");
	expect(DIALECT_CONSTRUCTOR, "void k() { static __shared__ T x[2], y; }", "x[2]",
	       "void k() { static __shared__ __cudasim_raw<T [2]> __cudasim_raw_x; "
	       "auto &x = __cudasim_raw_x.value; static __shared__ __cudasim_raw<T > __cudasim_raw_y; "
	       "auto &y = __cudasim_raw_y.value; }");
	expect(DIALECT_CONSTRUCTOR, "void k() { __shared__ alignas(8) cuda::barrier<A> b; }",
	       "b; }",
	       "void k() { alignas(8) __shared__ __cudasim_raw<cuda::barrier<A> > __cudasim_raw_b; "
	       "auto &b = __cudasim_raw_b.value; }");
	expect(DIALECT_CONSTRUCTOR, "void k() { __shared__ [[maybe_unused]] __align__(16) T b; }",
	       "b; }",
	       "void k() { [[maybe_unused]] __align__(16) __shared__ __cudasim_raw<T > __cudasim_raw_b; "
	       "auto &b = __cudasim_raw_b.value; }");
	expect(DIALECT_CONSTRUCTOR, "void k() { T __shared__ b; }", "b; }",
	       "void k() { __shared__ __cudasim_raw<T > __cudasim_raw_b; auto &b = __cudasim_raw_b.value; }");
	expect(DIALECT_CONSTRUCTOR, "__shared__ T b;", "b;",
	       "__shared__ __cudasim_raw<T > __cudasim_raw_b; static auto &b = __cudasim_raw_b.value;");
	expect(DIALECT_CONSTRUCTOR, "void k() { __shared__ struct { T t; } b; }", "b; }",
	       "void k() { typedef struct { T t; } __cudasim_type_b; "
	       "__shared__ __cudasim_raw<__cudasim_type_b > __cudasim_raw_b; "
	       "auto &b = __cudasim_raw_b.value; }");
	expect(DIALECT_CONSTRUCTOR, "{ __shared__ int x = 3; }", "x =", NULL);
	expect(DIALECT_CONSTRUCTOR, "{ T x; }", "x;", NULL);
}

static void expect_guides(const char *text, const char *expected)
{
	char *mended = dialect_mend_guides(text);
	if (expected)
		assert_string_equal(mended, expected);
	else
		assert_null(mended);
	free(mended);
}

static void guides_are_of_both_sides(void **state)
{
	(void)state;
	expect_guides("template <class... T> over(T...) -> over<T...>;",
		      "template <class... T> __host__ __device__ over(T...) -> over<T...>;");
	expect_guides("struct box {};\nexplicit box(char) -> n::box<int>; box(int)->box<long>;",
		      "struct box {};\nexplicit __host__ __device__ box(char) -> n::box<int>; "
		      "__host__ __device__ box(int)->box<long>;");
	/* Those with a word before, and what is no guide. */
	expect_guides(
		"BOTH box(char) -> box<int>; BOTH explicit box(char) -> box<int>; auto box(int) -> box<int>; // box(int) -> box<int>;",
		NULL);
	expect_guides("int n = [](int x) -> x<int> {}; f(x)->g<int>(); return f(x)->f<int>();",
		      NULL);
	expect(DIALECT_GUIDE, "array(T, U...)\n-> array<T>;", "array(",
	       "__host__ __device__ array(T, U...)\n-> array<T>;");
}

static void wrong_operands_of_asm_stay_text(void **state)
{
	(void)state;
	expect(DIALECT_NUMBER, "asm(\"mov.u32 %0, %5;\" : \"=r\"(r));", "5;",
	       "asm(\"mov.u32 %0, %%5;\" : \"=r\"(r));");
	expect(DIALECT_NUMBER, "asm(\"mov.u32 %0, %12;\" : \"=r\"(r));", "2;",
	       "asm(\"mov.u32 %0, %%12;\" : \"=r\"(r));");
}

static void pragmas_in_macros_become_operators(void **state)
{
	(void)state;
	expect(DIALECT_PRAGMA, "int x;\n  # define UNROLL #pragma unroll\nint y;", "#pragma",
	       "int x;\n  # define UNROLL _Pragma(\"unroll\")\nint y;");
	expect(DIALECT_PRAGMA, "#define M(x) # pragma message(\"a\\\\\") // b\n", "# pragma",
	       "#define M(x) _Pragma(\"message(\\\"a\\\\\\\\\\\")\") // b\n");
	expect(DIALECT_PRAGMA, "#define A #pragma unroll 4 \\\n\tB", "#pragma",
	       "#define A _Pragma(\"unroll 4\") \\\n\tB");
	/* One that is a line of its own, and other uses of #. */
	expect(DIALECT_PRAGMA, "#pragma unroll\n", "#pragma", NULL);
	expect(DIALECT_PRAGMA, "#define A(x) #x\n", "#x", NULL);
	expect(DIALECT_PRAGMA, "#define A x\n", "x", NULL);
}

static void braces_of_launches_become_extents(void **state)
{
	(void)state;
	expect(DIALECT_LAUNCH, "{ f(1); k<<<g, {16, n}>>>(p); }", "{16",
	       "{ f(1); k<<<g, dim3(16, n)>>>(p); }");
	expect(DIALECT_LAUNCH, "k<<<{1,\n2}, 3>>>(p);", "{1", "k<<<dim3(1,\n2), 3>>>(p);");
	expect(DIALECT_LAUNCH, "k<<<f(1, 2), 3, {}>>>(p);", "{}", "k<<<f(1, 2), 3, 0>>>(p);");
	expect(DIALECT_LAUNCH, "k<<<1, 2, {1, 2}>>>(p);", "{1", NULL);
	expect(DIALECT_LAUNCH, "k<<<1, 2>>>(p); f(1, {2});", "{2", NULL);
	expect(DIALECT_LAUNCH, "extents<int, > e;", "> e", "extents<int > e;");
	expect(DIALECT_LAUNCH, "n = a, b > e;", "> e", NULL);
	expect(DIALECT_LAUNCH, "n = f(a, > e);", "> e", NULL);
	expect(DIALECT_LAUNCH, "k<<<1, {2", "{2", NULL);
}

/* As nvcc 13.0 takes them: < behind <<, > behind >>, no other parts. */
static void parted_launches_are_joined(void **state)
{
	(void)state;
	expect(DIALECT_LAUNCH, "k << <1, 2 >> > (p);", "<1", "k <<< 1, 2 >> > (p);");
	expect(DIALECT_LAUNCH, "k <<< 1, 2 >> > (p);", "> (", "k <<< 1, 2 >>>  (p);");
	expect(DIALECT_LAUNCH, "k << /* < */ <1>>\n>(p);", "<1", "k <<< /* < */ 1>>\n>(p);");
	expect(DIALECT_LAUNCH, "k<<<1>>\n>(p);", ">(", "k<<<1>>>\n(p);");
	expect(DIALECT_LAUNCH, "k< < <1>>>(p);", "<1", NULL);
	expect(DIALECT_LAUNCH, "k< <<1>>>(p);", "<<1", NULL);
	expect(DIALECT_LAUNCH, "a >>> > b", "> b", NULL);
	expect(DIALECT_LAUNCH, "<", "<", NULL);
}

static void alignas_below_the_natural_one_is_gnus(void **state)
{
	(void)state;
	expect(DIALECT_ALIGN, "alignas(2) int x;", "alignas", "__attribute__((aligned(2))) int x;");
	expect(DIALECT_ALIGN, "struct alignas (n(1)) A {};", "alignas",
	       "struct __attribute__((aligned(n(1)))) A {};");
	expect(DIALECT_ALIGN, "alignas(char) int x;", "alignas",
	       "__attribute__((aligned(alignof(char)))) int x;");
	expect(DIALECT_ALIGN, "alignas(T...) int x;", "alignas", NULL);
	expect(DIALECT_ALIGN, "int x;", "int", NULL);
}

static void main_gets_its_type(void **state)
{
	(void)state;
	expect(DIALECT_MAIN, "f();\nmain(int n) {}", "main", "f();\nint main(int n) {}");
	expect(DIALECT_MAIN, "mainly() {}", "mainly", NULL);
	expect(DIALECT_MAIN, "f() {}", "f", NULL);
}

static void pointers_are_cast_twice(void **state)
{
	(void)state;
	expect(DIALECT_CAST, "f((unsigned)p);", "(unsigned", "f((unsigned)(unsigned long)p);");
	expect(DIALECT_CAST, "int(p)", "int", NULL);
}

static void jumps_pass_over_declarations_only(void **state)
{
	(void)state;
	expect(DIALECT_JUMP, "case 0: int q = f(1, 2); g(); case 1:", "q =",
	       "case 0: int q; q = f(1, 2); g(); case 1:");
	expect(DIALECT_JUMP, "case 0: int a = 1, b = 2;", "a =", NULL);
	expect(DIALECT_JUMP, "case 0: int a, b = 2;", "b =", NULL);
	expect(DIALECT_JUMP, "case 0: const int a = 1;", "a = 1", NULL);
	expect(DIALECT_JUMP, "case 0: auto a = 1;", "a = 1", NULL);
	expect(DIALECT_JUMP, "case 0: int &a = b;", "a =", NULL);
	expect(DIALECT_JUMP, "case 0: int a[2] = {1};", "a[", NULL);
	expect(DIALECT_JUMP, "case 0: S a(1);", "a(", NULL);
	expect(DIALECT_JUMP, "case 0: int a = 1", "a =", NULL);
}

static void unrolls_without_a_loop_go(void **state)
{
	(void)state;
	expect(DIALECT_UNROLL, "#pragma unroll 4\n\tx = 3;", "x = 3", "\n\tx = 3;");
	expect(DIALECT_UNROLL, "a; _Pragma(\"unroll\") b;", "b;", "a;  b;");
	expect(DIALECT_UNROLL, "  # pragma unroll -1\nfor", "-1", "  \nfor");
	expect(DIALECT_UNROLL, "#pragma once\nx", "x", NULL);
}

static void special_registers_get_their_percent(void **state)
{
	(void)state;
	expect(DIALECT_ASM,
	       "asm(\"add.u32 %0, %laneid, %1; mov.u32 t, %%tid.x; mov %0, %envreg3;\" : \"=r\"(x));",
	       "%laneid",
	       "asm(\"add.u32 %0, %%laneid, %1; mov.u32 t, %%tid.x; mov %0, %%envreg3;\" : \"=r\"(x));");
	expect(DIALECT_CONSTRAINT, "asm(\"%1 %0, 1;\" : \"=r\"(x) : \"C\"(op));", "\"C\"",
	       "asm(\"%1 %0, 1;\" : \"=r\"(x) : \"X\"(op));");
	expect(DIALECT_ASM, "asm(\"%0 %\" : : \"r\"(x));", "%\"", NULL);
}

static void functions_that_call_the_host_are_not_emitted(void **state)
{
	(void)state;
	expect(DIALECT_HOST_CALL,
	       "struct a { int b; }; // it's\n__host__ __device__ int f(int x) { return h(x); }",
	       "h(x)",
	       "struct a { int b; }; // it's\n__cudasim_device_inline __host__ __device__ int f(int x) { return h(x); }");
	expect(DIALECT_HOST_CALL, "template <class T, int N = (3 > 2)> HD a<T>::a() : b(h()) {}",
	       "h()",
	       "template <class T, int N = (3 > 2)> __cudasim_device_inline HD a<T>::a() : b(h()) {}");
	expect(DIALECT_HOST_CALL,
	       "namespace n {\n#if X {\n#endif\nHD void f() { for (;;) { h(); } } }", "h()",
	       "namespace n {\n#if X {\n#endif\n__cudasim_device_inline HD void f() { for (;;) { h(); } } }");
	/* Functions that C++ gives both sides stand in other people's headers. */
	expect(DIALECT_HOST_CALL, "_LIB_CONSTEXPR int f() { return h(); }", "h()", NULL);
	struct dialect_spot called = {.kind = DIALECT_HOST_CALL, .called = true};
	expect_spot(called, "HD int f() { return a.b[g(1)]->n::h(1, 2) + 3; }", "h(1",
		    "HD int f() { return __cudasim_host_call(a.b[g(1)]->n::h(1, 2)) + 3; }");
	expect_spot(called, "HD int f() { return __cudasim_host_call(h(1)); }", "h(1", NULL);
	expect_spot(called, "HD int f() { std::string s; }", "s;", NULL);
}

static void member_templates_are_called_so(void **state)
{
	(void)state;
	/* The spot is the name itself, */
	expect(DIALECT_TEMPLATE, "x = c.as<int>(4);", "as<", "x = c.template as<int>(4);");
	expect(DIALECT_TEMPLATE, "x = p->as <int>(4);", "as <", "x = p->template as <int>(4);");
	expect(DIALECT_TEMPLATE, "x = p.operator()<yes>(4);", "operator",
	       "x = p.template operator()<yes>(4);");
	/* or where the expression begins. */
	expect(DIALECT_TEMPLATE, "a<b, f(c)>::go<n>(x);", "a<", "a<b, f(c)>::template go<n>(x);");
	expect(DIALECT_TEMPLATE, "a<b<c>>::d::go<n>(x);", "a<", "a<b<c>>::d::template go<n>(x);");
	/* It is there, or there is no member. */
	expect(DIALECT_TEMPLATE, "a<b>::template go<n>(x);", "a<", NULL);
	expect(DIALECT_TEMPLATE, "go<n>(x);", "go", NULL);
	expect(DIALECT_TEMPLATE, "f = go;", "go", NULL);
	expect(DIALECT_TEMPLATE, "a<b", "a<", NULL);
}

static void dependent_types_are_told_as_such(void **state)
{
	(void)state;
	expect(DIALECT_TYPENAME, "auto s = S::kind(1);", "S::", "auto s = typename S::kind(1);");
	expect(DIALECT_TYPENAME, "f(::a<T>::b{});", "::a", "f(typename ::a<T>::b{});");
	expect(DIALECT_TYPENAME, "(1);", "(", NULL);
	expect(DIALECT_MEMBER, "int x = slot(t);", "slot", "int x = this->slot(t);");
	expect(DIALECT_MEMBER, "(slot)(t);", "(", NULL);
}

static void constants_ask_for_no_object(void **state)
{
	(void)state;
	expect(DIALECT_THIS, "if constexpr (this->wide) g(this->x);", "this",
	       "if constexpr (wide) g(this->x);");
	expect(DIALECT_THIS, "if constexpr ((a && !(this -> b)) || this->c) {}", "(a",
	       "if constexpr ((a && !(b)) || c) {}");
	expect(DIALECT_THIS, "static_assert(this->n == s[\"this->\"], \"no\");", "this",
	       "static_assert(n == s[\"this->\"], \"no\");");
	expect(DIALECT_THIS, "if constexpr (x.wide) this->f();", "x.", NULL);
	expect(DIALECT_THIS, "if constexpr (not_this->wide) {}", "not_", NULL);
}

static void offsets_go_through_no_pointer(void **state)
{
	(void)state;
	expect(DIALECT_THIS, "static_assert(!&((pair<int, 2> *)0)->b, \"\");", "!",
	       "static_assert(!__builtin_offsetof(pair<int, 2> , b), \"\");");
	expect(DIALECT_THIS, "static_assert(!(&(((s*) 0)->m.n)), \"\");", "!",
	       "static_assert(!(__builtin_offsetof(s, m.n)), \"\");");
	expect(DIALECT_THIS, "a<(size_t)(&((s *) 0) -> m) + 1> b;", "(size",
	       "a<(size_t)(__builtin_offsetof(s , m)) + 1> b;");
	expect(DIALECT_THIS, "static_assert(&((s *)p)->m, \"\");", "&", NULL);
	expect(DIALECT_THIS, "static_assert(&((s *)00)->m, \"\");", "&", NULL);
	expect(DIALECT_THIS, "static_assert(a & ((s)0).m, \"\");", "a", NULL);
	expect(DIALECT_THIS, "static_assert(a); &((s *)0)->m;", "a", NULL);
}

static void functions_that_cannot_be_constant_are_not(void **state)
{
	(void)state;
	expect(DIALECT_CONSTEXPR, "constexpr int f() { if (a) { b v; } }", "v",
	       "inline int f() { if (a) { b v; } }");
	expect(DIALECT_CONSTEXPR,
	       "{ constexpr int g; } static constexpr T f(){ if constexpr (n) { b v; } }", "v",
	       "{ constexpr int g; } static inline T f(){ if constexpr (n) { b v; } }");
	expect(DIALECT_CONSTEXPR, "constexpr int g() { f([](int x) constexpr { b v; }); }", "v",
	       "constexpr int g() { f([](int x)  { b v; }); }");
	expect(DIALECT_CONSTEXPR, "/* constexpr { */ int f() { b v; }", "v", NULL);
}

static void calls_that_the_host_lacks_are_of_the_device(void **state)
{
	(void)state;
	expect(DIALECT_DEVICE_CALL, "{ int a = f(x, g(y)); }", "f(",
	       "{ int a = __cudasim_device_call(x, g(y)); }");
	expect(DIALECT_DEVICE_CALL, "{ return f (x); }", "f (",
	       "{ return __cudasim_device_call (x); }");
	/* It did not help, is declared here, belongs to somebody, or is no call. */
	expect(DIALECT_DEVICE_CALL, "{ __cudasim_device_call(x); }", "__cud", NULL);
	expect(DIALECT_DEVICE_CALL, "int f(x);", "f(", NULL);
	expect(DIALECT_DEVICE_CALL, "{ a::f(x); }", "f(", NULL);
	expect(DIALECT_DEVICE_CALL, "{ a.f(x); }", "f(", NULL);
	expect(DIALECT_DEVICE_CALL, "{ f + x; }", "f +", NULL);
}

static void bodies_of_unused_templates_are_not_read(void **state)
{
	(void)state;
	expect(DIALECT_UNREAD, "template <class T> T f(T t)\n{\n\treturn none(t);\n}\nint x;",
	       "none",
	       "template <class T> T f(T t)\n{ static_assert(sizeof(T *) == 0, \"" DIALECT_UNREAD_USED
	       "\");\n\n}\nint x;");
	expect(DIALECT_UNREAD,
	       "struct s { template <class, a<b, 3> N = 4> void f() { N > none; } };", "none",
	       "struct s { template <class, a<b, 3> N = 4> void f() { static_assert(N != N, "
	       "\"" DIALECT_UNREAD_USED "\");} };");
	expect(DIALECT_UNREAD, "template <typename... T> void f() { none; }", "none",
	       "template <typename... T> void f() { static_assert(sizeof...(T) + 1 == 0, "
	       "\"" DIALECT_UNREAD_USED "\");}");
	/* It is used all the same, takes no parameter by name, or is none. */
	expect(DIALECT_UNREAD,
	       "template <class T> void f() { static_assert(0, \"" DIALECT_UNREAD_USED "\"); }",
	       "static", NULL);
	expect(DIALECT_UNREAD, "template <class, int> void f() { none; }", "none", NULL);
	expect(DIALECT_UNREAD, "template <> void f<int>() { none; }", "none", NULL);
	expect(DIALECT_UNREAD, "void f() { none; }", "none", NULL);
	expect(DIALECT_UNREAD, "template <class T> s<T>::s() : none(3) {}", "none", NULL);
}

static void functions_of_one_side_are_declared_so(void **state)
{
	(void)state;
	expect(DIALECT_DEVICE, "__device__ int f(int);", "f(",
	       "__device__ int __cudasim_host_too f(int);");
	expect(DIALECT_HOST, "struct a { a(int); };", "a(",
	       "struct a { __cudasim_device_too a(int); };");
	/* It did not help, or is not the first declaration. */
	expect(DIALECT_DEVICE, "int __cudasim_host_too f();", "f()", NULL);
	expect(DIALECT_DEVICE, "int a<b>::f();", "f()", NULL);
}

static void macros_are_expanded_first(void **state)
{
	(void)state;
	char path[] = "/tmp/test_dialect_XXXXXX";
	int file = mkstemp(path);
	assert_true(file >= 0);
	static const char definitions[] = "#define PLAIN __shared__ /* , */ alignas(8)\n"
					  "#  define VAR(T, x, ...) \\\n"
					  "\t__shared__ T x##_v, __VA_ARGS__; f(#x, 'x', T)\n"
					  "#define NONE() __shared__ alignas(4)\n";
	assert_int_equal(write(file, definitions, sizeof definitions - 1), sizeof definitions - 1);
	close(file);
	struct dialect_spot spot = {.kind = DIALECT_ATTRIBUTE,
				    .n_macros = 1,
				    .macros = {{.name = (char *)"PLAIN", .path = path, .line = 1}}};
	expect_spot(spot, "{ PLAIN int s; }", "PLAIN", "{  __shared__ alignas(8)  int s; }");
	spot.kind = DIALECT_CONSTRUCTOR;
	spot.macros[0] = (struct dialect_macro){.name = (char *)"VAR", .path = path, .line = 3};
	expect_spot(spot, "{ VAR(a, d,\n e, f(g, h)); h; }", "d,",
		    "{  __shared__ a d_v, e, f(g, h); f(\"d\", 'x', a) \n; h; }");
	spot.kind = DIALECT_ATTRIBUTE;
	spot.macros[0] = (struct dialect_macro){.name = (char *)"NONE", .path = path, .line = 4};
	expect_spot(spot, "NONE() int x;", "NONE", " __shared__ alignas(4)  int x;");
	expect_spot(spot, "NONE int x;", "NONE", NULL);
	expect_spot(spot, "NONE(", "NONE", NULL);
	spot.macros[0].line = 99;
	expect_spot(spot, "NONE() int x;", "NONE", NULL);
	unlink(path);
	expect_spot(spot, "NONE() int x;", "NONE", NULL);
}

static void places_beyond_the_text_are_nothing(void **state)
{
	(void)state;
	for (unsigned line = 1; line < 4; line++)
		for (unsigned column = 1; column < 60; column++)
			for (int kind = DIALECT_ATTRIBUTE; kind <= DIALECT_HOST_CALL; kind++) {
				struct dialect_spot spot = {.line = line,
							    .column = column,
							    .kind = (enum dialect_kind)kind};
				free(dialect_mend("{ __shared__ alignas(4\n[[ int x; }", &spot));
				free(dialect_mend("extern __shared__", &spot));
				free(dialect_mend("", &spot));
			}
}

static void spots_are_read_from_errors_only(void **state)
{
	(void)state;
	struct dialect_spot *spots;
	size_t n = dialect_find_spots(
		"In file included from a.cu:1:\n"
		"dir:x/b.h:12:34: error: an attribute list cannot appear here\n"
		"   12 | text: error: x\n"
		"a.cu:3:4: warning: an attribute list cannot appear here\n"
		"a.cu:5:6: error: something else\n"
		"a.cu:7:8: error: initialization is not supported for __shared__ variables\n"
		"m.h:9:10: note: expanded from macro 'SHARED'\n"
		"a.cu:11:12: error: reference to __host__ function 'h' in __host__ __device__ function\n"
		"a.cu:1:1: note: 'h' declared here\n"
		"a.cu:2:2: note: called by 'k'\n"
		"a.cu:13:14: error: reference to __host__ function 'h' in __device__ function\n"
		"a.cu:2:2: note: called by 'k'\n",
		&spots);
	assert_int_equal(n, 4);
	assert_int_equal(spots[2].kind, DIALECT_PRAGMA);
	assert_string_equal(spots[2].path, "m.h");
	assert_int_equal(spots[2].line, 9);
	assert_int_equal(spots[2].column, 10);
	assert_int_equal(spots[1].n_macros, 1);
	assert_string_equal(spots[1].macros[0].name, "SHARED");
	assert_string_equal(spots[1].macros[0].path, "m.h");
	assert_int_equal(spots[1].macros[0].line, 9);
	assert_false(spots[1].called);
	assert_int_equal(spots[3].kind, DIALECT_HOST_CALL);
	assert_true(spots[3].called);
	assert_string_equal(spots[0].path, "dir:x/b.h");
	assert_int_equal(spots[0].line, 12);
	assert_int_equal(spots[0].column, 34);
	assert_int_equal(spots[0].kind, DIALECT_ATTRIBUTE);
	assert_int_equal(spots[1].kind, DIALECT_CONSTRUCTOR);
	assert_int_equal(spots[1].line, 7);
	dialect_free_spots(spots, n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes_move_to_the_front),
		cmocka_unit_test(operands_of_asm_get_commas),
		cmocka_unit_test(lists_of_variable_length_arrays_become_calls),
		cmocka_unit_test(extern_scalars_become_arrays),
		cmocka_unit_test(guides_are_of_both_sides),
		cmocka_unit_test(wrong_operands_of_asm_stay_text),
		cmocka_unit_test(constructed_variables_become_storage),
		cmocka_unit_test(pragmas_in_macros_become_operators),
		cmocka_unit_test(braces_of_launches_become_extents),
		cmocka_unit_test(parted_launches_are_joined),
		cmocka_unit_test(alignas_below_the_natural_one_is_gnus),
		cmocka_unit_test(main_gets_its_type),
		cmocka_unit_test(pointers_are_cast_twice),
		cmocka_unit_test(jumps_pass_over_declarations_only),
		cmocka_unit_test(unrolls_without_a_loop_go),
		cmocka_unit_test(special_registers_get_their_percent),
		cmocka_unit_test(functions_that_call_the_host_are_not_emitted),
		cmocka_unit_test(member_templates_are_called_so),
		cmocka_unit_test(dependent_types_are_told_as_such),
		cmocka_unit_test(constants_ask_for_no_object),
		cmocka_unit_test(offsets_go_through_no_pointer),
		cmocka_unit_test(functions_that_cannot_be_constant_are_not),
		cmocka_unit_test(calls_that_the_host_lacks_are_of_the_device),
		cmocka_unit_test(bodies_of_unused_templates_are_not_read),
		cmocka_unit_test(functions_of_one_side_are_declared_so),
		cmocka_unit_test(macros_are_expanded_first),
		cmocka_unit_test(places_beyond_the_text_are_nothing),
		cmocka_unit_test(spots_are_read_from_errors_only),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
