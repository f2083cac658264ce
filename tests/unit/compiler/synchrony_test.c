/* SPDX-License-Identifier: Apache-2.0 */
/* Where do warps have to meet? By addresses, and by the conditions under which lanes access them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "synchrony_check.h"

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

#define VALUE(n, to) MARK(n) "  store i32 %t, ptr addrspace(3) " to "\n"

/* What all lanes store comes before what any of them stores next. */
static void a_store_over_anothers_store_meets(void **state)
{
	(void)state;
	check(VALUE(0, "%own") VALUE(1, "%other"), "01");
	check(VALUE(0, "%own") BARRIER VALUE(1, "%other"), "00");
	check(VALUE(0, "%own") VALUE(1, "%own"), "00");
	check(VALUE(0, "%own") VALUE(1, "%elsewhere"), "00");
	check(STORE(0, "%own") STORE(1, "%other"), "00"); /* one value */
	check(VALUE(0, "@s") VALUE(1, "@s"), "00"); /* all lanes store both */
	check(VALUE(0, "@s") "  %few = icmp ult i32 %t, %d\n  br i1 %few, label %a, label %b\n"
	      "a:\n" VALUE(1, "@s") "  br label %b\nb:\n", "01");
	check(ATOMIC(0, "%other") VALUE(1, "%own"), "01");
	check(ATOMIC(0, "%other") ATOMIC(1, "%own"), "00");
	/* tile[4 * t + i] with 4 rounds, and with 5 */
#define FOURS(n) \
	"  br label %head\nhead:\n  %i = phi i32 [ 0, %0 ], [ %j, %head ]\n" \
	"  %j = add i32 %i, 1\n  %row = mul i32 %t, 4\n  %at = add i32 %row, %i\n" \
	"  %p = getelementptr i32, ptr addrspace(3) @s, i32 %at\n" VALUE(0, "%p") \
	"  %more = icmp slt i32 %j, " n "\n  br i1 %more, label %head, label %end\nend:\n"
	check(FOURS("4"), "0");
	check(FOURS("5"), "1");
}

/* A loop that scatters elements stores each to a place of its own where it has computed the places
 * before, but not where they are data. */
static void elements_are_scattered(void **state)
{
	(void)state;
#define SCATTERED(at, value) \
	"  %kept = alloca [8 x i32]\n  br label %head\n" \
	"head:\n  %i = phi i32 [ 0, %0 ], [ %j, %join ]\n  %j = add i32 %i, 1\n" \
	"  %q = getelementptr i32, ptr " at ", i32 %i\n  %to = load i32, ptr %q\n" \
	"  br i1 %c, label %arm, label %join\n" \
	"arm:\n  br label %join\n" \
	"join:\n  %one = phi i32 [ %to, %head ], [ 0, %arm ]\n" \
	"  %p = getelementptr i32, ptr addrspace(3) @s, i32 " value "\n" VALUE(0, "%p") \
	"  br i1 %c, label %head, label %end\nend:\n"
	check(SCATTERED("%kept", "%to"), "0");
	check(SCATTERED("%kept", "%one"), "0");
	check(SCATTERED("%global", "%to"), "1");
	check(SCATTERED("%global", "%one"), "1");
}

/* tile[threadIdx.y + j][threadIdx.x], 8 rows a round. */
static void rows_are_apart(void **state)
{
	(void)state;
#define ROWS(step) \
	"  %y = call i32 @__cudasim_nvvm_read_ptx_sreg_tid_y()\n  br label %head\n" \
	"head:\n  %i = phi i32 [ 0, %0 ], [ %j, %head ]\n  %j = add i32 %i, " step "\n" \
	"  %row = add i32 %y, %i\n" \
	"  %p = getelementptr [64 x [33 x i32]], ptr addrspace(3) @s, i32 0, i32 %row, i32 %t\n" \
	VALUE(0, "%p") "  br i1 %c, label %head, label %end\nend:\n"
	check(ROWS("8"), "0");
	check(ROWS("4"), "1"); /* of a block of 8 x 8 */
}

