/* SPDX-License-Identifier: Apache-2.0 */
/* registered.c - see registered.h.
 *
 * Which sites an observer has armed are bits, an array for each module in which it has armed any. A
 * module's own bytes, which its code looks at, say only that somebody has. */
#include "registered.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cudasim/inspect.h"
#include "error.h"
#include "observer.h"

struct armed {
	_Atomic(struct armed *) next;
	_Atomic(const struct cudasim_module *) module; /* NULL: of none any more */
	size_t n_bytes;
	uint8_t bits[]; /* by the site's number */
};

atomic_uint observers_n;
_Atomic(struct registered *) registered_first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void registered_lock(void)
{
	pthread_mutex_lock(&lock);
}

void registered_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static struct registered *find(const struct cudasim_observer *observer)
{
	FOR_EACH_REGISTERED(r, o)
	{
		if (o == observer)
			return r;
	}
	return NULL;
}

/* ---- armed sites --------------------------------------------------------------------- */

static struct armed *armed_in(const struct registered *r, const struct cudasim_module *module)
{
	struct armed *a = atomic_load_explicit(&r->armed, memory_order_acquire);
	while (a && atomic_load_explicit(&a->module, memory_order_acquire) != module)
		a = atomic_load_explicit(&a->next, memory_order_acquire);
	return a;
}

static bool has_bit(const struct armed *a, size_t i)
{
	return a && i / 8 < a->n_bytes &&
	       __atomic_load_n(&a->bits[i / 8], __ATOMIC_RELAXED) >> i % 8 & 1;
}

bool registered_armed(const struct registered *r, const struct cudasim_module *module,
		      const struct cudasim_site *site)
{
	size_t i = (size_t)(site - module->sites);
	return i < module->n_sites && has_bit(armed_in(r, module), i);
}

static bool anybody(const struct cudasim_module *module, size_t i)
{
	FOR_EACH_REGISTERED(r, o)
	{
		if (has_bit(armed_in(r, module), i))
			return true;
	}
	return false;
}

static struct armed *armed_new(struct registered *r, const struct cudasim_module *module)
{
	size_t n = module->n_sites / 8 + 1;
	struct armed *a = armed_in(r, NULL); /* of a module that is gone */
	if (a && a->n_bytes >= n) {
		memset(a->bits, 0, a->n_bytes);
		atomic_store_explicit(&a->module, module, memory_order_release);
		return a;
	}
	a = calloc(1, sizeof *a + n);
	if (!a)
		return NULL;
	a->n_bytes = n;
	atomic_init(&a->module, module);
	atomic_init(&a->next, atomic_load(&r->armed));
	atomic_store_explicit(&r->armed, a, memory_order_release);
	return a;
}

static struct cudasim_error *arm(struct registered *r, const struct cudasim_module *module,
				 size_t i, bool on)
{
	if (!r)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "the observer is not registered");
	struct armed *a = armed_in(r, module);
	if (!a && on && !(a = armed_new(r, module)))
		return &cudasim_error_nomem;
	uint8_t bit = (uint8_t)(1u << i % 8);
	if (on)
		__atomic_fetch_or(&a->bits[i / 8], bit, __ATOMIC_RELAXED);
	else if (a)
		__atomic_fetch_and(&a->bits[i / 8], (uint8_t)~bit, __ATOMIC_RELAXED);
	__atomic_store_n(&module->armed[i], on || anybody(module, i), __ATOMIC_RELAXED);
	return NULL;
}

struct cudasim_error *registered_arm(const struct cudasim_observer *observer,
				     const struct cudasim_module *module, size_t i, bool on)
{
	pthread_mutex_lock(&lock);
	struct cudasim_error *error = arm(find(observer), module, i, on);
	pthread_mutex_unlock(&lock);
	return error;
}

/* No launch that it watches is in flight: nobody looks. */
static void disarm_all(struct registered *r)
{
	struct armed *a = atomic_exchange(&r->armed, (struct armed *)NULL);
	while (a) {
		struct armed *next = atomic_load(&a->next);
		const struct cudasim_module *module = atomic_load(&a->module);
		for (size_t i = 0; module && i < module->n_sites; i++)
			if (has_bit(a, i))
				__atomic_store_n(&module->armed[i], anybody(module, i),
						 __ATOMIC_RELAXED);
		free(a);
		a = next;
	}
}

