/* SPDX-License-Identifier: Apache-2.0 */
#define T double
#define R double
#define P D
#define LOWER d
#include "typed.inc"
