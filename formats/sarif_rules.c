/* SPDX-License-Identifier: Apache-2.0 */
/* sarif_rules.c - the kinds of findings, as docs/CHECKERS.md describes them. */
#include "sarif.h"

#include <string.h>

static const char memcheck[] = "What memcheck finds";
static const char racecheck[] = "What racecheck finds";
static const char initcheck[] = "What initcheck finds";
static const char synccheck[] = "What synccheck finds";
static const char apicheck[] = "What leakcheck and apicheck find";

const struct sarif_rule sarif_rules[] = {
	{"out-of-bounds", "memcheck", memcheck,
	 "An access outside of its allocation, variable, shared memory or array."},
	{"use-after-free", "memcheck", memcheck,
	 "An access to memory that was freed before, even if other memory was allocated there since."},
	{"misaligned", "memcheck", memcheck,
	 "An address without the alignment that a GPU requires for the access."},
	{"null-pointer", "memcheck", memcheck,
	 "An access by a null pointer, with or without an offset."},
	{"host-pointer", "memcheck", memcheck,
	 "Device code accesses host memory that is not registered."},
	{"device-pointer", "memcheck", memcheck,
	 "Host code accesses device memory, which ends the program on a machine with a GPU."},
	{"no-access", "memcheck", memcheck,
	 "An access to memory of a pool to which the device was given no access."},
	{"write-to-constant", "memcheck", memcheck, "A write to __constant__ memory."},
	{"use-after-return", "memcheck", memcheck,
	 "An access to a variable of a device function that has returned."},
	{"local-of-other-thread", "memcheck", memcheck,
	 "An access to the stack of another thread."},
	{"double-free", "memcheck", memcheck, "Memory is freed twice."},
	{"invalid-free", "memcheck", memcheck,
	 "Memory is freed at an address that no allocation begins at."},
	{"stack-overflow", "memcheck", memcheck, "A thread of a kernel has used up its stack."},
	{"trap", "memcheck", memcheck, "A kernel executes a trap."},
	{"assert", "memcheck", memcheck, "An assertion in device code failed."},
	{"illegal-instruction", "memcheck", memcheck, "A kernel executes an illegal instruction."},
	{"race-write-write", "racecheck", racecheck,
	 "Two threads write the same bytes, and nothing orders the writes."},
	{"race-read-write", "racecheck", racecheck,
	 "A thread reads and another one writes the same bytes, and nothing orders them."},
	{"race-atomic", "racecheck", racecheck,
	 "An atomic and a plain access to the same bytes, and nothing orders them."},
	{"race-scope", "racecheck", racecheck,
	 "Two atomic accesses, one with a scope that does not include the other thread."},
	{"race-free", "racecheck", racecheck,
	 "A kernel uses memory that an unordered stream frees."},
	{"race-host", "racecheck", racecheck,
	 "Host code accesses memory that a kernel uses, without having waited for it."},
	{"uninitialized", "initcheck", initcheck,
	 "A read of global or shared memory that was never written."},
	{"uninitialized-copy", "initcheck", initcheck,
	 "A copy of memory that was never written to the host."},
	{"constant-not-copied", "initcheck", initcheck,
	 "A read of a __constant__ variable of zeros that no copy has written on this device."},
	{"uninitialized-local", "initcheck", initcheck,
	 "A read of a variable of the thread that was not written before."},
	{"divergent-barrier", "synccheck", synccheck,
	 "Threads of a block wait at different __syncthreads()."},
	{"divergent-warp", "synccheck", synccheck,
	 "Threads of a warp had left the kernel when others synchronised."},
	{"divergent-block", "synccheck", synccheck,
	 "Warps of a block had left the kernel when others synchronised."},
	{"invalid-mask", "synccheck", synccheck,
	 "A warp-wide operation whose mask does not contain the caller."},
	{"barrier-misuse", "synccheck", synccheck,
	 "A barrier is used with a wrong number of threads, or without being initialised."},
	{"inactive-lane", "synccheck", synccheck,
	 "A shuffle reads from a lane that is not in its mask or has left the kernel."},
	{"deadlock", "synccheck", synccheck, "Threads wait for each other."},
	{"leak", "leakcheck", apicheck, "Memory is never freed."},
	{"still-registered", "leakcheck", apicheck,
	 "Host memory is registered and never unregistered."},
	{"never-destroyed", "leakcheck", apicheck,
	 "A stream, event, graph, texture or array is never destroyed."},
	{"api-error", "apicheck", apicheck, "A call of the CUDA API fails."},
	{"unchecked-error", "apicheck", apicheck,
	 "An error did not reach the program: nothing asked for it."},
	{"missing-synchronization", "apicheck", apicheck,
	 "Host code uses the memory of an asynchronous copy without having waited for it."},
	{"pageable-copy", "apicheck", apicheck,
	 "An asynchronous copy with pageable host memory, which waits for the copy."},
	{"destroyed-handle", "apicheck", apicheck,
	 "A call with an object of CUDA that has been destroyed."},
};
const size_t sarif_n_rules = sizeof sarif_rules / sizeof *sarif_rules;

size_t sarif_rule_of(const char *kind)
{
	size_t i = 0;
	while (i < sarif_n_rules && strcmp(sarif_rules[i].kind, kind) != 0)
		i++;
	return i;
}
