/* SPDX-License-Identifier: Apache-2.0 */
/* Where do warps have to meet? Functions as pass_converge shows them to the
 * analysis: each access behind a marker with its number. The answers follow
 * from what lanes in lockstep would have seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#include "lockstep.h"
#include "lockstep_origin.h"

static const char prelude[] =
	"@s = internal addrspace(3) global [64 x i32] undef\n"
	"@r = internal addrspace(3) global [64 x i32] undef\n"
	"declare void @__cudasim_barrier(i32, i32, ptr)\n"
	"declare void @__cudasim_syncwarp(i32, ptr)\n"
	"declare i32 @__cudasim_activemask(ptr)\n"
	"declare void @__cudasim_lockstep_mark(i32)\n"
	"declare i32 @__cudasim_nvvm_read_ptx_sreg_tid_x()\n"
	"declare i32 @__cudasim_nvvm_read_ptx_sreg_ntid_x()\n"
	"declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
	"declare void @llvm.memcpy.p3.p3.i64(ptr addrspace(3), ptr addrspace(3), i64, i1)\n"
	"define void @f(ptr %global, i32 %d, i1 %c) {\n"
	"  %t = call i32 @__cudasim_nvvm_read_ptx_sreg_tid_x()\n"
	"  %own = getelementptr i32, ptr addrspace(3) @s, i32 %t\n"
	"  %next = add i32 %t, %d\n"
	"  %other = getelementptr i32, ptr addrspace(3) @s, i32 %next\n"
	"  %nearer = getelementptr i32, ptr addrspace(3) %other, i32 -1\n"
	"  %elsewhere = getelementptr i32, ptr addrspace(3) @r, i32 %next\n";

#define MARK(n) "  call void @__cudasim_lockstep_mark(i32 " #n ")\n"
#define BARRIER "  call void @__cudasim_barrier(i32 0, i32 0, ptr null)\n"
#define SYNCWARP "  call void @__cudasim_syncwarp(i32 -1, ptr null)\n"
#define STORE(n, to) MARK(n) "  store i32 1, ptr addrspace(3) " to "\n"
#define LOAD(n, from) MARK(n) "  %v" #n " = load i32, ptr addrspace(3) " from "\n"
#define ATOMIC(n, to) MARK(n) \
	"  %v" #n " = atomicrmw add ptr addrspace(3) " to ", i32 1 seq_cst\n"

/* Analyses the function with this body; wanted[i] is '1' where access i has to
 * be preceded by a meeting, '2' where it has to be parted by one, '4' where the block has to
 * linger behind it. */
static void check(const char *body, const char *wanted)
{
	char text[8192], got[33] = "";
	unsigned char meet[32] = { 0 };
	LLVMContextRef context = LLVMContextCreate();
	LLVMModuleRef module;
	char *message = NULL;

	snprintf(text, sizeof text, "%s%s  ret void\n}\n", prelude, body);
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
		text, strlen(text), "test");
	if (LLVMParseIRInContext(context, buffer, &module, &message))
		fail_msg("%s", message);
	LLVMValueRef shared[] = { LLVMGetNamedGlobal(module, "s"), LLVMGetNamedGlobal(module, "r") };
	struct lockstep_origins *origins = lockstep_origins_new(module, shared, 2);
	lockstep_analyse(LLVMGetNamedFunction(module, "f"), origins, meet);
	lockstep_origins_free(origins);
	lockstep_analyse_lingering(LLVMGetNamedFunction(module, "f"), shared, 2, meet);
	for (size_t i = 0; i < strlen(wanted); i++)
		got[i] = (char)('0' + meet[i]);
	assert_string_equal(got, wanted);
	LLVMDisposeModule(module);
	LLVMContextDispose(context);
}

static void a_load_of_anothers_store_meets(void **state)
{
	(void)state;
	check(STORE(0, "%own") LOAD(1, "%other"), "01");
}

static void a_barrier_is_a_meeting(void **state)
{
	(void)state;
	check(STORE(0, "%own") BARRIER LOAD(1, "%other"), "00");
	check(STORE(0, "%own") SYNCWARP LOAD(1, "%other"), "00");
}

static void a_barrier_on_one_way_only_is_none(void **state)
{
	(void)state;
	check(STORE(0, "%own")
	      "  br i1 %c, label %a, label %b\n"
	      "a:\n" BARRIER "  br label %b\n"
	      "b:\n" LOAD(1, "%other"), "01");
}

static void ones_own_address_needs_none(void **state)
{
	(void)state;
	check(STORE(0, "%own") LOAD(1, "%own"), "00");
	check(STORE(0, "%own")
	      "  br i1 %c, label %a, label %b\n"
	      "a:\n  br label %b\n"
	      "b:\n" LOAD(1, "%own"), "00");
}

static void different_variables_do_not_meet(void **state)
{
	(void)state;
	check(STORE(0, "%own") LOAD(1, "%elsewhere"), "00");
}

