/* SPDX-License-Identifier: Apache-2.0 */
/* host.h - the host side of the program: breakpoints as int3 in its own text,
 * a stopped host thread, its frames through DWARF's call frame information. */
#ifndef CUDASIM_DEBUGGER_HOST_H
#define CUDASIM_DEBUGGER_HOST_H

#include <signal.h>
#include <ucontext.h>

#include "baton.h"
#include "symbols.h"

/* Signal handlers; a breakpoint at main (or where there is no symbol of that name at
 * the executable's entry into it), whose hit is STOP_START. Called from
 * cudasim_observer_init(), before main(). */
struct cudasim_error *host_start(void);

/* main() has begun already: the library was loaded by a program that is not linked with it. */
bool host_main_has_begun(void);
/* There: stop the calling thread where the library is loaded. Once, when all else is ready. */
void host_start_late(void);

/* Is the file linked with libcudasim, so that a debugger is there from its beginning? */
bool program_is_ours(const char *path);

/* Does a signal stop the program where it has no handler of its own? */
bool host_signal_stops(int number);
/* Notice _exit() and exec...(). After host_start(). */
struct cudasim_error *host_end_start(void);

/* Plant or remove an int3. The program stands still. A stop there calls
 * hit(user, registers) on the host thread, inside the signal handler: true stops. */
struct host_breakpoint;
struct cudasim_error *
host_breakpoint_add(uint64_t pc, bool (*hit)(void *user, const struct registers *, struct stop *),
		    void *user, struct host_breakpoint **ret);
void host_breakpoint_remove(struct host_breakpoint *breakpoint);

/* On a host thread inside a call of the program's: stop where it returns to, which is pc, and
 * say report, which is taken over. False where that cannot be done now: another thread is at
 * it, or there is no room; report stays the caller's then. */
bool host_stop_after_call(uint64_t pc, char *report);

/* Registers of the host thread that made the current stop; false where none did. */
bool host_registers(struct registers *ret);
struct cudasim_error *host_registers_set(int number, uint64_t value);

/* How the stopped host thread goes on: single steps until a new line and so on
 * (resume kinds). Called by program_resume() for host stops. */
struct cudasim_error *host_resume(const struct resume *how);
/* A stop elsewhere has come before the step of a host thread was done: it is given up. */
void host_step_end(void);

/* Stop the host thread that runs main(), from the REPL's pthread: Ctrl-C while no
 * kernel runs. Where it may hold a lock that the debugger needs it does not stop, and has to be
 * asked again, unless it is urgent. */
void host_interrupt(bool is_urgent);
/* It came to such a place. Only then is it sent again: a second signal could take the place of a
 * breakpoint's. */
bool host_interrupt_refused(void);
/* A stop has come: what has not been answered yet is not for what runs next. */
void host_interrupt_forget(void);

/* stepi and nexti of a device thread: called on the worker's stack just before the thread
 * goes on; the pthread then traps at the thread's next instruction in device code, where
 * the stop is made inside the signal handler (registers: host_registers()). */
void host_trap_device(struct cudasim_thread *thread, bool over_calls);
/* Another stop has come before, or the thread has ended: it is given up. */
void host_trap_device_end(void);

/* Disassemble up to n instructions from pc on, as x/i and disassemble write them:
 * "=> 0x... <f+4>:\tmov ..." with mark at the line of pc `current`. Returns the address
 * behind the last one. */
uint64_t host_disassemble(FILE *out, uint64_t pc, size_t n, uint64_t current);

#endif
