/* SPDX-License-Identifier: Apache-2.0 */
/* registry.c - one lock over a few lists. Kernels and variables are found by
 * address in hash tables; within a module a kernel is found by name once, when
 * it is first asked for. */
#define _GNU_SOURCE
#include "registry.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "blob.h"
#include "cudasim/inspect.h"
#include "device.h"
#include "hash.h"
#include "log.h"
#include "memory.h"
#include "observer.h"

/* First bytes of what NVIDIA's fatbinary writes. */
static const uint32_t nvidia_magic = 0xba55ed50;
/* First bytes of the blobs of all versions of cudasim; the eighth differs. */
static const char blob_family[7] = "CUDASIM";
enum { PAGE = 4096 };

/* What a host object, or a translation unit of a -rdc program, registers. */
struct binary {
	const struct cudasim_blob *blob; /* NULL: linked, or not ours */
	const struct cudasim_module *module;
	struct binary *next;
};

/* A page of a module's variables that is not all zero at first. */
struct page {
	struct page *next;
	uint64_t offset;
	unsigned char bytes[PAGE];
};

/* A registered module. */
struct entry {
	const struct cudasim_module *module;
	struct page *initial; /* what registry_reset() restores */
	bool saved;
};

/* Recursive, because observers that hear of managed variables may ask for the
 * modules. */
static _Atomic(void (*)(void)) module_came;
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static const struct cudasim_module **modules; /* cudasim_modules() shows these */
static struct entry *entries;                 /* the same */
static size_t n_modules, capacity;
static struct binary *binaries;
static struct hash functions, variables;
atomic_uint registry_removals;
/* What the program unregisters at its end stays, for reports to name. */
static bool exiting;

/* ---- modules ------------------------------------------------------------- */

static void die_nomem(void)
{
	log_line("out of memory while kernels are registered");
	exit(1);
}

static bool append(const struct cudasim_module *module)
{
	for (size_t i = 0; i < n_modules; i++)
		if (modules[i] == module)
			return false;
	if (n_modules == capacity) {
		/* The old list may still be read through cudasim_modules(): it
		 * stays, as small as it is. */
		size_t bigger = capacity ? 2 * capacity : 64;
		const struct cudasim_module **m = calloc(bigger, sizeof *m);
		struct entry *e = calloc(bigger, sizeof *e);
		if (!m || !e)
			die_nomem();
		if (n_modules) {
			memcpy(m, modules, n_modules * sizeof *m);
			memcpy(e, entries, n_modules * sizeof *e);
		}
		free(entries);
		modules = m;
		entries = e;
		capacity = bigger;
	}
	modules[n_modules] = module;
	entries[n_modules] = (struct entry){.module = module};
	n_modules++;
	return true;
}

void cudasim_modules(const struct cudasim_module *const **ret, size_t *n)
{
	pthread_mutex_lock(&lock);
	*ret = modules;
	*n = n_modules;
	pthread_mutex_unlock(&lock);
}

/* Keep the initial values, once, before anything can change them: pages that
 * are all zero need no copy. */
static void save(struct entry *entry)
{
	static const unsigned char zero[PAGE];
	const unsigned char *image = entry->module->variables_image;
	uint64_t size = entry->module->variables_size;
	if (entry->saved)
		return;
	entry->saved = true;
	for (uint64_t at = 0; at < size; at += PAGE) {
		uint64_t n = size - at < PAGE ? size - at : PAGE;
		if (!memcmp(image + at, zero, n))
			continue;
		struct page *page = malloc(sizeof *page);
		if (!page)
			die_nomem();
		page->offset = at;
		memcpy(page->bytes, image + at, n);
		page->next = entry->initial;
		entry->initial = page;
	}
}

/* Pointers among the values point into the image; in another instance they have
 * to point into that. */
static void relocate(const struct cudasim_module *module, unsigned char *base)
{
	uint64_t move = (uint64_t)(uintptr_t)base - (uint64_t)(uintptr_t)module->variables_image;
	for (uint64_t i = 0; i < module->n_relocations; i++) {
		uint64_t pointer;
		memcpy(&pointer, base + module->relocations[i], sizeof pointer);
		pointer += move;
		memcpy(base + module->relocations[i], &pointer, sizeof pointer);
	}
}