/* As inline PTX has it. */
static void an_address_may_be_an_integer(void **state)
{
	(void)state;
	check(STORE(0, "%own")
	      "  %n = ptrtoint ptr addrspace(3) %other to i32\n"
	      "  %m = add i32 %n, 4\n"
	      "  %p = inttoptr i32 %m to ptr addrspace(3)\n" LOAD(1, "%p"), "01");
	check(STORE(0, "%own")
	      "  %p = inttoptr i32 %d to ptr addrspace(3)\n" LOAD(1, "%p"), "01");
	check(STORE(0, "%own")
	      "  %n = ptrtoint ptr addrspace(3) %elsewhere to i32\n"
	      "  %p = inttoptr i32 %n to ptr addrspace(3)\n" LOAD(1, "%p"), "00");
}

static void an_address_may_lie_in_an_aggregate(void **state)
{
	(void)state;
	check("  %both = insertvalue {ptr addrspace(3), ptr addrspace(3)} poison, "
	      "ptr addrspace(3) %other, 0\n"
	      "  %all = insertvalue {ptr addrspace(3), ptr addrspace(3)} %both, "
	      "ptr addrspace(3) %elsewhere, 1\n"
	      "  %first = extractvalue {ptr addrspace(3), ptr addrspace(3)} %all, 0\n"
	      "  %second = extractvalue {ptr addrspace(3), ptr addrspace(3)} %all, 1\n"
	      STORE(0, "%own") LOAD(1, "%second") LOAD(2, "%first"), "001");
}

static void an_address_may_lie_in_a_local(void **state)
{
	(void)state;
	check("  %l = alloca [2 x ptr addrspace(3)]\n"
	      "  %k = alloca [2 x ptr addrspace(3)]\n"
	      "  %at = getelementptr ptr, ptr %l, i32 %d\n"
	      "  %too = getelementptr ptr, ptr %k, i32 %d\n"
	      "  store ptr addrspace(3) %other, ptr %at\n"
	      "  store ptr addrspace(3) %elsewhere, ptr %too\n" STORE(0, "%own")
	      "  %q = load ptr addrspace(3), ptr %too\n" LOAD(1, "%q")
	      "  %p = load ptr addrspace(3), ptr %at\n" LOAD(2, "%p"), "001");
}

#define TYPE "{ [2 x ptr], ptr, ptr }"
/* A structure of an array and a pointer to shared memory, then one to global memory. */
#define AGENT "  %agent = alloca " TYPE "\n" \
	"  %shared = addrspacecast ptr addrspace(3) @s to ptr\n" \
	"  %array = getelementptr " TYPE ", ptr %agent, i32 0, i32 0\n" \
	"  %one = getelementptr " TYPE ", ptr %agent, i32 0, i32 1\n" \
	"  %two = getelementptr " TYPE ", ptr %agent, i32 0, i32 2\n" \
	"  store ptr %global, ptr %array\n" \
	"  store ptr %shared, ptr %one\n" \
	"  store ptr %global, ptr %two\n"
/* A store to one's own element and a load of another's, by the pointer that lies at from. */
#define ACCESSES(from) "  %p = load ptr, ptr " from "\n" \
	"  %to = getelementptr i32, ptr %p, i32 %t\n" MARK(0) "  store i32 1, ptr %to\n" \
	"  %at = getelementptr i32, ptr %p, i32 %next\n" MARK(1) "  %v = load i32, ptr %at\n"
/* The same in a loop of one round, whose counter is %k. */
#define ROUND(at, from) "  br label %head\n" \
	"head:\n  %k = phi i32 [ 0, %0 ], [ %more, %body ]\n" \
	"  %go = icmp slt i32 %k, 1\n  br i1 %go, label %body, label %end\n" \
	"body:\n  %more = add i32 %k, 1\n  %i = sext i32 %k to i64\n" at ACCESSES(from) \
	"  br label %head\nend:\n"

static void fields_are_told_apart(void **state)
{
	(void)state;
	check(AGENT ACCESSES("%one"), "01");
	check(AGENT ACCESSES("%two"), "00");
	check(AGENT ACCESSES("%array"), "00");
	/* Copied as a whole, and in part; also by a length that nobody knows. */
	check(AGENT "  %copy = alloca " TYPE "\n"
	      "  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %agent, i64 32, i1 false)\n"
	      "  %f = getelementptr i8, ptr %copy, i64 24\n" ACCESSES("%f"), "00");
	check(AGENT "  %copy = alloca " TYPE "\n"
	      "  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %one, i64 16, i1 false)\n"
	      ACCESSES("%copy"), "01");
	check(AGENT "  %copy = alloca " TYPE "\n  %n = sext i32 %d to i64\n"
	      "  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %agent, i64 %n, i1 false)\n"
	      "  %f = getelementptr i8, ptr %copy, i64 24\n" ACCESSES("%f"), "00");
	check(AGENT "  %copy = alloca " TYPE "\n  %n = sext i32 %d to i64\n"
	      "  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %one, i64 %n, i1 false)\n"
	      "  %f = getelementptr i8, ptr %copy, i64 24\n" ACCESSES("%f"), "01");
	/* Half of the address is written anew. */
	check(AGENT "  store i32 1, ptr %one\n" ACCESSES("%one"), "01");
}

