/* SPDX-License-Identifier: Apache-2.0 */
/* stop_report.h - the parts of stop_report(). */
#ifndef CUDASIM_DEBUGGER_STOP_REPORT_H
#define CUDASIM_DEBUGGER_STOP_REPORT_H

#include <stdio.h>

#include "baton.h"
#include "focus.h"

/* What is said of a launch that is about to die, up to and without the place:
 * "CUDA Exception: ...", where it was, and "Thread 1 "app" received signal ...". */
void report_fault(FILE *out, const struct stop *stop);
/* A STOP_FAULT in the Exception column of `info cuda lanes`: "Warp Illegal Address". */
const char *fault_name(const struct stop *stop);
/* "\nThread 1 "app" received signal NAME, TEXT.\n" */
void report_signal(FILE *out, const char *name, const char *text);

/* All that is said of a stop when the program has come to it, in cuda-gdb's form: the
 * stop's report, "[Switching focus ...]", "CUDA thread hit Breakpoint 1, f (a=1) at
 * x.cu:8" and the source line. before: the focus when the program went on. Displays
 * follow separately (displays_show()). */
void stop_report(FILE *out, const struct stop *stop, const struct focus *before);
/* The function of the innermost frame and how many there are: a step that ends in the
 * same ones tells the source line only. Called when the focus was moved by hand. */
void stop_remember_frame(void);

#endif
