/* SPDX-License-Identifier: Apache-2.0 */
/* signal_name.h - what signals are called: sigabbrev_np() and sigdescr_np(), which the C library has from
 * glibc 2.32 on. */
#ifndef CUDASIM_BASE_SIGNAL_NAME_H
#define CUDASIM_BASE_SIGNAL_NAME_H

/* "SEGV"; NULL for real-time signals and for numbers that are no signal's. */
const char *signal_abbreviation(int number);

/* "Segmentation fault", as the C library says it; NULL likewise. */
const char *signal_text(int number);

#endif