static void an_index_hits_what_it_may_reach(void **state)
{
	(void)state;
	check(AGENT ROUND("  %f = getelementptr ptr, ptr %two, i64 %i\n", "%f"), "00");
	check(AGENT ROUND("  %f = getelementptr ptr, ptr %one, i64 %i\n", "%f"), "11");
	check(AGENT "  %f = getelementptr " TYPE ", ptr %agent, i32 0, i32 0, i32 %d\n"
	      ACCESSES("%f"), "00");
	check(AGENT "  %f = getelementptr ptr, ptr %two, i32 %d\n" ACCESSES("%f"), "01");
	check(AGENT "  %f = getelementptr ptr, ptr %array, i32 %d\n" ACCESSES("%f"), "01");
	check(AGENT "  %f = select i1 %c, ptr %one, ptr %two\n" ACCESSES("%f"), "01");
	/* What is stored by an index may lie in any field. */
	check(AGENT "  %any = getelementptr ptr, ptr %array, i32 %d\n"
	      "  store ptr %shared, ptr %any\n" ACCESSES("%two"), "01");
}

static void called_functions_begin_and_end_with_a_doubt(void **state)
{
	(void)state;
	check(LOAD(0, "%own")
	      "  br i1 %c, label %again, label %end\n"
	      "again:\n  call void @f(ptr null, i32 1, i1 false)\n  br label %end\n"
	      "end:\n" STORE(1, "%own") LOAD(2, "%own"), "111");
}

static void global_memory_is_not_looked_at(void **state)
{
	(void)state;
	check(MARK(0) "  store i32 1, ptr %global\n" MARK(1) "  %x = load i32, ptr %global\n", "00");
}

/* v[t] += v[t + d]; v[t] += v[t + d - 1] */
static void warp_synchronous_steps_meet_both_ways(void **state)
{
	(void)state;
	check(LOAD(0, "%other") LOAD(1, "%own") STORE(2, "%own")
	      LOAD(3, "%nearer") LOAD(4, "%own") STORE(5, "%own"), "001101");
}

/* The same with barriers, as block reductions are written. */
static void barriered_steps_stay_bare(void **state)
{
	(void)state;
	check(STORE(0, "%own") BARRIER "  br label %loop\n"
	      "loop:\n  %low = icmp slt i32 %t, %d\n  br i1 %low, label %arm, label %join\n"
	      "arm:\n" LOAD(1, "%other") LOAD(2, "%own") STORE(3, "%own") "  br label %join\n"
	      "join:\n" BARRIER "  br i1 %c, label %loop, label %end\n"
	      "end:\n" LOAD(4, "@s"), "00000");
}

/* Other lanes load what a lane stores, and have to come first. */
static void a_store_over_anothers_load_meets(void **state)
{
	(void)state;
	check(LOAD(0, "%other") STORE(1, "%own"), "01");
	check(LOAD(0, "%other") ATOMIC(1, "%own"), "01");
	check(LOAD(0, "%other") SYNCWARP STORE(1, "%own"), "00");
	check(LOAD(0, "%own") STORE(1, "%other"), "01");
	check(LOAD(0, "%own") STORE(1, "%own"), "00");
	check(LOAD(0, "@s") STORE(1, "%own"), "01");
	check(LOAD(0, "%elsewhere") STORE(1, "%own"), "00");
	check("  %half = lshr i32 %t, 1\n  %p = getelementptr i32, ptr addrspace(3) @s, i32 %half\n"
	      LOAD(0, "%p") STORE(1, "%p"), "01"); /* two lanes' */
	check("  %near = xor i32 %t, 1\n  %p = getelementptr i32, ptr addrspace(3) @s, i32 %near\n"
	      LOAD(0, "%p") STORE(1, "%own"), "01");
	/* A loop that loads nothing meets once, before it. */
	check(LOAD(0, "%other") MARK(1) "  br label %loop\n"
	      "loop:\n" STORE(2, "%own") MARK(3) "  br i1 %c, label %loop, label %end\n"
	      "end:\n", "0100");
}

#define WHEN(condition, body) \
	"  %if = " condition "\n  br i1 %if, label %then, label %endif\n" \
	"then:\n" body "  br label %endif\nendif:\n"

