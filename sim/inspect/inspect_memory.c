/* SPDX-License-Identifier: Apache-2.0 */
/* inspect_memory.c - inspect.h over devices and variables, and reading and writing memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cudasim/inspect.h"
#include "device.h"
#include "error.h"
#include "memory.h"
#include "observer.h"
#include "profile.h"

/* ---- devices --------------------------------------------------------------- */

bool cudasim_device_describe(uint32_t ordinal, struct cudasim_device *ret)
{
	if (ordinal >= (uint32_t)device_count())
		return false;
	const struct device *device = device_get((int)ordinal);
	const struct profile *p = device->profile;
	struct cudaDeviceProp properties;
	profile_properties(device, &properties);
	*ret = (struct cudasim_device){
		.name = p->name,
		.ordinal = ordinal,
		.major = (uint32_t)p->major,
		.minor = (uint32_t)p->minor,
		.n_sms = p->n_sms,
		.n_warps_per_sm = p->max_threads_per_sm / CUDASIM_WARP_SIZE,
		.n_registers = p->max_registers_per_thread,
		.pci_bus = (uint32_t)properties.pciBusID,
		.pci_device = (uint32_t)properties.pciDeviceID,
		.active = device->active,
	};
	return true;
}

/* ---- variables ------------------------------------------------------------ */

static const struct cudasim_variable *find_in(const struct cudasim_module *module, const char *name)
{
	for (uint64_t i = 0; i < module->n_variables; i++)
		if (!strcmp(module->variables[i].name, name) ||
		    !strcmp(module->variables[i].display, name))
			return &module->variables[i];
	return NULL;
}

struct cudasim_error *cudasim_variable_find(const struct cudasim_module *module, const char *name,
					    uint32_t device, void **address,
					    const struct cudasim_variable **ret)
{
	const struct cudasim_module *const *modules;
	const struct cudasim_variable *variable = NULL;
	size_t n;
	if (device >= (uint32_t)device_count())
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "there is no device %u", device);
	cudasim_modules(&modules, &n);
	for (size_t i = 0; i < n && !variable; i++) {
		if (module && modules[i] != module)
			continue;
		variable = find_in(modules[i], name);
		if (!variable)
			continue;
		char *base = modules[i]->variables_base[device];
		if (!base)
			return cudasim_error_new(CUDASIM_E_NOTFOUND,
						 "device %u has not been used yet", device);
		*address = base + variable->offset;
		if (variable->flags & CUDASIM_VARIABLE_MANAGED)
			memcpy(address, base + variable->offset, sizeof *address);
	}
	if (!variable)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "there is no variable named %s", name);
	*ret = variable;
	return NULL;
}

/* ---- memory without faults ------------------------------------------------ */

/* The kernel writes for us, also where the program itself may not, and says how far it
 * came. */
static int own_memory(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int fd = -1;
	pthread_mutex_lock(&lock);
	if (fd < 0)
		fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	pthread_mutex_unlock(&lock);
	return fd;
}

/* What lies there without being readable is not there: /proc/self/mem would read it
 * all the same, and address space that is reserved for device memory as zeros. The
 * kernel copies whole pieces only, so each page is one. */
size_t cudasim_memory_read(const void *address, void *to, size_t n)
{
	enum { PAGE = 4096, PIECES = 256 };
	size_t done = 0;
	while (done < n) {
		struct iovec from[PIECES], into = {(char *)to + done, 0};
		uintptr_t at = (uintptr_t)address + done;
		unsigned pieces = 0;
		while (pieces < PIECES && done + into.iov_len < n) {
			size_t size = PAGE - at % PAGE, rest = n - done - into.iov_len;
			if (size > rest)
				size = rest;
			from[pieces++] = (struct iovec){(void *)at, size};
			into.iov_len += size;
			at += size;
		}
		ssize_t got = process_vm_readv(getpid(), &into, 1, from, pieces, 0);
		if (got < 0 && (errno == ENOSYS || errno == EPERM)) /* a sandbox forbids it */
			got = pread(own_memory(), into.iov_base, into.iov_len,
				    (off_t)((uintptr_t)address + done));
		if (got > 0)
			done += (size_t)got;
		if (got < 0 || (size_t)got < into.iov_len)
			break;
	}
	return done;
}

size_t cudasim_memory_write(void *address, const void *from, size_t n)
{
	char probe;
	if (n && !cudasim_memory_read(address, &probe, 1))
		return 0; /* reserved, too */
	ssize_t done = pwrite(own_memory(), from, n, (off_t)(uintptr_t)address);
	return done < 0 ? 0 : (size_t)done;
}

/* ---- who wrote last ------------------------------------------------------- */

static _Atomic(cudasim_last_write_fn *) last_write;
static _Atomic bool last_write_wanted;

void cudasim_last_write_want(void)
{
	atomic_store(&last_write_wanted, true);
}

bool cudasim_last_write_wanted(void)
{
	return atomic_load(&last_write_wanted);
}

void cudasim_last_write_handle(cudasim_last_write_fn *handler)
{
	atomic_store(&last_write, handler);
}

bool cudasim_last_write(const struct cudasim_block *block, const void *address,
			struct cudasim_last_write *ret)
{
	cudasim_last_write_fn *handler = atomic_load(&last_write);
	return handler && handler(block, address, ret);
}
