/* SPDX-License-Identifier: Apache-2.0 */
/* Where do warps have to meet? In loops and branches, and behind barriers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "synchrony_check.h"

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

#define Y "  %y = call i32 @__cudasim_nvvm_read_ptx_sreg_tid_y()\n"
/* One lane goes through all elements, with `before` and what follows behind it. */
#define ALONE(test, before, behind)                                                  \
	before "  %only = " test "\n"                                               \
	"  br i1 %only, label %alone, label %end\n"                                  \
	"alone:\n  br label %loop\n"                                                \
	"loop:\n  %i = phi i32 [ 0, %alone ], [ %j, %loop ]\n"                      \
	"  %j = add i32 %i, 1\n"                                                     \
	"  %p = getelementptr i32, ptr addrspace(3) @s, i32 %i\n"                    \
	LOAD(1, "%p") STORE(2, "%p")                                                 \
	"  br i1 %c, label %loop, label %end\n"                                      \
	"end:\n" behind

/* What one lane has stored itself it finds again, anywhere; others' elements, and its own for
 * others, take a meeting. */
static void a_lane_alone_needs_none_in_its_loop(void **state)
{
	(void)state;
	check(ALONE("icmp eq i32 %t, 0", "", ""), "000");
	check(ALONE("icmp eq i32 %t, 31", BARRIER, BARRIER LOAD(3, "%own")), "0000");
	check(ALONE("icmp ult i32 %t, 2", "", ""), "011");
	check(ALONE("icmp eq i32 %t, 0", STORE(0, "%own"), ""), "010");
	check(ALONE("icmp eq i32 %t, 0", "", LOAD(3, "%own")), "0001");
	/* One lane of each row; and of one row. */
	check(ALONE("icmp eq i32 %t, 0", Y, ""), "010");
	check(ALONE("and i1 %first, %upper",
		    Y "  %first = icmp eq i32 %t, 0\n  %upper = icmp eq i32 %y, 0\n", ""),
	      "000");
	/* Of all rows but one, of every other row, and of rows that a value of each lane chooses. */
	check(ALONE("and i1 %first, %upper",
		    Y "  %first = icmp eq i32 %t, 0\n  %upper = icmp ne i32 %y, 0\n", ""),
	      "010");
	check(ALONE("and i1 %first, %upper",
		    Y "  %first = icmp eq i32 %t, 0\n  %odd = and i32 %y, 1\n"
		      "  %upper = icmp eq i32 %odd, 0\n",
		    ""),
	      "010");
	check(ALONE("and i1 %first, %upper",
		    Y "  %z = call i32 @__cudasim_nvvm_read_ptx_sreg_tid_z()\n"
		      "  %first = icmp eq i32 %t, 0\n  %upper = icmp eq i32 %y, %z\n",
		    ""),
	      "010");
}

/* A thread that walks over addresses of its own needs no meeting, but volatile
 * says that others look on. */
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
	check(SWAP("2"), "00110"); /* the next lane has stored there */
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
	/* another lane may come to there, and store there first */
	check(LOOKED_UP LOAD(0, "%own") LOAD(1, "%there")
	      MARK(2) "  store i32 %v0, ptr addrspace(3) %there\n"
	      MARK(3) "  store i32 %v1, ptr addrspace(3) %own\n", "0011");
	/* another variable */
	check(LOOKED_UP LOAD(0, "%elsewhere") MARK(1) "  store i32 %v0, ptr addrspace(3) %there\n", "00");
}

/* Lanes that pass a branch by in which others meet wait at its end, where the loop would ask
 * for those that are there. */
static void a_branch_ends_for_all_lanes(void **state)
{
	(void)state;
#define ONE_LATE(head) \
	"  %few = icmp ult i32 %t, %d\n  br label %head\n" "head:\n" head STORE(0, "%own") \
	"  br i1 %c, label %outer, label %tail\n" \
	"outer:\n  br i1 %few, label %arm, label %join\n" \
	"arm:\n" LOAD(1, "%other") MARK(2) "  br label %join\n" \
	"join:\n" MARK(3) "  br label %tail\n" \
	"tail:\n  br i1 %c, label %latch, label %out\n" \
	"latch:\n" MARK(4) "  br label %head\n" "out:\n"
	check(ONE_LATE("  %m = call i32 @__cudasim_activemask(ptr null)\n"), "01010");
	check(ONE_LATE(SYNCWARP), "01000");
}