/* Trees of all kinds, by what keeps the lanes that store below those that others load. */
static void conditions_keep_lanes_apart(void **state)
{
	(void)state;
#define STEP LOAD(0, "%other") LOAD(1, "%own") STORE(2, "%own")
	check(WHEN("icmp slt i32 %t, %d", STEP), "000");
	check(WHEN("icmp ult i32 %t, %d", STEP), "000");
	check(WHEN("icmp sgt i32 %d, %t", STEP), "000");
	check(WHEN("icmp sle i32 %t, %d", STEP), "001");
	check(WHEN("icmp ne i32 %t, %d", STEP), "001");
	check(WHEN("icmp slt i32 %d, %t", STEP), "001");
	/* elements 16 to 31 are loaded, below 16 stored; and one more */
#define FAR(n) "  %far = add i32 %t, 16\n  %p = getelementptr i32, ptr addrspace(3) @s, i32 %far\n" \
	LOAD(0, "%p") STORE(1, "%own")
	check(WHEN("icmp slt i32 %t, 16", FAR()), "00");
	check(WHEN("icmp slt i32 %t, 17", FAR()), "01");
	check(FAR(), "01");
	/* one lane alone */
	check(WHEN("icmp eq i32 %t, 3", LOAD(0, "@s") STORE(1, "@s")), "00");
	check(WHEN("icmp ne i32 %t, 3", LOAD(0, "@s") STORE(1, "@s")), "01");
	/* t % (2 * d) == 0, where d doubles from 1 on */
#define DOUBLED(index) "  br label %head\nhead:\n  %n = phi i32 [ 1, %0 ], [ %n2, %endif ]\n" \
	"  %n2 = mul i32 %n, 2\n" index "  %far = add i32 %i, %n\n" \
	"  %p = getelementptr i32, ptr addrspace(3) @s, i32 %i\n" \
	"  %q = getelementptr i32, ptr addrspace(3) @s, i32 %far\n"
#define ROUND_END BARRIER "  br i1 %c, label %head, label %end\nend:\n"
	check(DOUBLED("  %i = mul i32 %n2, %t\n")
	      WHEN("icmp slt i32 %i, %d", LOAD(0, "%q") LOAD(1, "%p") STORE(2, "%p")) ROUND_END, "000");
	check(DOUBLED("  %i = mul i32 %n, %t\n")
	      WHEN("icmp slt i32 %i, %d", LOAD(0, "%q") LOAD(1, "%p") STORE(2, "%p")) ROUND_END, "001");
	check(DOUBLED("  %i = add i32 %t, 0\n  %rest = urem i32 %t, %n2\n")
	      WHEN("icmp eq i32 %rest, 0", LOAD(0, "%q") STORE(1, "%p")) ROUND_END, "00");
	check(DOUBLED("  %i = add i32 %t, 0\n  %rest = urem i32 %t, %n\n")
	      WHEN("icmp eq i32 %rest, 0", LOAD(0, "%q") STORE(1, "%p")) ROUND_END, "01");
	/* 2 * t - t % n and n more; t is taken apart by another number */
	check(DOUBLED("  %m = sub i32 %n, 1\n  %low = and i32 %t, %m\n  %tt = mul i32 %t, 2\n"
		      "  %i = sub i32 %tt, %low\n")
	      LOAD(0, "%p") LOAD(1, "%q") STORE(2, "%p") STORE(3, "%q") "  br label %endif\nendif:\n"
	      ROUND_END, "0000");
	check(DOUBLED("  %m = sub i32 %n2, 1\n  %low = and i32 %t, %m\n  %tt = mul i32 %t, 2\n"
		      "  %i = sub i32 %tt, %low\n")
	      LOAD(0, "%p") LOAD(1, "%q") STORE(2, "%p") STORE(3, "%q") "  br label %endif\nendif:\n"
	      ROUND_END, "0010");
}

/* Stages of a buffer: [2 x [32 x i32]]. */
#define STAGE(name, stage, index) \
	"  %" name " = getelementptr [2 x [32 x i32]], ptr addrspace(3) @s, i32 0, i32 " stage \
	", i32 " index "\n"
#define STAGES(first, second) "  br label %head\nhead:\n" \
	"  %k = phi i32 [ 0, %0 ], [ %other_k, %head ]\n  %other_k = sub i32 1, %k\n" \
	STAGE("from", first, "%d") STAGE("to", second, "%t")
static void stages_of_a_buffer_are_apart(void **state)
{
	(void)state;
#define BOTH(first, second) first second BARRIER "  br i1 %c, label %head, label %end\nend:\n"
	check(STAGES("%k", "%other_k") BOTH(LOAD(0, "%from"), STORE(1, "%to")), "00");
	check(STAGES("%k", "%k") BOTH(LOAD(0, "%from"), STORE(1, "%to")), "01");
	/* The next round's stage is another one. */
	check(STAGES("%k", "%k") STORE(0, "%to") BARRIER LOAD(1, "%from")
	      "  br i1 %c, label %head, label %end\nend:\n", "00");
	check(STAGES("0", "0") STORE(0, "%to") BARRIER LOAD(1, "%from")
	      "  br i1 %c, label %head, label %end\nend:\n", "10");
}

