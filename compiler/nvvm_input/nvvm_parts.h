/* SPDX-License-Identifier: Apache-2.0 */
/* nvvm_parts.h - the steps of nvvm_input.c. */
#ifndef CUDASIM_COMPILER_NVVM_PARTS_H
#define CUDASIM_COMPILER_NVVM_PARTS_H

#include "device.h"

/* A file of text or of bitcode, as a module of dm's context. The caller owns *ret. */
struct cudasim_error *nvvm_read(struct device_module *dm, const char *path, LLVMModuleRef *ret);

/* What has to be right of every module that is not lazy: its version, data layout and triple are
 * there. all: also what nvvmVerifyProgram() finds. */
struct cudasim_error *nvvm_check_header(LLVMModuleRef module, const char *path, bool all);

/* The rules of NVVM IR for instructions and globals. */
struct cudasim_error *nvvm_check_rules(LLVMModuleRef module);

/* Puts LLVM 19's intrinsics into the place of those of NVVM IR that it does not know. What is
 * wrong with one is a diagnosis of dm's. */
void nvvm_translate_intrinsics(struct device_module *dm);

/* Defines the functions of cooperative groups that the module calls. */
struct cudasim_error *nvvm_add_groups(struct device_module *dm);

/* Gives functions without debug information places that differ. */
void nvvm_add_places(struct device_module *dm);

/* Marks what clang marks. */
void nvvm_adapt(struct device_module *dm);

#endif