/* A meeting in a branch is none for the lanes that pass it by: what it follows may come late. */
static void a_meeting_in_a_branch_is_for_those_in_it(void **state)
{
	(void)state;
#define AT(name, n) "  %" name " = getelementptr i32, ptr addrspace(3) %own, i32 " n "\n"
#define BRANCH(condition, first, more, behind) \
	AT("p1", "1") AT("p12", "12") AT("p20", "20") \
	"  %few = " condition "\n  br i1 %few, label %arm, label %join\n" \
	"arm:\n" first STORE(1, "%own") LOAD(2, "%p1") more "  br label %join\njoin:\n" behind
#define VALUE(n, to) MARK(n) "  store i32 %t, ptr addrspace(3) " to "\n"
	check(BRANCH("icmp ult i32 %t, 8", LOAD(0, "%p20"), "", VALUE(3, "%p12")), "0011");
	check(BRANCH("icmp ult i32 %t, 8", VALUE(0, "%p20"), "", LOAD(3, "%p12")), "0011");
	/* all lanes take the branch */
	check(BRANCH("icmp ult i32 %t, 8", LOAD(0, "%p20"), BARRIER, VALUE(3, "%p12")), "0010");
	/* another variable */
	check(BRANCH("icmp ult i32 %t, 8", LOAD(0, "%elsewhere"), "", VALUE(3, "%p12")), "0010");
}

/* Behind a branch comes a place that also comes before it, as their function is inlined in both: by the
 * order of places lanes would go on there first. They wait where the ways join. */
static void a_place_before_and_behind_a_branch_does_not_order(void **state)
{
	(void)state;
#define JOIN_4 "  call void @__cudasim_synchrony_mark(i32 -2147483644)\n"
#define TWICE(again) \
	STORE(0, "%own") LOAD(1, "%other") SYNCWARP \
	"  %few = icmp ult i32 %t, 8\n  br i1 %few, label %arm, label %join\n" \
	"arm:\n" STORE(2, "%own") LOAD(3, "%other") "  br label %join\n" \
	"join:\n" JOIN_4 SYNCWARP STORE(5, "%own") MARK(again) \
	"  %w = load i32, ptr addrspace(3) %other\n"
#define TWICE_OPEN(again) \
	STORE(0, "%own") LOAD(1, "%other") SYNCWARP \
	"  %few = icmp ult i32 %t, 8\n  br i1 %few, label %arm, label %join\n" \
	"arm:\n" STORE(2, "%own") LOAD(3, "%other") "  br label %join\n" \
	"join:\n" JOIN_4 MARK(again) "  %w = load i32, ptr addrspace(3) %other\n"
	/* the load of 1 waits for the store of 2, which comes later than 1 */
	check(TWICE_OPEN(1), "01011");
	check(TWICE_OPEN(5), "010101");
	/* a meeting that is written holds them */
	check(TWICE(1), "010100");
}

/* Lanes that sit a round out would come to the arm of the next one while the others are there. */
static void a_round_that_some_sit_out_ends_for_all(void **state)
{
	(void)state;
#define SAT_OUT(condition, latch) \
	"  %few = icmp ult i32 %t, %d\n  br label %head\n" \
	"head:\n  br i1 " condition ", label %arm, label %latch\n" \
	"arm:\n" STORE(0, "%own") LOAD(1, "%other") "  br label %latch\n" \
	"latch:\n" latch MARK(2) "  br i1 %c, label %head, label %out\n" "out:\n"
	check(SAT_OUT("%few", ""), "111");
	check(SAT_OUT("%few", BARRIER), "010");
	check(SAT_OUT("%c", ""), "110"); /* all or none */
	/* others read in a loop, before which they meet */
	check("  %few = icmp ult i32 %t, %d\n  br label %head\n"
	      "head:\n  br i1 %few, label %arm, label %latch\n"
	      "arm:\n" STORE(0, "%own") MARK(1) "  br label %inner\n"
	      "inner:\n" LOAD(2, "%other") MARK(3) "  br i1 %c, label %inner, label %after\n"
	      "after:\n  br label %latch\n"
	      "latch:\n" MARK(4) "  br i1 %c, label %head, label %out\n" "out:\n", "11001");
	/* lanes that leave an inner loop early */
	check("  br label %outer\n"
	      "outer:\n  br label %inner\n"
	      "inner:\n  %i = phi i32 [ 0, %outer ], [ %j, %inner ]\n  %j = add i32 %i, 1\n"
	      STORE(0, "%own") LOAD(1, "%other")
	      "  %more = icmp ult i32 %j, %t\n  br i1 %more, label %inner, label %latch\n"
	      "latch:\n" MARK(2) "  br i1 %c, label %outer, label %out\n" "out:\n", "111");
}

