/* SPDX-License-Identifier: Apache-2.0 */
/* host_state.h - what is kept of host code, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_HOST_STATE_H
#define CUDASIM_DEBUGGER_HOST_STATE_H

#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <ucontext.h>

#include "host_text.h"
#include "host_trap.h"

enum { HOST_N_FATAL = 20, HOST_MAX_SITES = 1024, HOST_MAX_RANGES = 64 };

/* host.c */
struct host_stop {
	struct sigaction before[HOST_N_FATAL];
	ucontext_t *stopped;
	pid_t main_thread, stopped_tid;
};

/* disassemble.c */
struct host_disassembler {
	int flavor; /* set disassembly-flavor: index into its choices */
	size_t handle; /* capstone's csh */
};

/* host_end.c */
struct host_ends {
	pid_t own_process;
	int memory;
};

/* host_lines.c */
struct host_rows {
	struct host_row *rows;
	size_t n_rows, max_rows;
	struct entry *entries;
	size_t n_entries, max_entries;
};

/* host_text.c */
struct host_sites {
	struct trap_site sites[HOST_MAX_SITES];
	unsigned n_sites;
	int memory;
};

/* host_trap_device.c */
struct host_device_step {
	struct cudasim_thread *thread; /* NULL: none is stepped */
	bool over_calls;
	bool started;        /* it stands where the user saw it: the next trap may stop */
	uint64_t frame;      /* nexti: not in what this frame calls */
	uint64_t low, high;  /* ... of the function where it began */
	uint64_t text_low, text_high;
	uint64_t pc;         /* of the instruction that is executed */
	uint64_t target;     /* an int3 of ours; 0: none */
	uint64_t target_sp;  /* rsp is above this when its own frame comes there */
};

/* host_trap.c */
struct host_traps {
	struct host_breakpoint *breakpoints;
	/* What a host thread is being stepped for; one at a time. */
	struct {
		pid_t tid; /* 0: nobody */
		enum resume_kind kind;
		uint32_t line;       /* that is left */
		const char *file;
		uint64_t sp;         /* at the beginning: what is returned from lies below */
		uint64_t pc;
		uint64_t return_pc;  /* an int3 of ours: where a call returns to; 0: none */
		uint64_t return_sp;  /* ... and rsp must be above this there */
		bool return_ends;    /* the step ends there */
		bool called;         /* the instruction before was a call */
		bool returned;       /* ... a return */
		uint64_t targets[16];
		unsigned n_targets;  /* until and advance LOCATION */
		uint64_t entry;      /* an int3 of ours behind a function's prologue; 0: none */
	} stepping;
	/* The site that a thread is stepping over. */
	struct {
		pid_t tid;
		struct trap_site *site;
	} over;
	/* From the executable's entry to main(). */
	struct {
		uint64_t entry, main;
	} start;
	/* A call that stops where it returns to. One at a time; tid 0: none. */
	struct {
		_Atomic pid_t tid;
		uint64_t pc;
		char *report;
	} after_call;
	uint64_t result[2]; /* rax and xmm0 of a function that has returned */
	volatile bool is_interrupted; /* asked for, and not answered yet */
	volatile bool is_urgent;      /* it is to stop wherever it is */
	volatile bool is_refused;     /* it came where the thread may not be stopped */
};

/* host_safe.c: code in which a thread is not stopped at any moment. */
struct host_safe {
	struct {
		uint64_t low, high;
	} ranges[HOST_MAX_RANGES];
	unsigned n;
};

struct host_state {
	struct host_stop stop;
	struct host_disassembler disassembler;
	struct host_ends ends;
	struct host_rows lines;
	struct host_sites text;
	struct host_device_step device;
	struct host_traps traps;
	struct host_safe safe;
};
#define HOST_STATE_INITIAL {.ends = {.memory = -1}, .text = {.memory = -1}}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct host_state *host_state(void);

#endif