/* base holds zeros. */
static void restore(const struct entry *entry, unsigned char *base)
{
	uint64_t size = entry->module->variables_size;
	for (const struct page *page = entry->initial; page; page = page->next) {
		uint64_t n = size - page->offset < PAGE ? size - page->offset : PAGE;
		memcpy(base + page->offset, page->bytes, n);
	}
	relocate(entry->module, base);
}

static bool is_managed(const struct variable *v)
{
	return v->variable && v->variable->flags & CUDASIM_VARIABLE_MANAGED;
}

/* The storage of a managed variable goes to its slot in an instance of the
 * module's variables. The slot has held where the initial value is. */
static void bind(struct variable *v, char *base)
{
	void *slot = base + v->variable->offset, *storage = (void *)(uintptr_t)v->host;
	const void *initial;
	memcpy(&initial, slot, sizeof initial);
	if (!v->initialised && initial)
		memcpy(storage, initial, v->variable->size);
	v->initialised = true;
	memcpy(slot, &storage, sizeof storage);
}

static void bind_managed(const struct cudasim_module *module, unsigned ordinal)
{
	for (size_t i = 0; i < variables.n_slots; i++) {
		struct variable *v = variables.slots[i].value;
		if (v && v->module == module && is_managed(v))
			bind(v, module->variables_base[ordinal]);
	}
}

/* Give the module's variables a place on the device. Device 0's is the image. */
static int place(struct entry *entry, struct device *device)
{
	const struct cudasim_module *module = entry->module;
	uint64_t size = module->variables_size;
	if (!size || module->variables_base[device->ordinal])
		return cudaSuccess;
	save(entry);
	void *base = module->variables_image;
	if (device->ordinal) {
		base = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (base == MAP_FAILED)
			return cudaErrorMemoryAllocation;
		restore(entry, base);
	}
	module->variables_base[device->ordinal] = base;
	struct allocation what = {
		.kind = CUDASIM_MEMORY_VARIABLE,
		.device = (int)device->ordinal,
		.module = module,
	};
	memory_add(&what, base, size);
	bind_managed(module, device->ordinal);
	return cudaSuccess;
}

static void resolve_all(void);

/* Runs before whatever was registered with atexit() when the program was loaded. */
static void on_exit_begin(void)
{
	pthread_mutex_lock(&lock);
	exiting = true;
	pthread_mutex_unlock(&lock);
}

static void watch_exit(void)
{
	atexit(on_exit_begin);
}

int registry_place(struct device *device)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int error = cudaSuccess;
	pthread_once(&once, watch_exit);
	pthread_mutex_lock(&lock);
	resolve_all();
	for (size_t i = 0; i < n_modules && !error; i++)
		error = place(&entries[i], device);
	pthread_mutex_unlock(&lock);
	return error;
}

void registry_reset(struct device *device)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < n_modules; i++) {
		const struct cudasim_module *module = modules[i];
		void *base = module->variables_size ? module->variables_base[device->ordinal]
						    : NULL;
		if (!base)
			continue;
		memset(base, 0, module->variables_size);
		restore(&entries[i], base);
		for (size_t j = 0; j < variables.n_slots; j++) {
			struct variable *v = variables.slots[j].value;
			if (v && v->module == module)
				v->initialised = false;
		}
		bind_managed(module, device->ordinal);
	}
	pthread_mutex_unlock(&lock);
}

/* A module of another version cannot be read at all. */
static bool usable(const struct cudasim_module *module)
{
	if (module->abi_version == CUDASIM_ABI_VERSION)
		return true;
	log_line("device code was built by another version of cudasim (ABI %u, this is %u): "
		 "rebuild it with this version's cudasim cc",
		 module->abi_version, CUDASIM_ABI_VERSION);
	return false;
}

static _Thread_local const struct cudasim_module **expected;

void registry_expect(const struct cudasim_module **ret)
{
	expected = ret;
}

void __cudasim_module_register(const struct cudasim_module *module)
{
	if (!usable(module))
		return;
	if (expected)
		*expected = module;
	pthread_mutex_lock(&lock);
	bool added = append(module);
	resolve_all(); /* managed variables get their values before main() */
	/* From dlopen(): devices may be there already. */
	for (int i = 0; added && i < device_count(); i++)
		if (atomic_load(&device_get(i)->active))
			place(&entries[n_modules - 1], device_get(i));
	pthread_mutex_unlock(&lock);
	if (added)
		observe_module(module);
	void (*came)(void) = atomic_load(&module_came);
	if (came)
		came();
}

void registry_on_module(void (*came)(void))
{
	atomic_store(&module_came, came);
}

