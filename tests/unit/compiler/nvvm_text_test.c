/* SPDX-License-Identifier: Apache-2.0 */
/* nvvm_text_test.c - texts of old versions of LLVM's assembly language, and what they are with
 * opaque pointers, both written by hand after the language references of those versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "opaque_pointers.h"

static void becomes(const char *old, const char *expected)
{
	struct opaque_text made;
	opaque_pointers(old, strlen(old), &made);
	assert_string_equal(made.text.at, expected);
	opaque_text_fini(&made);
}

static void stays(const char *text)
{
	becomes(text, text);
}

static void pointers_lose_what_they_point_to(void **state)
{
	(void)state;
	becomes("store i32 1, i32* %p", "store i32 1, ptr %p");
	becomes("store i8** null, i8*** %p", "store ptr null, ptr %p");
	becomes("%T = type { i32, %T*, [4 x i8*] }", "%T = type { i32, ptr, [4 x ptr] }");
	becomes("%P = type <{ i8, float* }>", "%P = type <{ i8, ptr }>");
	becomes("%v = load <4 x i32*>, <4 x i32*>* %p", "%v = load <4 x ptr>, ptr %p");
	becomes("%x = load i32, i32 addrspace(3)* %p", "%x = load i32, ptr addrspace(3) %p");
	becomes("i32 addrspace(1)* addrspace(3)* %p", "ptr addrspace(3) %p");
	becomes("@p = global i32 addrspace( 4 ) * null", "@p = global ptr addrspace(4) null");
	becomes("bitcast (i8* @a to [2 x i8]*)", "bitcast (ptr @a to ptr)");
	becomes("%\"a b\"* %\"c d\"", "ptr %\"c d\"");
	becomes("%0* %1", "ptr %1");
}

static void functions_lose_it_in_their_types(void **state)
{
	(void)state;
	becomes("void (i32*, i8*)* %f", "ptr %f");
	becomes("declare i8* (i32*)* @f(i32 (...)*)", "declare ptr @f(ptr)");
	becomes("call i32 (i8*, ...) @printf(i8* %f, i32 1)",
		"call i32 (ptr, ...) @printf(ptr %f, i32 1)");
	becomes("call void %f(i32* %p)", "call void %f(ptr %p)");
	becomes("call void %f()", "call void %f()");
	becomes("{ i32 (%S*)*, i8 }* @table", "ptr @table");
	becomes("!{void (i32*)* @k, !\"kernel\", i32 1}", "!{ptr @k, !\"kernel\", i32 1}");
}

static void attributes_take_it(void **state)
{
	(void)state;
	becomes("define void @f(%S* byval align 8 %p)", "define void @f(ptr byval(%S) align 8 %p)");
	becomes("define void @f({ i32, i8* }* noalias sret %r, i32 %x)",
		"define void @f(ptr noalias sret({ i32, ptr }) %r, i32 %x)");
	becomes("define void @f(%S* byval(%S) %p)", "define void @f(ptr byval(%S) %p)");
	becomes("call void @f(%S addrspace(5)* byval(%S*) %p)",
		"call void @f(ptr addrspace(5) byval(ptr) %p)");
	becomes("i32* dereferenceable(4) %p", "ptr dereferenceable(4) %p");
	becomes("[2 x float]* dereferenceable(8) byval %p",
		"ptr dereferenceable(8) byval([2 x float]) %p");
}

static void other_text_stays(void **state)
{
	(void)state;
	stays("; i32* in a comment\n@s = constant [3 x i8] c\"i8*\"\n");
	stays("%x = mul nsw i32 %a, %b ; *\n");
	stays("call void asm sideeffect \"st.u32 [$0], i32* ;\", \"l\"(i64 %p)");
	stays("switch i32 %x, label %d [\n i32 0, label %a\n i32 1, label %b ]");
	stays("%x = phi i32 [ 0, %a ], [ %y, %b ]");
	stays("@a = constant [2 x i32] [i32 1, i32 2]");
	stays("@v = constant <2 x i32> <i32 1, i32 2>");
	stays("@s = constant { i32, { i8 } } { i32 1, { i8 } { i8 2 } }");
	stays("define void @f(ptr byval(%S) %p) {\nentry:\n ret void\n}\n");
	stays("!1 = !DILocalVariable(name: \"i32*\", arg: 1, scope: !2, type: !3)");
	stays("float:\n br label %float\n");
	stays("@x = global float 0x3FF0000000000000 ; 1.0e+5\n@y = global double 1.0e+5\n");
}

static void constants_in_braces_are_no_types(void **state)
{
	(void)state;
	becomes("@s = global { i8*, i32 } { i8* getelementptr ([2 x i8], [2 x i8]* @t, i64 0, i64 "
		"0), i32 1 }",
		"@s = global { ptr, i32 } { ptr getelementptr ([2 x i8], ptr @t, i64 0, i64 "
		"0), i32 1 }");
	becomes("[1 x i8*] [i8* bitcast (void ()* @k to i8*)]",
		"[1 x ptr] [ptr bitcast (ptr @k to ptr)]");
}

static void loads_and_addresses_name_the_type(void **state)
{
	(void)state;
	becomes("%x = load i32* %p, align 4", "%x = load i32, ptr %p, align 4");
	becomes("%x = load volatile %S* addrspace(1)* %p",
		"%x = load volatile ptr, ptr addrspace(1) %p");
	becomes("%q = getelementptr inbounds [4 x i32*]* %p, i64 0, i64 1",
		"%q = getelementptr inbounds [4 x ptr], ptr %p, i64 0, i64 1");
	becomes("load i32* getelementptr inbounds ([2 x i32]* @a, i32 0, i32 1)",
		"load i32, ptr getelementptr inbounds ([2 x i32], ptr @a, i32 0, i32 1)");
	/* In a text with one of them, calls name a pointer to the function's type. */
	becomes("%x = load i32* %p\ncall void (i8*, ...)* @f(i8* null)",
		"%x = load i32, ptr %p\ncall void (ptr, ...) @f(ptr null)");
	becomes("call void (i32)* @f(i32 1)", "call ptr @f(i32 1)");
	becomes("call void (i32)* @f(i32 1)\n%x = load i32* %p",
		"call void (i32) @f(i32 1)\n%x = load i32, ptr %p");
}

