/* SPDX-License-Identifier: Apache-2.0 */
/* loaded.c - the shared object lies in memory only: a file that is nowhere but under its
 * descriptor, which stays open so that debuggers can read it and no other gets its path.
 * Rejected: dlmopen(), for code in another namespace would have a libcudasim of its own. */
#define _GNU_SOURCE
#include "loaded.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device.h"
#include "fatbin.h"
#include "image.h"
#include "log.h"
#include "ptx.h"
#include "ptx_text.h"
#include "registry.h"
#include "process.h"

struct managed {
	const struct cudasim_variable *variable;
	void *storage;
	size_t bytes;
};

struct loaded {
	struct loaded *next;
	void *object; /* dlopen()'s */
	int file;
	const struct cudasim_module *module;
	struct binary *binary;
	char *stubs; /* [n_kernels]: addresses that stand for the kernels */
	struct managed *managed;
	size_t n_managed;
};

enum { BEHIND = 64 }; /* zeros behind a file */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct loaded *all;

/* ---- what it is ------------------------------------------------------------------------- */

static cudaError_t refuse(const char *call, const char *what)
{
	log_line(
		"%s: %s; the simulator loads what cudasim cc -ptx, -cubin or -fatbin, or NVRTC, makes "
		"of the CUDA source (docs/API.md)",
		call, what);
	return cudaErrorNotSupported;
}

/* Host objects register a fat binary by a structure that points to it, and so do some callers. */
static const void *unwrap(const void *data)
{
	static const uint32_t wrapper = 0x466243b1;
	struct {
		uint32_t magic, version;
		const void *data;
	} head;
	if (memcmp(data, &wrapper, sizeof wrapper))
		return data;
	memcpy(&head, data, sizeof head);
	return head.data;
}

static cudaError_t compile(const char *text, const char *call, char **log, unsigned char **object,
			   size_t *n)
{
	struct ptx_piece piece = {text, NULL};
	char *image = NULL;
	cudaError_t error = ptx_compile(&piece, 1, &image, log);
	if (error)
		loaded_tell(call, error, *log);
	else if (image_read(image, object, n) != IMAGE_FOUND)
		error = cudaErrorMemoryAllocation;
	free(image);
	return error;
}

void loaded_tell(const char *call, cudaError_t error, const char *log)
{
	if (error == cudaErrorJitCompilerNotFound)
		log_line("%s: cudasim cc, which compiles PTX, cannot be run", call);
	else if (log)
		log_line("%s: %.*s", call, (int)strcspn(log, "\n"), log);
}

static cudaError_t find_object(const void *data, const char *call, char **log,
			       unsigned char **object, size_t *n)
{
	data = unwrap(data);
	const char *text = data;
	bool is_fatbin = false;
	if (!strncmp(data, "\177ELF", 4))
		return refuse(call, "this is machine code of a GPU");
	if (strnlen(data, 4) == 4 && fatbin_is(data)) {
		is_fatbin = true;
		text = fatbin_ptx(data);
	}
	switch (text ? image_read(text, object, n) : IMAGE_NONE) {
	case IMAGE_FOUND:
		return cudaSuccess;
	case IMAGE_DAMAGED:
		log_line(
			"%s: the code was changed since cudasim made it, or is cut off (without its "
			"first line, PTX that was changed on purpose is compiled)",
			call);
		return cudaErrorInvalidKernelImage;
	case IMAGE_NOMEM:
		return cudaErrorMemoryAllocation;
	case IMAGE_NONE:
		break;
	}
	if (text && ptx_is(text))
		return compile(text, call, log, object, n);
	if (is_fatbin)
		return refuse(call, "this fat binary contains code for GPUs only");
	*log = strdup("error   : this is neither PTX nor another form of device code");
	return cudaErrorInvalidKernelImage;
}

/* ---- opening ------------------------------------------------------------------------------ */

static cudaError_t write_all(int file, const unsigned char *bytes, size_t n)
{
	while (n) {
		ssize_t done = write(file, bytes, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return cudaErrorMemoryAllocation;
		bytes += done;
		n -= (size_t)done;
	}
	return cudaSuccess;
}

static cudaError_t open_object(struct loaded *l, const unsigned char *object, size_t n,
			       const char *call)
{
	l->file = memfd_create("cudasim-image", MFD_CLOEXEC);
	if (l->file < 0)
		return cudaErrorMemoryAllocation;
	cudaError_t error = write_all(l->file, object, n);
	if (error)
		return error;
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", l->file);
	registry_expect(&l->module);
	l->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	registry_expect(NULL);
	if (!l->object) {
		log_line("%s: %s", call, dlerror());
		return cudaErrorSharedObjectSymbolNotFound;
	}
	return l->module ? cudaSuccess : cudaErrorNoKernelImageForDevice;
}

static cudaError_t add_managed(struct loaded *l, const struct cudasim_variable *variable)
{
	struct managed *m = &l->managed[l->n_managed];
	m->variable = variable;
	m->bytes = variable->size;
	m->storage = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);
	if (m->storage == MAP_FAILED)
		return cudaErrorMemoryAllocation;
	l->n_managed++;
	registry_add_variable(l->binary, m->storage, variable->name);
	return cudaSuccess;
}