/* A value that each lane has its own of does not vanish from a distance. */
static void lanes_own_values_are_told_apart(void **state)
{
	(void)state;
#define LOOKED(n) "  %l = load i32, ptr %global\n" \
	"  %i = add i32 %l, " n "\n  %p = getelementptr i32, ptr addrspace(3) @s, i32 %i\n"
	check(LOOKED("%t") LOAD(0, "%p") STORE(1, "%p"), "01");
	check(LOOKED("%t") LOAD(0, "%p") STORE(1, "%own"), "01");
	check("  %m = and i32 %t, 15\n" LOOKED("%m") LOAD(0, "%p") STORE(1, "%p"), "01");
}

static void a_loop_meets_its_own_next_round(void **state)
{
	(void)state;
	check("  br label %loop\n"
	      "loop:\n" LOAD(0, "%other") STORE(1, "%own")
	      "  br i1 %c, label %loop, label %end\n"
	      "end:\n", "11");
}

#define WALK(access, begin, step)                                            \
	"  br label %loop\n"                                                 \
	"loop:\n  %i = phi i32 [ " begin ", %0 ], [ %j, %loop ]\n"           \
	"  %j = add i32 %i, " step "\n"                                      \
	"  %p = getelementptr i32, ptr addrspace(3) @s, i32 %i\n"            \
	MARK(0) "  store " access " i32 1, ptr addrspace(3) %p\n"            \
	"  br i1 %c, label %loop, label %end\n"                              \
	"end:\n" MARK(1) "  %v = load " access " i32, ptr addrspace(3) %p\n"

/* A thread that walks over addresses of its own needs no meeting, but volatile
 * says that others look on. */
/* Where only some lanes meet in a branch, the others wait at the end of the block behind
 * it: the next round's meetings are for all. */
static void a_round_ends_for_all_lanes(void **state)
{
	(void)state;
	check("  br label %loop\n"
	      "loop:\n" STORE(0, "%own") LOAD(1, "%other") STORE(2, "%own")
	      MARK(3) "  br i1 %c, label %arm, label %join\n"
	      "arm:\n" LOAD(4, "%nearer") MARK(5) "  br label %join\n"
	      "join:\n" MARK(6) "  br label %latch\n"
	      "latch:\n" MARK(7) "  br i1 %c, label %loop, label %end\n"
	      "end:\n", "11101010");
	check("  br label %loop\n"
	      "loop:\n" STORE(0, "%own") LOAD(1, "%other") STORE(2, "%own")
	      MARK(3) "  br i1 %c, label %arm, label %join\n"
	      "arm:\n" LOAD(4, "%nearer") MARK(5) "  br label %join\n"
	      "join:\n" BARRIER MARK(6) "  br label %latch\n"
	      "latch:\n" MARK(7) "  br i1 %c, label %loop, label %end\n"
	      "end:\n", "01101000");
}

static void a_walk_is_ones_own_unless_volatile(void **state)
{
	(void)state;
	check(WALK("", "%t", "32"), "00");
	check(WALK("", "%t", "1"), "01");
	check(WALK("", "0", "32"), "01");
	check(WALK("volatile", "%t", "32"), "01");
}

#define SREG "i32 @__cudasim_nvvm_read_ptx_sreg_"
/* for (j = 0; j < bound; j++) s[at] = s[at], with %at made by `make` of %t and %j. Where lanes may
 * come to each other's elements, a round begins for all. */
#define ROUNDS(bound, make)                                                 \
	"  %dim = call " SREG "ntid_x()\n"                                  \
	"  br label %head\n"                                                \
	"head:\n  %j = phi i32 [ 0, %0 ], [ %j1, %body ]\n"                 \
	"  %more = icmp slt i32 %j, " bound "\n"                            \
	"  br i1 %more, label %body, label %end\n"                          \
	"body:\n" make                                                      \
	"  %p = getelementptr i32, ptr addrspace(3) @s, i32 %at\n"          \
	LOAD(0, "%p") STORE(1, "%p") "  %j1 = add i32 %j, 1\n"              \
	"  br label %head\nend:\n"
#define ROW(length) "  %row = mul i32 %t, " length "\n  %at = add i32 %row, %j\n"

/* Rows of their own, s[t * w + j] with j < w; a row that is longer is the neighbour's, too. */
static void a_row_of_its_own_needs_none(void **state)
{
	(void)state;
	check(ROUNDS("8", ROW("8")), "00");
	check(ROUNDS("7", ROW("8")), "00");
	check(ROUNDS("9", ROW("8")), "10");
	check(ROUNDS("%d", ROW("8")), "10");
	check(ROUNDS("%d", ROW("%d")), "00");
	check(ROUNDS("%d", "  %w = add i32 %d, 1\n" ROW("%w")), "11"); /* d + 1 may be 0 */
	check("  %w = sdiv i32 %d, 2\n" ROUNDS("%w", ROW("%w")), "00");
	check(ROUNDS("%d", "  %w = sdiv i32 %d, 2\n" ROW("%w")), "11");
	check(ROUNDS("%dim", ROW("%dim")), "00");
	check(ROUNDS("8", "  %k = mul i32 %j, 2\n  %row = mul i32 %t, 8\n"
			  "  %at = add i32 %row, %k\n"), "10");
	check(ROUNDS("%d", "  %k = and i32 %j, 7\n  %row = mul i32 %t, 8\n"
			   "  %at = add i32 %row, %k\n"), "00");
}