static void metadata_lose_their_type(void **state)
{
	(void)state;
	becomes("!0 = metadata !{void ()* @k, metadata !\"kernel\", i32 1}",
		"!0 =  !{ptr @k,  !\"kernel\", i32 1}");
	becomes("!0 = metadata !{metadata !1, null}\n!1 = metadata !{i32 1}",
		"!0 =  !{ !1, null}\n!1 =  !{i32 1}");
	becomes("!0 = metadata !{i32 1}\n%h = call i64 @h(metadata !{i64 addrspace(1)* @t}, i64 1)",
		"!0 =  !{i32 1}\n%h = call i64 @h(metadata ptr addrspace(1) @t, i64 1)");
	stays("call void @llvm.dbg.value(metadata i32 %x, metadata !12, metadata !DIExpression())");
}

static void old_debug_information_is_left_out(void **state)
{
	(void)state;
	const char *old = "declare void @llvm.dbg.declare(metadata, metadata) #1\n"
			  "!llvm.dbg.cu = !{!0}\n"
			  "call void @llvm.dbg.declare(metadata !{i32* %x}, metadata !3), !dbg !4\n"
			  "ret void, !dbg !4\n"
			  "!4 = metadata !{i32 1, i32 0, metadata !2, null}\n";
	struct opaque_text made;
	opaque_pointers(old, strlen(old), &made);
	assert_string_equal(made.text.at, "\n\n\nret void\n!4 =  !{i32 1, i32 0,  !2, null}\n");
	assert_true(made.dropped_debug);
	opaque_text_fini(&made);
}

