/* SPDX-License-Identifier: Apache-2.0 */
/* host_trap.h - between host.c and host_trap.c. */
#ifndef CUDASIM_DEBUGGER_HOST_TRAP_H
#define CUDASIM_DEBUGGER_HOST_TRAP_H

#include <sys/types.h>
#include <ucontext.h>

#include "host.h"

/* host_safe.c: before other threads are there. */
void host_safe_start(void);
/* May a thread that was interrupted there be stopped? Async-signal-safe. */
bool host_is_safe(const ucontext_t *context);

/* Registers between a signal's context and DWARF's order. */
void host_context_read(const ucontext_t *context, struct registers *ret);
void host_context_write(ucontext_t *context, int number, uint64_t value);

/* Stop the program where context stands: what host_registers() answers meanwhile.
 * Inside a signal handler. Returns how it goes on. */
const struct resume *host_stop(ucontext_t *context, struct stop *stop);
/* The context of the stop that the REPL is at, NULL where it is none of the host's. */
ucontext_t *host_stopped(void);
pid_t host_stopped_tid(void);

/* SIGTRAP's handler. */
void host_on_trap(int number, siginfo_t *info, void *context);
/* Step from the entry of the executable to main(), then STOP_START. */
struct cudasim_error *host_trap_start(uint64_t entry);
/* In a forked child. */
void host_trap_forget(void);
void host_trap_flag(ucontext_t *context, bool on);

/* Ask a host thread to stop with STOP_INTERRUPT; on the REPL's pthread. The first thread that
 * gets to it answers: this one, or one that is being stepped. */
void host_trap_interrupt(pid_t tid, bool is_urgent);
/* From now on SIGINT is blocked in this thread. */
void host_trap_block_interrupt(pid_t tid);
/* Another stop has come first. */
void host_trap_interrupt_forget(void);
/* ---- host_trap_device.c: instruction steps of device threads --------------------- */

/* A CUDA thread has come to an int3 of ours: true where it goes on by one instruction. */
bool host_trap_device_reached(ucontext_t *context);
/* A single step is done: true where it was one of a device thread's. */
bool host_trap_device_step(ucontext_t *context);
/* In a forked child. */
void host_trap_device_forget(void);

#endif