static void a_column_of_its_own_needs_none(void **state)
{
	(void)state;
	check(ROUNDS("%d", "  %k = mul i32 %j, %dim\n  %at = add i32 %k, %t\n"), "00");
	check(ROUNDS("%d", "  %k = mul i32 %j, %d\n  %at = add i32 %k, %t\n"), "10");
	check(ROUNDS("%d", "  %k = shl i32 %j, 5\n  %at = add i32 %t, %k\n"), "00");
	check(ROUNDS("%d", "  %k = shl i32 %j, 4\n  %at = add i32 %t, %k\n"), "10");
	check(ROUNDS("%d", "  %k = mul i32 %j, 32\n  %b = mul i32 %j, %dim\n"
			   "  %l = add i32 %k, %b\n  %at = add i32 %t, %l\n"), "10");
	/* [warp][round][lane], and with 16 lanes */
	check(ROUNDS("%d", "  %lane = and i32 %t, 31\n  %warp = lshr i32 %t, 5\n"
			   "  %w = mul i32 %warp, %d\n  %r = add i32 %w, %j\n"
			   "  %k = mul i32 %r, 32\n  %at = add i32 %k, %lane\n"), "00");
	check(ROUNDS("%d", "  %lane = and i32 %t, 15\n  %k = mul i32 %j, 32\n"
			   "  %at = add i32 %k, %lane\n"), "11");
}

/* The way from %late into the cycle does not pass the one before its header. */
static void a_cycle_with_two_ways_in_meets_inside(void **state)
{
	(void)state;
	check(STORE(0, "%own") MARK(1) "  br i1 %c, label %early, label %late\n"
	      "early:\n" MARK(2) "  br label %top\n"
	      "late:\n" MARK(3) "  br label %in\n"
	      "top:\n" MARK(4) "  br label %in\n"
	      "in:\n" LOAD(5, "%other") MARK(6) "  br i1 %c, label %top, label %end\n"
	      "end:\n", "0000010");
}

/* A loop that only reads meets once, before it; one that also writes, inside. */
static void reading_loops_meet_before_they_begin(void **state)
{
	(void)state;
	check(STORE(0, "%own") MARK(1) "  br label %loop\n"
	      "loop:\n" LOAD(2, "%other")
	      MARK(3) "  br i1 %c, label %loop, label %end\n"
	      "end:\n", "0100");
	check(STORE(0, "%own") MARK(1) "  br label %loop\n"
	      "loop:\n" LOAD(2, "%other") STORE(3, "%own")
	      MARK(4) "  br i1 %c, label %loop, label %end\n"
	      "end:\n", "00110");
}

/* t = x[a]; x[a] = x[b]; x[b] += t, as scans sweep down: x[b] was loaded before. */
static void a_swap_needs_none(void **state)
{
	(void)state;
#define SWAP(odd) "  %a = mul i32 %t, 2\n  %b = add i32 %a, " odd "\n" \
	"  %p = getelementptr i32, ptr addrspace(3) @s, i32 %a\n" \
	"  %q = getelementptr i32, ptr addrspace(3) @s, i32 %b\n" \
	LOAD(0, "%p") LOAD(1, "%q") STORE(2, "%p") LOAD(3, "%q") STORE(4, "%q")
	check(SWAP("1"), "00000");
	check(SWAP("2"), "00100");
}

#define LOOKED_UP \
	"  %p = load i32, ptr %global\n" \
	"  %there = getelementptr i32, ptr addrspace(3) @s, i32 %p\n"
#define COPY(n, to, from) MARK(n) \
	"  call void @llvm.memcpy.p3.p3.i64(ptr addrspace(3) " to ", ptr addrspace(3) " from ", i64 4, i1 0)\n"

/* All lanes load before one stores; a copy has to be parted for that. */
static void elements_moved_by_an_index_from_memory_meet_between(void **state)
{
	(void)state;
	check(LOOKED_UP LOAD(0, "%own") MARK(1) "  store i32 %v0, ptr addrspace(3) %there\n", "01");
	check(LOOKED_UP LOAD(0, "%there") MARK(1) "  store i32 %v0, ptr addrspace(3) %own\n", "01");
	check(LOOKED_UP COPY(0, "%there", "%own"), "2");
	check(LOOKED_UP LOAD(0, "%own") SYNCWARP MARK(1)
	      "  store i32 %v0, ptr addrspace(3) %there\n", "00");
	/* another lane may come to there */
	check(LOOKED_UP LOAD(0, "%own") LOAD(1, "%there")
	      MARK(2) "  store i32 %v0, ptr addrspace(3) %there\n"
	      MARK(3) "  store i32 %v1, ptr addrspace(3) %own\n", "0010");
	/* another variable */
	check(LOOKED_UP LOAD(0, "%elsewhere") MARK(1) "  store i32 %v0, ptr addrspace(3) %there\n", "00");
}

