/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_input.h - files of PTX among the device compiler's inputs. */
#ifndef CUDASIM_COMPILER_PTX_INPUT_H
#define CUDASIM_COMPILER_PTX_INPUT_H

#include "device.h"

/* By its name: it ends in .ptx. */
bool ptx_input_is(const char *path);

/* The file's module as IR with its registers promoted. What is wrong with it is shown on
 * stderr as ptxas shows it ("ptxas FILE, line N; error   : TEXT"); the error returned is
 * the line that ptxas ends with. */
struct cudasim_error *ptx_input_read(struct device_module *dm, const char *path,
				     LLVMModuleRef *ret);

/* The error that the module, read from path, defines what dm's does. */
struct cudasim_error *ptx_input_compare(struct device_module *dm, LLVMModuleRef module,
					const char *path);

/* The error that something is used and defined nowhere, when all inputs are linked. */
struct cudasim_error *ptx_input_check(struct device_module *dm);

#endif
