/* SPDX-License-Identifier: Apache-2.0 */
/* fault_signals.h - the signals by which device code dies or is interrupted. */
#ifndef CUDASIM_SIM_FAULT_SIGNALS_H
#define CUDASIM_SIM_FAULT_SIGNALS_H

/* Catch SIGSEGV, SIGBUS, SIGFPE, SIGILL and the timeout's signal; once. Signals
 * that are not device code's go on to the handler that was there before. */
void fault_install(void);
/* Put the handlers on top of those that the program has installed since (test frameworks
 * do). One system call where nothing has changed. */
void fault_claim(void);

/* The signal by which a worker is told to look at its launch. */
int fault_nudge_signal(void);

#endif
