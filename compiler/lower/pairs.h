/* SPDX-License-Identifier: Apache-2.0 */
/* pairs.h - libdevice's functions that compute two others' results at once. */
#ifndef CUDASIM_COMPILER_PAIRS_H
#define CUDASIM_COMPILER_PAIRS_H

#include "device.h"

/* Declares, so that it is linked, the function of two results where the module calls both that
 * have one each. */
void pairs_want(struct device_module *dm);
/* Those that are defined stay until pass_pairs. */
void pairs_keep(struct device_module *dm);

#endif
