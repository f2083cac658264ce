/* SPDX-License-Identifier: Apache-2.0 */
/* console_stream.c - the stream alone; the shell opens it. */
#include "console.h"

FILE *console;
