/* SPDX-License-Identifier: Apache-2.0 */
/* profile.h - a real device's properties as a file, to simulate it elsewhere:
 *
 *	cudasim profile 1
 *	name NVIDIA H200
 *	memory 150109880320 552402944      (bytes: all, and what is never free)
 *	attribute 1 1024                   (cudaDeviceGetAttribute: number, value)
 *	...
 *
 * Lines that begin with # say nothing. */
#ifndef CUDASIM_PROFILE_H
#define CUDASIM_PROFILE_H

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Write the profile of the machine's device to path; NULL is stdout. Opens the real libcudart
 * and a context on the device.
 *   CUDASIM_E_NOTFOUND  no libcudart, no driver, no such device
 *   CUDASIM_E_FORMAT    a libcudart or driver of the wrong version
 *   CUDASIM_E_SYSTEM    the file cannot be written, or CUDA fails */
__attribute__((visibility("default"))) struct cudasim_error *
cudasim_profile_write(int device, const char *path);

#ifdef __cplusplus
}
#endif
#endif
