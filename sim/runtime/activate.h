/* SPDX-License-Identifier: Apache-2.0 */
/* activate.h - a device's first use. */
#ifndef CUDASIM_SIM_ACTIVATE_H
#define CUDASIM_SIM_ACTIVATE_H

struct device;

/* Give the device its memory, its streams and its variables, once. Returns a
 * cudaError_t. From any thread. */
int device_activate(struct device *device);

#endif