/* ---- what the host registers --------------------------------------------- */

struct binary *registry_add_linked(const struct cudasim_module *module)
{
	struct binary *binary = calloc(1, sizeof *binary);
	if (!binary)
		die_nomem();
	if (module)
		__cudasim_module_register(module);
	binary->module = module && usable(module) ? module : NULL;
	pthread_mutex_lock(&lock);
	binary->next = binaries;
	binaries = binary;
	pthread_mutex_unlock(&lock);
	return binary;
}

void registry_say_unusable(const void *data)
{
	uint32_t magic = 0;
	if (data)
		memcpy(&magic, data, sizeof magic);
	if (data && !memcmp(data, blob_family, sizeof blob_family))
		log_once("this executable (or a library of it) was built by another version of "
			 "cudasim: rebuild it with this version's cudasim cc");
	else if (magic == nvidia_magic)
		log_once("this executable (or a library of it) contains GPU code that nvcc "
			 "built: rebuild it with cudasim cc");
	else
		log_once("this executable (or a library of it) registers device code of an "
			 "unknown kind: rebuild it with cudasim cc");
}

struct binary *registry_add_binary(const void *data)
{
	struct binary *binary = registry_add_linked(NULL);
	const struct cudasim_blob *blob = blob_find(data);
	if (blob) {
		pthread_mutex_lock(&lock);
		binary->blob = blob;
		pthread_mutex_unlock(&lock);
	} else {
		registry_say_unusable(data);
	}
	return binary;
}

/* The module of a binary, NULL where it has not come (yet). */
static const struct cudasim_module *module_of(struct binary *binary)
{
	for (size_t i = 0; !binary->module && binary->blob && i < n_modules; i++)
		if (!memcmp(modules[i]->id, binary->blob->id, sizeof modules[i]->id))
			binary->module = modules[i];
	return binary->module;
}

bool registry_has_module(struct binary *binary)
{
	pthread_mutex_lock(&lock);
	bool ret = module_of(binary) != NULL;
	pthread_mutex_unlock(&lock);
	return ret;
}

void registry_add_function(struct binary *binary, const void *stub, const char *name)
{
	struct function *f = calloc(1, sizeof *f);
	if (!f)
		die_nomem();
	f->stub = stub;
	f->name = name;
	f->binary = binary;
	f->carveout = -1;
	pthread_mutex_lock(&lock);
	if (!hash_put(&functions, stub, f))
		die_nomem();
	pthread_mutex_unlock(&lock);
}

static struct entry *entry_of(const struct cudasim_module *module)
{
	for (size_t i = 0; i < n_modules; i++)
		if (modules[i] == module)
			return &entries[i];
	return NULL;
}

static void resolve_variable(struct variable *v)
{
	if (v->variable || !(v->module = module_of(v->binary)))
		return;
	for (uint64_t i = 0; i < v->module->n_variables && !v->variable; i++)
		if (!strcmp(v->module->variables[i].name, v->name))
			v->variable = &v->module->variables[i];
	if (!is_managed(v))
		return;
	struct allocation what = {
		.kind = CUDASIM_MEMORY_MANAGED, .function = v->name, .module = v->module};
	memory_add(&what, (void *)(uintptr_t)v->host, v->variable->size);
	/* The host may read it before it calls CUDA at all. */
	save(entry_of(v->module));
	bind(v, v->module->variables_image);
}

static void resolve_all(void)
{
	for (size_t i = 0; i < variables.n_slots; i++)
		if (variables.slots[i].value)
			resolve_variable(variables.slots[i].value);
}

void registry_add_variable(struct binary *binary, const void *host, const char *name)
{
	struct variable *v = calloc(1, sizeof *v);
	if (!v)
		die_nomem();
	v->host = host;
	v->name = name;
	v->binary = binary;
	pthread_mutex_lock(&lock);
	if (!hash_put(&variables, host, v))
		die_nomem();
	resolve_variable(v);
	for (int i = 0; i < device_count() && v->module; i++)
		if (atomic_load(&device_get(i)->active) && v->module->variables_base[i])
			bind_managed(v->module, (unsigned)i);
	pthread_mutex_unlock(&lock);
}

/* Whether another binary than `but` has its code in the module. */
static bool is_shared(const struct cudasim_module *module, const struct binary *but)
{
	for (struct binary *b = binaries; b; b = b->next)
		if (b != but && module_of(b) == module)
			return true;
	return false;
}

