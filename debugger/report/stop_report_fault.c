/* SPDX-License-Identifier: Apache-2.0 */
/* stop_report_fault.c - what is said of a launch that is about to die.
 *
 * The names and numbers of exceptions are those of the CUDA debugger API
 * (CUDA_EXCEPTION_n); what the hardware has no exception for (a deadlock, a
 * timeout) gets a signal's name of cudasim's own. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "stack.h"
#include "stop_report.h"

struct exception {
	const char *title;  /* behind "CUDA Exception: "; NULL: nothing is said */
	const char *signal, *text;
	bool has_place;     /* "The exception was triggered at PC ..." */
};

static const struct exception exceptions[] = {
	[CUDASIM_FAULT_ADDRESS] = {"Warp Illegal Address", "CUDA_EXCEPTION_14",
				   "Warp Illegal Address", true},
	[CUDASIM_FAULT_MISALIGNED] = {"Warp Misaligned Address", "CUDA_EXCEPTION_6",
				      "Warp Misaligned Address", true},
	[CUDASIM_FAULT_STACK] = {"Lane User Stack Overflow", "CUDA_EXCEPTION_2",
				 "Lane User Stack Overflow", false},
	[CUDASIM_FAULT_TRAP] = {NULL, "SIGTRAP", "Trace/breakpoint trap", false},
	[CUDASIM_FAULT_ILLEGAL] = {"Warp Illegal Instruction", "CUDA_EXCEPTION_4",
				   "Warp Illegal Instruction", true},
	[CUDASIM_FAULT_MASK] = {"Warp Illegal Instruction", "CUDA_EXCEPTION_4",
				"Warp Illegal Instruction", true},
	[CUDASIM_FAULT_ASSERT] = {NULL, "CUDA_EXCEPTION_12", "Warp Assert", false},
	[CUDASIM_FAULT_TIMEOUT] = {"Kernel Timeout", "CUDASIM_TIMEOUT", "Kernel Timeout", false},
	[CUDASIM_FAULT_DEADLOCK] = {"Deadlock", "CUDASIM_DEADLOCK", "Deadlock", false},
	[CUDASIM_FAULT_HEAP] = {"Invalid Heap Pointer", "CUDASIM_HEAP", "Invalid Heap Pointer",
				true},
	[CUDASIM_FAULT_BARRIER] = {"Barrier Misuse", "CUDASIM_BARRIER", "Barrier Misuse", true},
};
/* An address outside of a window that the code names itself. */
static const struct exception out_of_range = {"Warp Out-of-range Address", "CUDA_EXCEPTION_5",
					      "Warp Out-of-range Address", true};

/* Is it near one of the shared windows in flight, or beyond one? Shared windows lie in
 * memory of the simulator's own, so the nearest thing below the address tells. */
static bool beyond_shared(const struct stop *stop)
{
	const struct cudasim_block *block = stop->thread ? stop->thread->block : NULL;
	const unsigned char *at = stop->fault->address;
	struct cudasim_memory memory;
	bool inside, freed;
	if (!block || !block->shared || !at)
		return false;
	if (cudasim_memory_find(at, &memory, &inside, &freed))
		return false;
	const ptrdiff_t nearby = 16 << 20;
	return at >= block->shared - nearby && at < block->shared + block->shared_bytes + nearby;
}

static const struct exception *exception_of(const struct stop *stop)
{
	const struct cudasim_fault *fault = stop->fault;
	if (fault->kind == CUDASIM_FAULT_ADDRESS && beyond_shared(stop))
		return &out_of_range;
	return &exceptions[fault->kind];
}

const char *fault_name(const struct stop *stop)
{
	if (!stop->fault || stop->fault->kind == CUDASIM_FAULT_TRAP)
		return "None"; /* a signal, no exception */
	return exception_of(stop)->text;
}

static void report_place(FILE *out, const struct stop *stop)
{
	struct frame *frames = NULL;
	size_t n = 0;
	if (!stop->thread)
		return;
	cudasim_error_free(frames_of_thread(stop->thread, &frames, &n));
	if (n) {
		const struct frame *f = &frames[0];
		fprintf(out, "The exception was triggered at PC 0x%" PRIx64 "  %s", f->pc,
			f->function ? f->function->signature : f->name);
		if (f->file)
			fprintf(out, "  (%s:%u)", f->file, f->line);
		fputc('\n', out);
	}
	free(frames);
}

static void report_memory(FILE *out, const struct cudasim_fault *fault)
{
	struct cudasim_memory memory;
	bool inside, freed;
	uint64_t at = (uintptr_t)fault->address;
	/* Without an address the message does not tell one either: it is not known. */
	if (!at && (!fault->message || !strstr(fault->message, "address 0x0,")))
		return;
	fprintf(out, "Address 0x%" PRIx64, at);
	if (!cudasim_memory_find(fault->address, &memory, &inside, &freed)) {
		fputs(at < 4096 ? ": a null pointer" : ": no allocation is near it", out);
	} else {
		uint64_t base = (uintptr_t)memory.address;
		uint64_t end = base + memory.size;
		if (inside)
			fprintf(out, ": %" PRIu64 " bytes into ", at - base);
		else if (at < base)
			fprintf(out, ": %" PRIu64 " bytes before ", base - at);
		else
			fprintf(out, ": %" PRIu64 " bytes past the end of ", at - end);
		fprintf(out, "%s%" PRIu64 " bytes at 0x%" PRIx64, freed ? "freed memory, " : "",
			memory.size, base);
		if (memory.function)
			fprintf(out, " (%s)", memory.function);
	}
	fputc('\n', out);
}

/* What the program's stderr has already got tells more. */
static void report_advice(FILE *out, enum cudasim_fault_kind kind)
{
	if (kind == CUDASIM_FAULT_DEADLOCK)
		fputs("No thread of the kernel can continue; \"info cuda barriers\" shows what they "
		      "wait for.\n",
		      out);
	if (kind == CUDASIM_FAULT_TIMEOUT)
		fputs("The kernel ran longer than CUDASIM_TIMEOUT allows.\n", out);
}

static void report_stack(FILE *out, const struct stop *stop)
{
	uint64_t low, high, used;
	if (!stop->thread)
		return;
	cudasim_thread_stack(stop->thread, &low, &high, &used);
	fprintf(out,
		"Warp: %u, lane: %u exceeds stack memory limit, stack pointer: 0x%08" PRIx64
		", allowed limit: 0x%08" PRIx64 ".\n",
		stop->thread->warp, stop->thread->lane, used, low);
}

void report_signal(FILE *out, const char *name, const char *text)
{
	fprintf(out, "\nThread 1 \"%s\" received signal %s, %s.\n", program_invocation_short_name,
		name, text);
}

void report_fault(FILE *out, const struct stop *stop)
{
	const struct exception *exception = exception_of(stop);
	enum cudasim_fault_kind kind = stop->fault->kind;
	if (exception->title)
		fprintf(out, "\nCUDA Exception: %s\n", exception->title);
	if (kind == CUDASIM_FAULT_ASSERT)
		fputs("\nAssertion failed.\n", out);
	if (exception->has_place)
		report_place(out, stop);
	if (kind == CUDASIM_FAULT_STACK)
		report_stack(out, stop);
	else if (stop->fault->address || kind == CUDASIM_FAULT_ADDRESS)
		report_memory(out, stop->fault);
	report_advice(out, kind);
	report_signal(out, exception->signal, exception->text);
}