static void cmpxchg_returned_the_value(void **state)
{
	(void)state;
	becomes("%y = load i32* %p\n%x = cmpxchg i32* %p, i32 %a, i32 %b acq_rel\nret void",
		"%y = load i32, ptr %p\n%\"cmpxchg pair 0\" = cmpxchg ptr %p, i32 %a, i32 %b acq_rel "
		"acquire %x = extractvalue { i32, i1 } %\"cmpxchg pair 0\", 0\nret void");
	becomes("%x = cmpxchg volatile i32* %p, i32 %a, i32 %b monotonic monotonic",
		"%x = cmpxchg volatile ptr %p, i32 %a, i32 %b monotonic monotonic");
}

static void fields_of_functions_are_renamed(void **state)
{
	(void)state;
	becomes("!5 = distinct !DISubprogram(name: \"f\", variables: !6)\n!6 = !{}",
		"!5 = distinct !DISubprogram(name: \"f\", retainedNodes: !6)\n!6 = !{}");
}

static void hints_of_old_are_left_out(void **state)
{
	(void)state;
	becomes("getelementptr ({ [2 x i8*] }, { [2 x i8*] }* @v, i32 0, inrange i32 0, i32 1)",
		"getelementptr ({ [2 x ptr] }, ptr @v, i32 0,  i32 0, i32 1)");
	stays("getelementptr inrange(-8, 8) ({ [2 x ptr] }, ptr @v, i32 0, i32 0, i32 1)");
	becomes("ret void\nuselistorder i8* null, { 1, 0 }\n}", "ret void\n\n}");
}

static void places_are_the_original_ones(void **state)
{
	(void)state;
	const char *old =
		"define void @f({ i32,\n i8* }* %p, i32* %q) {\n  %x = load i32, i32* %q, foo\n";
	struct opaque_text made;
	opaque_pointers(old, strlen(old), &made);
	assert_string_equal(made.text.at,
			    "define void @f(ptr\n %p, ptr %q) {\n  %x = load i32, ptr %q, foo\n");
	unsigned line = 3, column = 26; /* foo */
	opaque_place(&made, old, &line, &column);
	assert_int_equal(line, 3);
	assert_int_equal(column, 27);
	line = 2, column = 6; /* ptr %q */
	opaque_place(&made, old, &line, &column);
	assert_int_equal(line, 2);
	assert_int_equal(column, 13);
	opaque_text_fini(&made);
}

static void damaged_text_comes_through(void **state)
{
	(void)state;
	stays("");
	stays("{");
	stays("@s = constant c\"open");
	stays("i32 (i32 (i32 (");
	stays("[4 x [4 x [4 x");
	stays("!");
	stays("%x = cmpxchg");
	becomes("load i32*", "load i32, ptr");
	becomes("addrspace(1)* i8 addrspace(", "addrspace(1)* i8 addrspace(");
	/* The exchange's ordering within what is taken as one piece. */
	static const char within[] = "%y = load i32* %p\n%x = cmpxchg i32* %p, "
				     "u(metadata !{i32 = g b @k [( x i32]* %p, i64 0, i32 seq_cst\n"
				     "tail call void @f(metadata !{i32 0";
	struct opaque_text made;
	opaque_pointers(within, sizeof within - 1, &made);
	assert_non_null(strstr(made.text.at, "seq_cst\ntail call void @f"));
	opaque_text_fini(&made);
	/* Deeper than is read. */
	char deep[1025];
	memset(deep, '{', 1024);
	deep[1024] = 0;
	stays(deep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pointers_lose_what_they_point_to),
		cmocka_unit_test(functions_lose_it_in_their_types),
		cmocka_unit_test(attributes_take_it),
		cmocka_unit_test(other_text_stays),
		cmocka_unit_test(constants_in_braces_are_no_types),
		cmocka_unit_test(loads_and_addresses_name_the_type),
		cmocka_unit_test(metadata_lose_their_type),
		cmocka_unit_test(old_debug_information_is_left_out),
		cmocka_unit_test(cmpxchg_returned_the_value),
		cmocka_unit_test(fields_of_functions_are_renamed),
		cmocka_unit_test(hints_of_old_are_left_out),
		cmocka_unit_test(places_are_the_original_ones),
		cmocka_unit_test(damaged_text_comes_through),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
