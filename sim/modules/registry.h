/* SPDX-License-Identifier: Apache-2.0 */
/* registry.h - modules, kernels by the address of their host stub, variables by
 * the address of their host shadow.
 *
 * Compiled device code and the host's registration arrive in any order, before
 * main() or from dlopen(); they are matched by the id in the host's blob when
 * something is first looked up. Entries live as long as the process, except
 * where a library is closed. Everything is safe from any host thread. */
#ifndef CUDASIM_SIM_REGISTRY_H
#define CUDASIM_SIM_REGISTRY_H

#include <driver_types.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "cudasim/abi.h"

struct device;
struct early_launch;
struct binary; /* what one __cudaRegisterFatBinary() has registered */

/* A kernel as the host knows it. */
struct function {
	const void *stub;
	const char *name; /* mangled */
	struct binary *binary;
	const struct cudasim_module *module;
	const struct cudasim_kernel *kernel;
	bool said; /* that there is none */
	/* cudaFuncSetAttribute. */
	atomic_bool dynamic_shared_is_set;
	atomic_int max_dynamic_shared; /* bytes */
	atomic_int carveout;           /* percent, -1 is the default */
	atomic_int cluster[3];         /* required cluster size, 0 unless set */
	atomic_int cluster_policy;
	atomic_int non_portable_cluster;
	struct early_launch *early; /* driver_early.c: NULL unless used; goes with the function */
};

struct variable {
	const void *host;
	const char *name; /* mangled */
	struct binary *binary;
	const struct cudasim_module *module;
	const struct cudasim_variable *variable;
	bool initialised; /* managed ones: the storage has its first value */
};

/* Call came() after each module that registers from now on. */
void registry_on_module(void (*came)(void));
struct binary *registry_add_binary(const void *data);
/* Say once that device code of this kind cannot be simulated. */
void registry_say_unusable(const void *data);
/* As above for a binary whose module is known. */
struct binary *registry_add_linked(const struct cudasim_module *module);
/* Between this call and one with NULL, a module that registers on this host thread is stored
 * to *ret, too. */
void registry_expect(const struct cudasim_module **ret);
void registry_remove_binary(struct binary *binary);
/* Whether the binary's module has registered. */
bool registry_has_module(struct binary *binary);
void registry_add_function(struct binary *binary, const void *stub, const char *name);
void registry_add_variable(struct binary *binary, const void *host, const char *name);

/* The kernel of a host stub (or of what cudaGetFuncBySymbol gave for it).
 * cudaErrorInvalidResourceHandle where nothing was registered at the address,
 * cudaErrorInvalidDeviceFunction for NULL and where no device code came with it. */
cudaError_t registry_function(const void *stub, struct function **ret);

/* The function of a kernel, or NULL where the host knows none. */
struct function *registry_function_of(const struct cudasim_kernel *kernel);

/* Libraries closed so far: while it stays the same, functions that registry_function() has
 * given do. */
extern atomic_uint registry_removals;

/* The variable of a host shadow; cudaErrorInvalidSymbol where there is none. */
cudaError_t registry_variable(const void *host, struct variable **ret);
/* Where the device's instance lies, for managed variables the storage. The
 * device is active. */
void *registry_address(const struct variable *variable, const struct device *device);

/* Place the variables of all modules on the device, as part of its activation.
 * Returns a cudaError_t. */
int registry_place(struct device *device);
/* Give the device's variables their initial values again (cudaDeviceReset). */
void registry_reset(struct device *device);

#endif