/* A row of 17 elements has 17 columns: no lane comes to another row's, whichever these are. */
static void columns_stay_in_their_row(void **state)
{
	(void)state;
#define IN_ROW(n, type, row) \
	"  %q" #n " = getelementptr " type ", ptr addrspace(3) @s, i32 0, i32 " row ", i32 %t\n" \
	VALUE(n, "%q" #n)
	check(IN_ROW(0, "[17 x [17 x i32]]", "%d") IN_ROW(1, "[17 x [17 x i32]]", "2"), "00");
	check("  %z = mul i32 %d, 17\n  %u = add i32 %z, %t\n"
	      "  %q = getelementptr i32, ptr addrspace(3) @s, i32 %u\n" VALUE(0, "%q")
	      IN_ROW(1, "[17 x [17 x i32]]", "2"), "01");
}

#define WHEN(condition, body) \
	"  %if = " condition "\n  br i1 %if, label %then, label %endif\n" \
	"then:\n" body "  br label %endif\nendif:\n"

/* tile[y + 1][x + 1] of 18 x 18 elements, and the border that a condition leaves to one column or
 * row of the block. Blocks are not known: with x == 15 they may go on behind it. */
static void borders_of_a_tile_are_apart(void **state)
{
	(void)state;
#define PLACE(name, row, column) \
	"  %" name "r = mul i32 " row ", 18\n  %" name "i = add i32 %" name "r, " column "\n" \
	"  %" name " = getelementptr i32, ptr addrspace(3) @s, i32 %" name "i\n"
#define TILE \
	"  %y = call i32 @__cudasim_nvvm_read_ptx_sreg_tid_y()\n" \
	"  %w = call i32 @__cudasim_nvvm_read_ptx_sreg_ntid_x()\n  %last = sub i32 %w, 1\n" \
	"  %tx = add i32 %t, 1\n  %ty = add i32 %y, 1\n" PLACE("own2", "%ty", "%tx") VALUE(0, "%own2")
#define BORDER(condition, row, column) \
	PLACE("q", row, column) WHEN(condition, VALUE(1, "%q"))
	check(TILE BORDER("icmp eq i32 %t, 0", "%ty", "0"), "00");
	check(TILE BORDER("icmp eq i32 %t, 15", "%ty", "17"), "01");
	check(TILE "  %end = add i32 %w, 1\n" BORDER("icmp eq i32 %t, %last", "%ty", "%end"), "00");
	check(TILE BORDER("icmp eq i32 %t, %last", "%ty", "%last"), "01");
	check(TILE BORDER("icmp eq i32 %y, 0", "0", "%tx"), "00");
	check(TILE BORDER("icmp eq i32 %y, 15", "17", "%tx"), "01");
	check(TILE BORDER("icmp eq i32 %ty, 16", "17", "%tx"), "01");
	/* the corner, by the thread's number */
#define CORNER(operation) \
	"  %z = mul i32 %y, 16\n  %u = " operation " i32 %z, %t\n" BORDER("icmp eq i32 %u, 0", "0", "0")
	check(TILE CORNER("add"), "00");
	check(TILE CORNER("sub"), "01");
	/* columns and rows that the others store */
	check(TILE BORDER("icmp eq i32 %t, 0", "%ty", "2"), "01");
	check(TILE BORDER("icmp eq i32 %t, 15", "%ty", "15"), "01");
	check(TILE BORDER("icmp eq i32 %y, 0", "2", "%tx"), "01");
	check(TILE BORDER("icmp eq i32 %y, 15", "15", "%tx"), "01");
	/* no border: the block may go on behind these */
	check(TILE BORDER("icmp eq i32 %t, 3", "%ty", "17"), "01");
	check(TILE BORDER("icmp eq i32 %y, 3", "5", "%tx"), "01");
	check(TILE BORDER("icmp eq i32 %t, %d", "%ty", "17"), "01");
	check(TILE BORDER("icmp ult i32 %t, 15", "%ty", "17"), "01");
	/* without rows the block's end is not known */
	check(VALUE(0, "%own") PLACE("q", "0", "17") WHEN("icmp eq i32 %t, 15", VALUE(1, "%q")), "01");
	/* blockDim.y - 1 is the last row, and the first is another one in a row of its own */
#define HEIGHT \
	"  %h = call i32 @__cudasim_nvvm_read_ptx_sreg_ntid_y()\n  %bottom = sub i32 %h, 1\n" \
	"  %below = add i32 %y, 2\n"
	check(TILE HEIGHT BORDER("icmp eq i32 %y, %bottom", "%below", "%tx"), "00");
	check(TILE HEIGHT BORDER("icmp eq i32 %y, %bottom", "%y", "%tx"), "01");
#define TOP \
	PLACE("q0", "0", "%tx") "  %if0 = icmp eq i32 %y, 0\n  br i1 %if0, label %on, label %go\non:\n" \
	VALUE(1, "%q0") "  br label %go\ngo:\n" PLACE("q", "%below", "%tx") \
	WHEN("icmp eq i32 %y, %bottom", VALUE(2, "%q"))
	check(TILE HEIGHT TOP, "000");
}

#define BLOCK(x, y) (struct synchrony_block){x, y, false, false}

/* The numbers that a block of known size makes the last ones. */
static void borders_are_apart_in_the_block_of_the_source(void **state)
{
	(void)state;
	check_in_block(BLOCK(16, 16), TILE BORDER("icmp eq i32 %t, 15", "%ty", "17"), "00");
	check_in_block(BLOCK(17, 16), TILE BORDER("icmp eq i32 %t, 15", "%ty", "17"), "01");
	check_in_block(BLOCK(0, 16), TILE BORDER("icmp eq i32 %t, 15", "%ty", "17"), "01");
	check_in_block(BLOCK(16, 16), TILE BORDER("icmp eq i32 %y, 15", "17", "%tx"), "00");
	check_in_block(BLOCK(16, 17), TILE BORDER("icmp eq i32 %y, 15", "17", "%tx"), "01");
	check_in_block(BLOCK(16, 16), TILE BORDER("icmp eq i32 %t, 3", "%ty", "17"), "00");
	check_in_block(BLOCK(16, 16), TILE BORDER("icmp eq i32 %t, 3", "%ty", "5"), "01");
	/* a halo of two columns, then of two rows, behind the block */
#define SHIFTED(name, from) "  %" name " = add i32 " from ", 17\n"
	check_in_block(BLOCK(16, 16), TILE SHIFTED("far", "%t") BORDER("icmp ult i32 %t, 2", "%ty", "%far"),
		       "00");
	check(TILE SHIFTED("far", "%t") BORDER("icmp ult i32 %t, 2", "%ty", "%far"), "01");
	check_in_block(BLOCK(16, 16), TILE SHIFTED("far", "%y") BORDER("icmp ult i32 %y, 2", "%far", "%tx"),
		       "00");
	check_in_block(BLOCK(16, 16), TILE SHIFTED("far", "%y") BORDER("icmp ult i32 %y, 3", "%ty", "%far"),
		       "01");
}

/* y * blockDim.x + x is a thread's number, of which a condition on x says nothing. */
static void rows_of_threads_are_no_lanes(void **state)
{
	(void)state;
#define NUMBER \
	"  %y = call i32 @__cudasim_nvvm_read_ptx_sreg_tid_y()\n" \
	"  %w = call i32 @__cudasim_nvvm_read_ptx_sreg_ntid_x()\n  %first = mul i32 %y, %w\n" \
	"  %n = add i32 %first, %t\n  %mine = getelementptr i32, ptr addrspace(3) @s, i32 %n\n" \
	"  %m = add i32 %n, 10\n  %ahead = getelementptr i32, ptr addrspace(3) @s, i32 %m\n"
	check(NUMBER WHEN("icmp ult i32 %t, 4", LOAD(0, "%mine")) STORE(1, "%ahead"), "01");
	check(NUMBER WHEN("icmp ult i32 %n, 4", LOAD(0, "%mine")) STORE(1, "%mine"), "00");
	/* a tree in each row */
	check(NUMBER WHEN("icmp ult i32 %t, 10", LOAD(0, "%ahead") STORE(1, "%mine")), "00");
	check(NUMBER WHEN("icmp ult i32 %t, 11", LOAD(0, "%ahead") STORE(1, "%mine")), "01");
	check(NUMBER WHEN("icmp ult i32 %t, 8", LOAD(0, "%ahead") STORE(1, "%mine")), "01");
	/* a tree of the block */
	check(NUMBER WHEN("icmp ult i32 %n, 10", LOAD(0, "%ahead") STORE(1, "%mine")), "00");
	check(NUMBER WHEN("icmp ult i32 %n, 11", LOAD(0, "%ahead") STORE(1, "%mine")), "01");
}

/* Two rows of 16 threads are one warp: a row further on is another lane's element. */
static void a_row_further_on_is_in_the_warp(void **state)
{
	(void)state;
	const struct synchrony_block rows = {.has_whole_rows = true};
#define FURTHER(from) \
	"  %f = add i32 " from ", %w\n  %further = getelementptr i32, ptr addrspace(3) @s, i32 %f\n"
	check(NUMBER FURTHER("%n") LOAD(0, "%further") VALUE(1, "%mine"), "01");
	check_in_block(rows, NUMBER FURTHER("%n") LOAD(0, "%further") VALUE(1, "%mine"), "00");
	check("  %w = call i32 @__cudasim_nvvm_read_ptx_sreg_ntid_x()\n" FURTHER("%t")
	      LOAD(0, "%further") VALUE(1, "%own"), "00");
	/* a whole block further on */
#define HIGHER NUMBER \
	"  %h = call i32 @__cudasim_nvvm_read_ptx_sreg_ntid_y()\n  %all = mul i32 %w, %h\n" \
	"  %f = add i32 %n, %all\n  %further = getelementptr i32, ptr addrspace(3) @s, i32 %f\n"
	check(HIGHER LOAD(0, "%further") VALUE(1, "%mine"), "00");
}

/* Lanes of several rows have one threadIdx.x, though an address may not show its row. */
static void a_column_is_no_lane(void **state)
{
	(void)state;
#define MIXED(from) \
	"  %a = xor i32 " from ", 1\n  %b = xor i32 " from ", 2\n" \
	"  %p = getelementptr i32, ptr addrspace(3) @s, i32 %a\n" \
	"  %q = getelementptr i32, ptr addrspace(3) @s, i32 %b\n"
	check("  %y = call i32 @__cudasim_nvvm_read_ptx_sreg_tid_y()\n" MIXED("%y")
	      WHEN("icmp eq i32 %t, 0", LOAD(0, "%p") VALUE(1, "%q")), "01");
	check("  %z = call i32 @__cudasim_nvvm_read_ptx_sreg_tid_z()\n" MIXED("%z")
	      WHEN("icmp eq i32 %t, 0", LOAD(0, "%p") VALUE(1, "%q")), "01");
	check(MIXED("%t") WHEN("icmp eq i32 %t, 0", LOAD(0, "%p") VALUE(1, "%q")), "00");
}

/* What lanes overwrite that other lanes have loaded or stored; with barriers before all loads of
 * what others have stored, other warps would overwrite it as well. */
static void warps_with_barriers_are_apart(void **state)
{
	(void)state;
	const struct synchrony_block warps = {.has_warps = true};
	check(LOAD(0, "%other") VALUE(1, "%own") BARRIER, "01");
	check_in_block(warps, LOAD(0, "%other") VALUE(1, "%own") BARRIER, "00");
	check_in_block(warps, VALUE(0, "%own") VALUE(1, "%other") BARRIER, "00");
	/* the second half of a swap */
	check_in_block(warps, LOAD(0, "%other") LOAD(1, "%own") VALUE(2, "%own") LOAD(3, "%other"),
		       "0000");
	/* what others have stored is loaded, volatile, or after a barrier of the warp alone */
	check_in_block(warps, VALUE(0, "%own") LOAD(1, "%other") VALUE(2, "%own"), "011");
	check_in_block(warps, MARK(0) "  %v = load volatile i32, ptr addrspace(3) %other\n"
			      VALUE(1, "%own"), "01");
	check_in_block(warps, LOAD(0, "%other") VALUE(1, "%own") SYNCWARP, "01");
	/* one warp alone comes to both */
	check_in_block(warps, WHEN("icmp ult i32 %t, 31", LOAD(0, "%other") VALUE(1, "%own")), "01");
	check_in_block(warps, WHEN("icmp ult i32 %t, 33", LOAD(0, "%other") VALUE(1, "%own")), "00");
	/* lanes and warps by their numbers */
	check_in_block(warps, "  %lane = and i32 %t, 31\n" LOAD(0, "%other") VALUE(1, "%own"), "01");
	check_in_block(warps, "  %warp = lshr i32 %t, 5\n" LOAD(0, "%other") VALUE(1, "%own"), "01");
	check_in_block(warps, "  %pair = xor i32 %t, 1\n" LOAD(0, "%other") VALUE(1, "%own"), "01");
	check_in_block(warps, "  %far = xor i32 %t, 32\n" LOAD(0, "%other") VALUE(1, "%own"), "00");
	check_in_block(warps, "  %far = and i32 %d, 31\n" LOAD(0, "%other") VALUE(1, "%own"), "00");
}

/* Trees in the rows of 18 elements of an array, and of these rows. */
static void trees_have_rows(void **state)
{
	(void)state;
#define ROWED \
	"  %y = call i32 @__cudasim_nvvm_read_ptx_sreg_tid_y()\n" PLACE("mine", "%y", "%t") \
	"  %x2 = add i32 %t, %d\n" PLACE("right", "%y", "%x2") \
	"  %y2 = add i32 %y, %d\n" PLACE("below", "%y2", "%t") \
	"  %x8 = add i32 %t, 8\n" PLACE("far", "%y", "%x8")
	check(ROWED WHEN("icmp slt i32 %t, %d", LOAD(0, "%right") STORE(1, "%mine")), "00");
	check(ROWED WHEN("icmp slt i32 %y, %d", LOAD(0, "%right") STORE(1, "%mine")), "01");
	check(ROWED WHEN("icmp slt i32 %y, %d", LOAD(0, "%below") STORE(1, "%mine")), "00");
	check(ROWED WHEN("icmp slt i32 %t, %d", LOAD(0, "%below") STORE(1, "%mine")), "01");
	check(ROWED LOAD(0, "%below") STORE(1, "%mine"), "01");
	/* 8 lanes of a row are 8 elements apart from what they load, 10 are not */
	check(ROWED WHEN("icmp ult i32 %t, 8", LOAD(0, "%far") STORE(1, "%mine")), "00");
	check(ROWED WHEN("icmp ult i32 %t, 10", LOAD(0, "%far") STORE(1, "%mine")), "01");
}

#define COPY(n, to, from) MARK(n) \
	"  call void @llvm.memcpy.p3.p3.i64(ptr addrspace(3) " to ", ptr addrspace(3) " from ", i64 4, i1 0)\n"

/* Both before it and between its load and its store. */
static void a_copy_of_anothers_element_is_parted(void **state)
{
	(void)state;
	check(COPY(0, "%own", "%other"), "2");
	check(COPY(0, "%own", "%own"), "0");
	check(VALUE(0, "%own") COPY(1, "%own", "%other"), "03");
}

/* A pointer in global memory leads to what is stored there as one. */
static void an_address_may_lie_in_global_memory(void **state)
{
	(void)state;
#define KEPT(type, value) \
	"  %g = addrspacecast ptr addrspace(3) @s to ptr\n  %n = ptrtoint ptr addrspace(3) @s to i32\n" \
	"  store " type " " value ", ptr %global\n" STORE(0, "%own") \
	"  %q = load ptr, ptr %global\n  %p = getelementptr i32, ptr %q, i32 %next\n" \
	MARK(1) "  %x = load i32, ptr %p\n"
	check(KEPT("ptr", "%g"), "01");
	check(KEPT("i32", "%n"), "00");
}

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
		cmocka_unit_test(a_store_over_anothers_store_meets),
		cmocka_unit_test(elements_are_scattered),
		cmocka_unit_test(rows_are_apart),
		cmocka_unit_test(columns_stay_in_their_row),
		cmocka_unit_test(borders_of_a_tile_are_apart),
		cmocka_unit_test(borders_are_apart_in_the_block_of_the_source),
		cmocka_unit_test(rows_of_threads_are_no_lanes),
		cmocka_unit_test(trees_have_rows),
		cmocka_unit_test(a_row_further_on_is_in_the_warp),
		cmocka_unit_test(a_column_is_no_lane),
		cmocka_unit_test(warps_with_barriers_are_apart),
		cmocka_unit_test(a_copy_of_anothers_element_is_parted),
		cmocka_unit_test(an_address_may_lie_in_global_memory),
		cmocka_unit_test(conditions_keep_lanes_apart),
		cmocka_unit_test(stages_of_a_buffer_are_apart),
		cmocka_unit_test(lanes_own_values_are_told_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
