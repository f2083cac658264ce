/* SPDX-License-Identifier: Apache-2.0 */
/* stop_report.h - the parts of stop_report(). */
#ifndef CUDASIM_DEBUGGER_STOP_REPORT_H
#define CUDASIM_DEBUGGER_STOP_REPORT_H

#include <stdio.h>

#include "debugger.h"

/* What is said of a launch that is about to die, up to and without the place:
 * "CUDA Exception: ...", where it was, and "Thread 1 "app" received signal ...". */
void report_fault(FILE *out, const struct stop *stop);
/* A STOP_FAULT in the Exception column of `info cuda lanes`: "Warp Illegal Address". */
const char *fault_name(const struct stop *stop);
/* "\nThread 1 "app" received signal NAME, TEXT.\n" */
void report_signal(FILE *out, const char *name, const char *text);

#endif