static cudaError_t add_all(struct loaded *l)
{
	const struct cudasim_module *module = l->module;
	l->binary = registry_add_linked(module);
	l->stubs = calloc(module->n_kernels + 1, 1);
	l->managed = calloc(module->n_variables + 1, sizeof *l->managed);
	if (!l->stubs || !l->managed)
		return cudaErrorMemoryAllocation;
	for (uint64_t i = 0; i < module->n_kernels; i++)
		registry_add_function(l->binary, l->stubs + i, module->kernels[i].name);
	cudaError_t error = cudaSuccess;
	for (uint64_t i = 0; i < module->n_variables && !error; i++)
		if (module->variables[i].flags & CUDASIM_VARIABLE_MANAGED)
			error = add_managed(l, &module->variables[i]);
	return error;
}

static void dispose(struct loaded *l)
{
	if (l->binary)
		registry_remove_binary(l->binary);
	for (size_t i = 0; i < l->n_managed; i++)
		munmap(l->managed[i].storage, l->managed[i].bytes);
	if (l->object)
		dlclose(l->object);
	if (l->file >= 0)
		close(l->file);
	free(l->managed);
	free(l->stubs);
	free(l);
}

cudaError_t loaded_new(const void *data, const char *call, char **log, struct loaded **ret)
{
	unsigned char *object = NULL;
	size_t n;
	*log = NULL;
	cudaError_t error = find_object(data, call, log, &object, &n);
	if (error)
		return error;
	struct loaded *l = calloc(1, sizeof *l);
	if (!l) {
		free(object);
		return cudaErrorMemoryAllocation;
	}
	l->file = -1;
	error = open_object(l, object, n, call);
	free(object);
	if (!error)
		error = add_all(l);
	if (error) {
		dispose(l);
		return error;
	}
	pthread_mutex_lock(&lock);
	l->next = all;
	all = l;
	pthread_mutex_unlock(&lock);
	*ret = l;
	return cudaSuccess;
}

cudaError_t loaded_read_file(const char *path, char **ret, size_t *n)
{
	FILE *file = fopen(path, "re");
	if (!file)
		return cudaErrorFileNotFound;
	char buffer[65536];
	size_t got;
	*ret = NULL;
	FILE *out = open_memstream(ret, n);
	while (out && (got = fread(buffer, 1, sizeof buffer, file)) > 0)
		fwrite(buffer, 1, got, out);
	bool failed = !out || ferror(file);
	/* No shorter than what is looked at to know what it is. */
	memset(buffer, 0, BEHIND);
	failed |= !failed && fwrite(buffer, 1, BEHIND, out) < BEHIND;
	failed |= out && fclose(out);
	fclose(file);
	if (failed) {
		free(*ret);
		*ret = NULL;
		return cudaErrorMemoryAllocation; /* as an H200's driver says of a folder */
	}
	*n -= BEHIND;
	if (fatbin_is(*ret) && !fatbin_is_whole(*ret, *n)) {
		log_line("'%s' is damaged: its header counts more bytes than it has", path);
		free(*ret);
		*ret = NULL;
		return cudaErrorInvalidKernelImage;
	}
	return cudaSuccess;
}

/* ---- handles -------------------------------------------------------------------------------- */

cudaError_t loaded_check(const struct loaded *loaded)
{
	pthread_mutex_lock(&lock);
	const struct loaded *l = all;
	while (l && l != loaded)
		l = l->next;
	pthread_mutex_unlock(&lock);
	return l ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t loaded_unload(struct loaded *loaded)
{
	struct loaded *found = NULL;
	pthread_mutex_lock(&lock);
	for (struct loaded **at = &all; *at && !found; at = found ? at : &(*at)->next) {
		if (*at == loaded) {
			found = loaded;
			*at = loaded->next;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	if (!found)
		return cudaErrorInvalidResourceHandle;
	process_quiesce();
	dispose(found);
	return cudaSuccess;
}

size_t loaded_n_kernels(const struct loaded *l)
{
	return l->module->n_kernels;
}

const void *loaded_kernel(const struct loaded *l, size_t i)
{
	return l->stubs + i;
}

const void *loaded_find_kernel(const struct loaded *l, const char *name)
{
	for (uint64_t i = 0; i < l->module->n_kernels; i++)
		if (!strcmp(l->module->kernels[i].name, name))
			return l->stubs + i;
	return NULL;
}

struct loaded *loaded_owner(const void *kernel)
{
	uintptr_t at = (uintptr_t)kernel;
	pthread_mutex_lock(&lock);
	struct loaded *l = all;
	while (l && (at < (uintptr_t)l->stubs || at >= (uintptr_t)l->stubs + l->module->n_kernels))
		l = l->next;
	pthread_mutex_unlock(&lock);
	return l;
}

cudaError_t loaded_variable(const struct loaded *l, enum loaded_variable kind, const char *name,
			    void **address, size_t *bytes)
{
	const struct cudasim_module *module = l->module;
	for (uint64_t i = 0; i < module->n_variables; i++) {
		const struct cudasim_variable *v = &module->variables[i];
		bool managed = v->flags & CUDASIM_VARIABLE_MANAGED;
		void *at = managed ? NULL
				   : (char *)module->variables_base[device_current()->ordinal] +
					     v->offset;
		if (strcmp(v->name, name) || (kind == LOADED_MANAGED && !managed))
			continue;
		for (size_t j = 0; j < l->n_managed; j++)
			if (l->managed[j].variable == v)
				at = l->managed[j].storage;
		if (address)
			*address = at;
		if (bytes)
			*bytes = v->size;
		return cudaSuccess;
	}
	return cudaErrorSymbolNotFound;
}
