/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h - the processors that bodies are compiled for, and object files. */
#ifndef CUDASIM_COMPILER_MACHINE_H
#define CUDASIM_COMPILER_MACHINE_H

#include <llvm-c/TargetMachine.h>

#include "device.h"

/* Triple and data layout of all bodies. */
extern const char machine_triple[], machine_data_layout[];

/* A target machine for the stage: x86-64-v4 for DEVICE_V4, else x86-64-v3. The
 * caller ends it with LLVMDisposeTargetMachine. */
struct cudasim_error *machine_new(const struct device_module *dm, LLVMTargetMachineRef *ret);

/* Compile the module to an object file. */
struct cudasim_error *machine_emit(struct device_module *dm, LLVMTargetMachineRef machine,
				   const char *path);

#endif