/* Its library is being closed: what lies in that must not be looked at any more, and may
 * come again at the same address. The list is made anew, as cudasim_modules() has shown
 * the old one. */
static void remove_module(const struct cudasim_module *module)
{
	size_t at = 0;
	while (at < n_modules && modules[at] != module)
		at++;
	if (at == n_modules)
		return;
	registered_forget(module);
	for (int i = 0; module->variables_size && i < device_count(); i++) {
		void *base = module->variables_base[i];
		if (!base)
			continue;
		memory_forget(base, CUDASIM_MEMORY_VARIABLE, NULL);
		if (base != module->variables_image)
			munmap(base, module->variables_size);
	}
	while (entries[at].initial) {
		struct page *page = entries[at].initial;
		entries[at].initial = page->next;
		free(page);
	}
	const struct cudasim_module **fewer = calloc(capacity, sizeof *fewer);
	if (!fewer)
		die_nomem();
	memcpy(fewer, modules, n_modules * sizeof *fewer);
	memmove(fewer + at, fewer + at + 1, (n_modules - at - 1) * sizeof *fewer);
	memmove(entries + at, entries + at + 1, (n_modules - at - 1) * sizeof *entries);
	modules = fewer;
	n_modules--;
}

void registry_remove_binary(struct binary *binary)
{
	pthread_mutex_lock(&lock);
	atomic_fetch_add(&registry_removals, 1);
	const struct cudasim_module *module = exiting ? NULL : module_of(binary);
	if (module && is_shared(module, binary))
		module = NULL;
	for (size_t i = 0; i < functions.n_slots; i++) {
		struct function *f = functions.slots[i].value;
		if (!f || f->binary != binary)
			continue;
		hash_remove(&functions, f->stub);
		free(f->early);
		free(f);
		i--; /* removal may have moved another one here */
	}
	for (size_t i = 0; i < variables.n_slots; i++) {
		struct variable *v = variables.slots[i].value;
		if (!v || v->binary != binary)
			continue;
		hash_remove(&variables, v->host);
		if (module && is_managed(v))
			memory_forget((void *)(uintptr_t)v->host, CUDASIM_MEMORY_MANAGED, v->name);
		free(v);
		i--;
	}
	for (struct binary **at = &binaries; *at; at = &(*at)->next) {
		if (*at == binary) {
			*at = binary->next;
			break;
		}
	}
	free(binary);
	if (module)
		remove_module(module);
	pthread_mutex_unlock(&lock);
}

/* ---- looking up ---------------------------------------------------------- */

static void resolve_function(struct function *f)
{
	f->module = module_of(f->binary);
	for (uint64_t i = 0; f->module && i < f->module->n_kernels && !f->kernel; i++)
		if (!strcmp(f->module->kernels[i].name, f->name))
			f->kernel = &f->module->kernels[i];
	if (!f->kernel && f->binary->blob && !f->said) {
		f->said = true;
		log_line("the executable contains no device code for the kernel %s: rebuild it "
			 "with cudasim cc",
			 f->name);
	}
}

cudaError_t registry_function(const void *stub, struct function **ret)
{
	pthread_mutex_lock(&lock);
	struct function *f = hash_get(&functions, stub);
	if (f && !f->kernel)
		resolve_function(f);
	pthread_mutex_unlock(&lock);
	*ret = f;
	if (!stub)
		return cudaErrorInvalidDeviceFunction;
	if (!f)
		return cudaErrorInvalidResourceHandle;
	return f->kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

struct function *registry_function_of(const struct cudasim_kernel *kernel)
{
	struct function *found = NULL;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < functions.n_slots && !found; i++) {
		struct function *f = functions.slots[i].key ? functions.slots[i].value : NULL;
		if (f && !f->kernel)
			resolve_function(f);
		if (f && f->kernel == kernel)
			found = f;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

cudaError_t registry_variable(const void *host, struct variable **ret)
{
	pthread_mutex_lock(&lock);
	struct variable *v = hash_get(&variables, host);
	if (v)
		resolve_variable(v);
	pthread_mutex_unlock(&lock);
	*ret = v;
	return v && v->variable ? cudaSuccess : cudaErrorInvalidSymbol;
}

void *registry_address(const struct variable *v, const struct device *device)
{
	if (v->variable->flags & CUDASIM_VARIABLE_MANAGED)
		return (void *)(uintptr_t)v->host;
	return (char *)v->module->variables_base[device->ordinal] + v->variable->offset;
}