/* Lanes that pass a branch by in which others meet wait at its end, where the loop would ask
 * for those that are there. */
static void a_branch_ends_for_all_lanes(void **state)
{
	(void)state;
#define ONE_LATE(head) \
	"  br label %head\n" "head:\n" head STORE(0, "%own") \
	"  br i1 %c, label %outer, label %tail\n" \
	"outer:\n  br i1 %c, label %arm, label %join\n" \
	"arm:\n" LOAD(1, "%other") MARK(2) "  br label %join\n" \
	"join:\n" MARK(3) "  br label %tail\n" \
	"tail:\n  br i1 %c, label %latch, label %out\n" \
	"latch:\n" MARK(4) "  br label %head\n" "out:\n"
	check(ONE_LATE("  %m = call i32 @__cudasim_activemask(ptr null)\n"), "01010");
	check(ONE_LATE(SYNCWARP), "01000");
}

static void atomics_alone_need_none(void **state)
{
	(void)state;
	check(ATOMIC(0, "%own") ATOMIC(1, "%other") BARRIER LOAD(2, "%other"), "000");
	check(ATOMIC(0, "%own") LOAD(1, "%other"), "01");
}

/* An atomic loads, too; what it has made is for all lanes that come to its address. */
static void atomics_meet_plain_accesses(void **state)
{
	(void)state;
	check(STORE(0, "%own") ATOMIC(1, "%other"), "01");
	check(STORE(0, "%own") ATOMIC(1, "%own") LOAD(2, "%own"), "000");
	check(STORE(0, "%own") BARRIER ATOMIC(1, "%other"), "00");
	check(ATOMIC(0, "@s") LOAD(1, "@s"), "01");
	check("  %half = lshr i32 %t, 1\n"
	      "  %pair = getelementptr i32, ptr addrspace(3) @s, i32 %half\n"
	      ATOMIC(0, "%pair") ATOMIC(1, "%pair") LOAD(2, "%pair"), "001");
	check(ATOMIC(0, "@s") MARK(1) "  %v = load atomic i32, ptr addrspace(3) @s acquire, align 4\n",
	      "00");
}

#define IF(condition, body) "  br i1 " condition ", label %then, label %join\n" \
	"then:\n" body "  br label %join\n" "join:\n"
#define LANE(n) "  %lane" #n " = icmp eq i32 %t, " #n "\n"

/* One address for all, to which some lanes have stored. */
static void what_one_lane_stores_is_for_all(void **state)
{
	(void)state;
	check(LANE(31) IF("%lane31", STORE(0, "@s")) LOAD(1, "@s"), "01");
	check("  %few = icmp ult i32 %t, %d\n" IF("%few", STORE(0, "@s")) LOAD(1, "@s"), "01");
	check(LANE(31) IF("%lane31", STORE(0, "@s")) ATOMIC(1, "@s"), "01");
	check(STORE(0, "@s") LOAD(1, "@s"), "00"); /* all have */
	check(STORE(0, "@s") LANE(31) IF("%lane31", STORE(1, "@s")) LOAD(2, "@s"), "001");
	check(STORE(0, "@s") STORE(1, "@s") LOAD(2, "@s"), "000");
	check(LANE(31) IF("%lane31", STORE(0, "%own")) LOAD(1, "%own"), "00");
	check(LANE(31) IF("%lane31", STORE(0, "@s")) BARRIER LOAD(1, "@s"), "00");
}

/* Nobody else comes there. */
static void one_lane_alone_needs_none(void **state)
{
	(void)state;
	check(LANE(0) "  br i1 %lane0, label %one, label %out\n" "one:\n"
	      IF("%c", STORE(0, "@s")) LOAD(1, "@s") "  br label %out\n" "out:\n", "00");
	check(LANE(0) "  br i1 %lane0, label %one, label %out\n"
	      "one:\n" STORE(0, "@s") "  br label %loop\n"
	      "loop:\n" LOAD(1, "@s") "  %more = icmp ne i32 %v1, 0\n"
	      "  br i1 %more, label %then, label %latch\n"
	      "then:\n" STORE(2, "@s") "  br label %latch\n"
	      "latch:\n  br i1 %c, label %loop, label %done\n"
	      "done:\n" LOAD(3, "@s") "  br label %out\n" "out:\n", "0000");
}

#define SECOND "getelementptr (i32, ptr addrspace(3) @s, i32 1)"

