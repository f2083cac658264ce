/* SPDX-License-Identifier: Apache-2.0 */
/* front.h - the command lines of the tools that a plan's jobs run: clang for
 * both passes over a .cu file, the device compiler, the host's compiler. */
#ifndef CUDASIM_DRIVER_FRONT_H
#define CUDASIM_DRIVER_FRONT_H

#include "plan.h"

/* clang for the device side of an architecture by clang's name, without input,
 * output and action. */
void front_add_device(struct words *words, const struct command *command,
		      const struct surroundings *here, const char *architecture);

/* clang for the host side, likewise. */
void front_add_host(struct words *words, const struct command *command,
		    const struct surroundings *here);

/* The device compiler's options that follow from the command; number is the
 * bitcode's __CUDA_ARCH__. */
void front_add_devcc(struct words *words, const struct command *command,
		     const struct surroundings *here, unsigned number);

/* ptxas' options that follow from the command, as nvcc gives them. */
void front_add_ptxas(struct words *words, const struct command *command);

/* The host's compiler for .c and .cpp files, likewise. */
void front_add_host_compiler(struct words *words, const struct command *command,
			     const struct surroundings *here, enum input_kind kind);

/* The host's compiler as a linker, up to the objects. */
void front_add_linker(struct words *words, const struct command *command,
		      const struct surroundings *here);

/* The CUDA runtime, and the folders that it is in. CMake knows the line of the link by this text. */
void front_add_runtime(struct words *words, const struct surroundings *here);

/* The library that -Xcompiler -fopenmp asks for, if it does: before all objects and libraries. */
void front_add_openmp(struct words *words, const struct command *command,
		      const struct surroundings *here);

#endif
