/* SPDX-License-Identifier: Apache-2.0 */
/* lower.h - NVVM IR made IR that knows no NVVM: what clang, the toolkit and PTX leave in it. */
#ifndef CUDASIM_COMPILER_LOWER_H
#define CUDASIM_COMPILER_LOWER_H

#include "device.h"

struct cudasim_error *pass_launches(struct device_module *dm); /* no kernel is called or a value */
struct cudasim_error *pass_builtin_variables(struct device_module *dm); /* warpSize is 32 */
struct cudasim_error *pass_promises(struct device_module *dm); /* none that GPU code breaks */
struct cudasim_error *pass_asm_known(struct device_module *dm); /* no PTX that pass_asm refuses */
struct cudasim_error *pass_shared_values(struct device_module *dm); /* no address of a shared one */
struct cudasim_error *pass_headers(struct device_module *dm); /* headers' functions inlined */
struct cudasim_error *pass_libdevice(struct device_module *dm); /* __nv_* defined */
struct cudasim_error *
pass_asm_strings(struct device_module *dm); /* constant strings are in its text */
struct cudasim_error *pass_asm(struct device_module *dm); /* no inline asm left */
struct cudasim_error *pass_retarget(struct device_module *dm); /* x86-64, no NVPTX attributes */
struct cudasim_error *pass_intrinsics(struct device_module *dm); /* no llvm.nvvm.* left */
struct cudasim_error *pass_runtime(struct device_module *dm); /* vprintf, malloc: __cudasim_* */
struct cudasim_error *pass_locals(struct device_module *dm); /* variables aligned */
struct cudasim_error *pass_inline(struct device_module *dm); /* builtins inlined */
struct cudasim_error *
pass_padding(struct device_module *dm); /* bodies: bits beside bit fields are zeros */
struct cudasim_error *pass_pairs(struct device_module *dm); /* bodies: sine and cosine at once */

#endif