/* An access that is taken apart meets once, before the first of its parts. */
static void parts_of_one_access_count(void **state)
{
	(void)state;
	check(STORE(0, "%other") LOAD(1, "%own")
	      "  %p = getelementptr i32, ptr addrspace(3) %own, i32 32\n"
	      "  %w = load i32, ptr addrspace(3) %p\n" STORE(2, "%other"), "011");
	check(MARK(0) "  store i32 1, ptr addrspace(3) %own\n"
	      "  %p = getelementptr i32, ptr addrspace(3) %own, i32 32\n"
	      "  store i32 1, ptr addrspace(3) %p\n" LOAD(1, "%other"), "01");
	/* a function that is inlined twice */
	check(MARK(0) "  store i32 %t, ptr addrspace(3) %own\n"
	      MARK(0) "  store i32 %t, ptr addrspace(3) %elsewhere\n"
	      "  store i32 %t, ptr addrspace(3) %other\n", "1");
	check(LOAD(0, "%other") MARK(1)
	      "  store i32 1, ptr addrspace(3) %own\n"
	      "  %p = getelementptr i32, ptr addrspace(3) %own, i32 32\n"
	      "  store i32 1, ptr addrspace(3) %p\n" LOAD(2, "%other"), "011");
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

/* A lane that has stored where others may have stored, too, loads what the last one has left. */
static void volatile_stores_and_fences_are_for_all(void **state)
{
	(void)state;
#define VOLATILE(n, to) MARK(n) "  store volatile i32 %t, ptr addrspace(3) " to "\n"
	check(VOLATILE(0, "@s") LOAD(1, "@s"), "01");
	check(VOLATILE(0, "%own") LOAD(1, "%own"), "00");
	check(LOOKED_UP VOLATILE(0, "%there") LOAD(1, "%there"), "01");
	check(LOOKED_UP STORE(0, "%there") LOAD(1, "%there"), "00");
	check(LOOKED_UP STORE(0, "%there") "  fence seq_cst\n" LOAD(1, "%there"), "01");
	check(STORE(0, "%own") "  fence seq_cst\n" LOAD(1, "%own"), "00");
	check(LOOKED_UP STORE(0, "%there") BARRIER "  fence seq_cst\n" LOAD(1, "%there"), "00");
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
static void a_load_for_all_is_ordered_behind_a_barrier(void **state)
{
	(void)state;
	check(BARRIER LOAD(0, "@s") STORE(1, "@s"), "41");
	check(BARRIER LOAD(0, "@s") STORE(1, "%own"), "41");
	check(BARRIER LOAD(0, "@s") ATOMIC(1, "@s"), "41");
	check(BARRIER LOAD(0, "@s") LOAD(1, SECOND) STORE(2, "%own"), "041");
	check(BARRIER LOAD(0, "@s") "  br i1 %c, label %one, label %two\n"
	      "one:\n" STORE(1, "%own") "  br label %two\n" "two:\n", "41");
}

static void what_cannot_be_overtaken_is_not_ordered(void **state)
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
static void a_loop_is_ordered_for_its_next_round(void **state)
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

/* Arrays in global memory count where a warp's lanes let two elements trade places. */
static void elements_trade_places_in_global_memory(void **state)
{
	(void)state;
#define TRADE(first, second, at) \
	"  %p = getelementptr i32, ptr %global, i32 %t\n" \
	"  %q = getelementptr i32, ptr " at ", i32 %next\n" \
	MARK(0) "  %v = load i32, ptr %p\n" MARK(1) "  %u = load i32, ptr %q\n" \
	MARK(2) "  store i32 " first ", ptr %p\n" MARK(3) "  store i32 " second ", ptr %q\n"
#define OF_WARP "  %lane = and i32 %t, 31\n"
	check(OF_WARP TRADE("%u", "%v", "%global"), "0011");
	check(OF_WARP TRADE("%u", "%u", "%global"), "0000");
	check(TRADE("%u", "%v", "%global"), "0000");
	check(OF_WARP "  %l = load ptr, ptr %global\n" TRADE("%u", "%v", "%l"), "0000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_meets_its_own_next_round),
		cmocka_unit_test(a_round_ends_for_all_lanes),
		cmocka_unit_test(a_lane_alone_needs_none_in_its_loop),
		cmocka_unit_test(a_walk_is_ones_own_unless_volatile),
		cmocka_unit_test(a_row_of_its_own_needs_none),
		cmocka_unit_test(a_column_of_its_own_needs_none),
		cmocka_unit_test(a_cycle_with_two_ways_in_meets_inside),
		cmocka_unit_test(reading_loops_meet_before_they_begin),
		cmocka_unit_test(a_swap_needs_none),
		cmocka_unit_test(elements_moved_by_an_index_from_memory_meet_between),
		cmocka_unit_test(a_branch_ends_for_all_lanes),
		cmocka_unit_test(a_meeting_in_a_branch_is_for_those_in_it),
		cmocka_unit_test(a_place_before_and_behind_a_branch_does_not_order),
		cmocka_unit_test(a_round_that_some_sit_out_ends_for_all),
		cmocka_unit_test(parts_of_one_access_count),
		cmocka_unit_test(atomics_alone_need_none),
		cmocka_unit_test(atomics_meet_plain_accesses),
		cmocka_unit_test(volatile_stores_and_fences_are_for_all),
		cmocka_unit_test(what_one_lane_stores_is_for_all),
		cmocka_unit_test(one_lane_alone_needs_none),
		cmocka_unit_test(elements_trade_places_in_global_memory),
		cmocka_unit_test(a_load_for_all_is_ordered_behind_a_barrier),
		cmocka_unit_test(what_cannot_be_overtaken_is_not_ordered),
		cmocka_unit_test(a_loop_is_ordered_for_its_next_round),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