void registered_forget(const struct cudasim_module *module)
{
	pthread_mutex_lock(&lock);
	FOR_EACH_REGISTERED(r, o)
	{
		struct armed *a = armed_in(r, module);
		if (a)
			atomic_store(&a->module, (const struct cudasim_module *)NULL);
	}
	pthread_mutex_unlock(&lock);
}

/* ---- registering --------------------------------------------------------------------- */

static struct cudasim_error *check(const struct cudasim_observer *observer)
{
	if (!observer)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "no observer given");
	if (observer->version != CUDASIM_OBSERVER_VERSION)
		return cudasim_error_new(
			CUDASIM_E_FORMAT,
			"built for version %u of cudasim/observer.h, this libcudasim has version %u",
			observer->version, CUDASIM_OBSERVER_VERSION);
	if (!observer->name)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "an observer without a name");
	FOR_EACH_REGISTERED(r, other)
	{
		if (other == observer || !strcmp(other->name, observer->name))
			return cudasim_error_new(CUDASIM_E_TAKEN,
						 "an observer named %s is there already",
						 observer->name);
	}
	return NULL;
}

/* The least number that no registered observer has. */
static uint32_t free_place(void)
{
	uint32_t place = 0;
	for (bool taken = true; taken;) {
		taken = false;
		FOR_EACH_REGISTERED(r, o)
		taken = taken || r->place == place;
		place += taken;
	}
	return place;
}

/* An empty member behind all registered observers. */
static struct registered *last_member(void)
{
	_Atomic(struct registered *) *at = &registered_first, *end = at;
	for (struct registered *r; (r = atomic_load(at)); at = &r->next)
		if (registered_observer(r))
			end = &r->next;
	struct registered *r = atomic_load(end);
	if (!r && (r = calloc(1, sizeof *r)))
		atomic_store_explicit(end, r, memory_order_release);
	return r;
}

static struct cudasim_error *add(const struct cudasim_observer *observer)
{
	struct cudasim_error *error = check(observer);
	if (error)
		return error;
	struct registered *r = last_member();
	if (!r)
		return &cudasim_error_nomem;
	r->place = free_place();
	atomic_store_explicit(&r->observer, observer, memory_order_release);
	atomic_fetch_add(&observers_n, 1);
	return NULL;
}

struct cudasim_error *cudasim_observer_add(const struct cudasim_observer *observer)
{
	pthread_mutex_lock(&lock);
	struct cudasim_error *error = add(observer);
	pthread_mutex_unlock(&lock);
	if (!error && observer->module) {
		const struct cudasim_module *const *modules;
		size_t n;
		cudasim_modules(&modules, &n);
		for (size_t i = 0; i < n; i++)
			observer->module(observer->tool, modules[i]);
	}
	return error;
}

/* ---- the end ------------------------------------------------------------------------- */

struct cudasim_error *cudasim_observer_remove(const struct cudasim_observer *observer)
{
	struct cudasim_error *error = NULL;
	pthread_mutex_lock(&lock);
	struct registered *r = observer ? find(observer) : NULL;
	if (!r) {
		error = cudasim_error_new(CUDASIM_E_NOTFOUND, "this observer was never added");
	} else if (atomic_load(&r->in_flight)) {
		error = cudasim_error_new(CUDASIM_E_BUSY, "a launch that %s watches is in flight",
					  observer->name);
	} else {
		disarm_all(r);
		atomic_store_explicit(&r->observer, (const struct cudasim_observer *)NULL,
				      memory_order_release);
		atomic_fetch_sub(&observers_n, 1);
	}
	pthread_mutex_unlock(&lock);
	if (!error && observer->finish)
		observer->finish(observer->tool);
	return error;
}

void registered_finish(void)
{
	FOR_EACH_REGISTERED(r, o)
	{
		if (!atomic_exchange(&r->observer, (const struct cudasim_observer *)NULL))
			continue;
		atomic_fetch_sub(&observers_n, 1);
		if (o->finish)
			o->finish(o->tool);
	}
}
