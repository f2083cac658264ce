/* SPDX-License-Identifier: Apache-2.0 */
/* library.h - the real libcudart.so and libcuda.so.1: found and opened, never linked. */
#ifndef CUDASIM_SIM_GPU_LIBRARY_H
#define CUDASIM_SIM_GPU_LIBRARY_H

#include <stdbool.h>

#include "cudasim/error.h"

/* Open the libcudart.so of the headers' major version: CUDASIM_LIBCUDART; the loader's path;
 * the toolkit's (CUDASIM_TOOLKIT, CUDA_HOME, CUDA_PATH, /usr/local/cuda); the vendor's Python
 * packages'. A library of another major version found there is passed over, but for
 * CUDASIM_LIBCUDART, which has to be right.
 *   CUDASIM_E_NOTFOUND  there is none
 *   CUDASIM_E_FORMAT    CUDASIM_LIBCUDART is no libcudart, or of another version */
struct cudasim_error *library_open(void);

/* Is there a driver and a device? The compute capability of device 0.
 *   CUDASIM_E_NOTFOUND  no driver, no device
 *   CUDASIM_E_FORMAT    the driver is too old
 *   CUDASIM_E_SYSTEM    anything else that the library says */
struct cudasim_error *library_device(int *major, int *minor);

/* A function of the real libraries by its name; libcuda.so.1 is opened at the first name that
 * is the driver's. NULL where the library has none. After library_open(). */
void *library_function(const char *name);
/* Is it a name of the driver's, as cuInit is? */
bool library_is_drivers(const char *name);
/* The real libcudart has called libcudasim in the place of the driver: errors of
 * library_device() say so. */
void library_note_itself(void);
/* The library in which that name is looked for, for messages. */
const char *library_name(const char *function);

#endif