/* What all load behind a barrier, and somebody overwrites before the next. */
static void a_load_for_all_lingers_behind_a_barrier(void **state)
{
	(void)state;
	check(BARRIER LOAD(0, "@s") STORE(1, "@s"), "41");
	check(BARRIER LOAD(0, "@s") STORE(1, "%own"), "41");
	check(BARRIER LOAD(0, "@s") ATOMIC(1, "@s"), "41");
	check(BARRIER LOAD(0, "@s") LOAD(1, SECOND) STORE(2, "%own"), "041");
	check(BARRIER LOAD(0, "@s") "  br i1 %c, label %one, label %two\n"
	      "one:\n" STORE(1, "%own") "  br label %two\n" "two:\n", "41");
}

static void what_cannot_be_overtaken_does_not_linger(void **state)
{
	(void)state;
	check(BARRIER LOAD(0, "@s") BARRIER STORE(1, "%own"), "00");
	check(BARRIER LOAD(0, "@s") STORE(1, SECOND), "00");
	check(BARRIER LOAD(0, "@s") STORE(1, "@r"), "00");
	check(BARRIER LOAD(0, "@s"), "0");
	check(LOAD(0, "@s") STORE(1, "@s"), "01"); /* not behind a barrier */
	check(BARRIER LOAD(0, "%other") STORE(1, "%own"), "01");
	check(BARRIER "  br i1 %c, label %one, label %two\n" /* not by all */
	      "one:\n" LOAD(0, "@s") STORE(1, "%own") "  br label %two\n" "two:\n", "01");
}

/* The flag of a loop, cleared at its head; and what stands behind a loop of barriers, where
 * the counter is the same for all. */
static void a_loop_lingers_for_its_next_round(void **state)
{
	(void)state;
	check("  br label %head\n" "head:\n" STORE(0, "@s") BARRIER LOAD(1, "@s")
	      "  %again = icmp ne i32 %v1, 0\n  br i1 %again, label %head, label %out\n" "out:\n",
	      "14");
	check("  br label %outer\n" "outer:\n" BARRIER
	      "  br label %head\n" "head:\n"
	      "  %k = phi i32 [ 8, %outer ], [ %half, %body ]\n"
	      "  %more = icmp ne i32 %k, 0\n  br i1 %more, label %body, label %done\n"
	      "body:\n" BARRIER "  %half = sdiv i32 %k, 2\n  br label %head\n"
	      "done:\n" LOAD(0, "@s") STORE(1, "%own") "  br i1 %c, label %outer, label %out\n" "out:\n",
	      "41");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_load_of_anothers_store_meets),
		cmocka_unit_test(a_barrier_is_a_meeting),
		cmocka_unit_test(a_barrier_on_one_way_only_is_none),
		cmocka_unit_test(ones_own_address_needs_none),
		cmocka_unit_test(different_variables_do_not_meet),
		cmocka_unit_test(an_address_may_be_an_integer),
		cmocka_unit_test(an_address_may_lie_in_an_aggregate),
		cmocka_unit_test(an_address_may_lie_in_a_local),
		cmocka_unit_test(fields_are_told_apart),
		cmocka_unit_test(an_index_hits_what_it_may_reach),
		cmocka_unit_test(called_functions_begin_and_end_with_a_doubt),
		cmocka_unit_test(global_memory_is_not_looked_at),
		cmocka_unit_test(warp_synchronous_steps_meet_both_ways),
		cmocka_unit_test(barriered_steps_stay_bare),
		cmocka_unit_test(a_store_over_anothers_load_meets),
		cmocka_unit_test(conditions_keep_lanes_apart),
		cmocka_unit_test(stages_of_a_buffer_are_apart),
		cmocka_unit_test(lanes_own_values_are_told_apart),
		cmocka_unit_test(a_loop_meets_its_own_next_round),
		cmocka_unit_test(a_round_ends_for_all_lanes),
		cmocka_unit_test(a_walk_is_ones_own_unless_volatile),
		cmocka_unit_test(a_row_of_its_own_needs_none),
		cmocka_unit_test(a_column_of_its_own_needs_none),
		cmocka_unit_test(a_cycle_with_two_ways_in_meets_inside),
		cmocka_unit_test(reading_loops_meet_before_they_begin),
		cmocka_unit_test(a_swap_needs_none),
		cmocka_unit_test(elements_moved_by_an_index_from_memory_meet_between),
		cmocka_unit_test(a_branch_ends_for_all_lanes),
		cmocka_unit_test(atomics_alone_need_none),
		cmocka_unit_test(atomics_meet_plain_accesses),
		cmocka_unit_test(what_one_lane_stores_is_for_all),
		cmocka_unit_test(one_lane_alone_needs_none),
		cmocka_unit_test(a_load_for_all_lingers_behind_a_barrier),
		cmocka_unit_test(what_cannot_be_overtaken_does_not_linger),
		cmocka_unit_test(a_loop_lingers_for_its_next_round),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
