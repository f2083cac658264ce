/* SPDX-License-Identifier: Apache-2.0 */
/* managed.c - advice about managed memory. It lies in one place here, so advice
 * and prefetches are checked and remembered, and move nothing. What is remembered
 * is a list, newest last; of a byte the newest word about it counts. */
#include "managed.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "memory.h"

/* The range lies in one piece of managed memory. */
static bool is_managed(const void *ptr, size_t count, struct allocation *a)
{
	return memory_lookup(ptr, a) && a->kind == CUDASIM_MEMORY_MANAGED &&
	       count <= a->range.end - (uint64_t)(uintptr_t)ptr;
}

static bool is_location(struct cudaMemLocation location)
{
	switch (location.type) {
	case cudaMemLocationTypeDevice:
		return location.id >= 0 && location.id < device_count();
	case cudaMemLocationTypeHost:
	case cudaMemLocationTypeHostNuma:
	case cudaMemLocationTypeHostNumaCurrent:
		return true;
	default:
		return false;
	}
}

/* ---- what was said -------------------------------------------------------------- */

enum subject { READ_MOSTLY, PREFERRED, ACCESSED_BY, PREFETCHED };

/* A word about a range of one allocation. */
struct word {
	uint64_t start, end, allocation; /* its id */
	enum subject subject;
	bool set;
	struct cudaMemLocation location;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct word *words;
static size_t n_words, capacity;

static bool covers(const struct word *a, const struct word *b)
{
	return a->allocation == b->allocation && a->subject == b->subject && a->start <= b->start &&
	       a->end >= b->end &&
	       (a->subject != ACCESSED_BY ||
		(a->location.type == b->location.type && a->location.id == b->location.id));
}

static cudaError_t remember(struct word word)
{
	cudaError_t error = cudaSuccess;
	size_t kept = 0;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < n_words; i++)
		if (!covers(&word, &words[i]))
			words[kept++] = words[i];
	n_words = kept;
	if (n_words == capacity) {
		size_t bigger = capacity ? 2 * capacity : 16;
		struct word *list = realloc(words, bigger * sizeof *list);
		if (list) {
			words = list;
			capacity = bigger;
		}
	}
	if (n_words < capacity)
		words[n_words++] = word;
	else
		error = cudaErrorMemoryAllocation;
	pthread_mutex_unlock(&lock);
	return error;
}

static struct word word_of(const struct allocation *a, const void *ptr, size_t count,
			   enum subject subject, bool set, struct cudaMemLocation location)
{
	uint64_t start = (uint64_t)(uintptr_t)ptr;
	return (struct word){start, start + count, a->id, subject, set, location};
}

cudaError_t managed_prefer(const void *ptr, size_t size, struct cudaMemLocation location)
{
	struct allocation a;
	return is_managed(ptr, size, &a)
		       ? remember(word_of(&a, ptr, size, PREFERRED, true, location))
		       : cudaErrorInvalidValue;
}

/* The newest word about the byte; NULL where nothing was said. With the lock. */
static const struct word *newest(uint64_t allocation, uint64_t at, enum subject subject)
{
	for (size_t i = n_words; i-- > 0;)
		if (words[i].allocation == allocation && words[i].subject == subject &&
		    words[i].start <= at && at < words[i].end)
			return words[i].set ? &words[i] : NULL;
	return NULL;
}

/* Whether the byte is accessed by the location. */
static bool accessed(uint64_t allocation, uint64_t at, int id)
{
	for (size_t i = n_words; i-- > 0;) {
		const struct word *w = &words[i];
		int who = w->location.type == cudaMemLocationTypeDevice ? w->location.id
									: cudaCpuDeviceId;
		if (w->allocation == allocation && w->subject == ACCESSED_BY && who == id &&
		    w->start <= at && at < w->end)
			return w->set;
	}
	return false;
}

cudaError_t cudaMemAdvise(const void *ptr, size_t count, enum cudaMemoryAdvise advice,
			  struct cudaMemLocation location)
{
	API_BEGIN_CONTEXT;
	struct allocation a;
	if (!count || !is_managed(ptr, count, &a) || advice < cudaMemAdviseSetReadMostly ||
	    advice > cudaMemAdviseUnsetAccessedBy)
		return API_END(cudaErrorInvalidValue);
	bool needs_location = advice == cudaMemAdviseSetPreferredLocation ||
			      advice == cudaMemAdviseSetAccessedBy ||
			      advice == cudaMemAdviseUnsetAccessedBy;
	if (needs_location && !is_location(location))
		return API_END(cudaErrorInvalidValue);
	if (a.pool)
		return API_END(cudaErrorNotSupported); /* a pool's location is its own */
	static const enum subject subjects[] = {READ_MOSTLY, PREFERRED, ACCESSED_BY};
	/* Set and unset come in turn, from cudaMemAdviseSetReadMostly = 1. */
	unsigned n = (unsigned)advice - cudaMemAdviseSetReadMostly;
	return API_END(remember(word_of(&a, ptr, count, subjects[n / 2], n % 2 == 0, location)));
}

cudaError_t cudaMemPrefetchAsync(const void *ptr, size_t count, struct cudaMemLocation location,
				 unsigned flags, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	struct allocation a;
	if (flags || !count || !is_managed(ptr, count, &a))
		return API_END(cudaErrorInvalidValue);
	if (!is_location(location))
		return API_END(location.type == cudaMemLocationTypeDevice ? cudaErrorInvalidDevice
									  : cudaErrorInvalidValue);
	struct work work = {.kind = WORK_NOTHING};
	cudaError_t error = remember(word_of(&a, ptr, count, PREFETCHED, true, location));
	return API_END(error ? error : api_submit(stream, &work, false));
}

/* ---- asking ------------------------------------------------------------------------ */

/* One number about a byte: as cudaMemRangeGetAttribute() tells it. */
static int about(uint64_t allocation, uint64_t at, enum cudaMemRangeAttribute attribute)
{
	static const enum subject subjects[] = {
		[cudaMemRangeAttributeReadMostly] = READ_MOSTLY,
		[cudaMemRangeAttributePreferredLocation] = PREFERRED,
		[cudaMemRangeAttributeLastPrefetchLocation] = PREFETCHED,
		[cudaMemRangeAttributePreferredLocationType] = PREFERRED,
		[cudaMemRangeAttributePreferredLocationId] = PREFERRED,
		[cudaMemRangeAttributeLastPrefetchLocationType] = PREFETCHED,
		[cudaMemRangeAttributeLastPrefetchLocationId] = PREFETCHED,
	};
	const struct word *w = newest(allocation, at, subjects[attribute]);
	bool type = attribute == cudaMemRangeAttributePreferredLocationType ||
		    attribute == cudaMemRangeAttributeLastPrefetchLocationType;
	if (attribute == cudaMemRangeAttributeReadMostly)
		return w != NULL;
	if (type)
		return w ? (int)w->location.type : (int)cudaMemLocationTypeInvalid;
	if (!w)
		return cudaInvalidDeviceId;
	bool device = w->location.type == cudaMemLocationTypeDevice;
	if (attribute == cudaMemRangeAttributePreferredLocation ||
	    attribute == cudaMemRangeAttributeLastPrefetchLocation)
		return device ? w->location.id : cudaCpuDeviceId;
	return w->location.id;
}

/* The bytes at which what was said changes. */
static bool next_change(uint64_t allocation, uint64_t end, uint64_t *at)
{
	uint64_t next = end;
	for (size_t i = 0; i < n_words; i++) {
		if (words[i].allocation != allocation)
			continue;
		if (words[i].start > *at && words[i].start < next)
			next = words[i].start;
		if (words[i].end > *at && words[i].end < next)
			next = words[i].end;
	}
	*at = next;
	return next < end;
}

/* The same for the whole range, or what is told where nothing was said. */
static int about_all(uint64_t allocation, uint64_t start, uint64_t end,
		     enum cudaMemRangeAttribute attribute)
{
	int value = about(allocation, start, attribute);
	uint64_t at = start;
	while (next_change(allocation, end, &at))
		if (about(allocation, at, attribute) != value)
			return about(0, 0, attribute);
	return value;
}

/* Those that all of the range is accessed by; the rest of the list is -2. */
static void list_accessed(uint64_t allocation, uint64_t start, uint64_t end, int *to, size_t room)
{
	size_t n = 0;
	for (int id = -1; id < device_count(); id++) {
		uint64_t at = start;
		bool all = accessed(allocation, start, id);
		while (all && next_change(allocation, end, &at))
			all = accessed(allocation, at, id);
		if (all && n < room)
			to[n++] = id;
	}
	while (n < room)
		to[n++] = cudaInvalidDeviceId;
}

static cudaError_t range_attribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
				   const void *ptr, size_t count)
{
	struct allocation a;
	uint64_t start = (uint64_t)(uintptr_t)ptr;
	if (!data || !count || attribute < cudaMemRangeAttributeReadMostly ||
	    attribute > cudaMemRangeAttributeLastPrefetchLocationId || !is_managed(ptr, count, &a))
		return cudaErrorInvalidValue;
	const bool list = attribute == cudaMemRangeAttributeAccessedBy;
	if (list ? !size || size % sizeof(int) : size != sizeof(int))
		return cudaErrorInvalidValue;
	pthread_mutex_lock(&lock);
	if (list)
		list_accessed(a.id, start, start + count, data, size / sizeof(int));
	else
		*(int *)data = about_all(a.id, start, start + count, attribute);
	pthread_mutex_unlock(&lock);
	return cudaSuccess;
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
				     const void *ptr, size_t count)
{
	API_BEGIN_CONTEXT;
	return API_END(range_attribute(data, size, attribute, ptr, count));
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes,
				      enum cudaMemRangeAttribute *attributes, size_t n,
				      const void *ptr, size_t count)
{
	API_BEGIN_CONTEXT;
	cudaError_t error = data && sizes && attributes && n ? cudaSuccess : cudaErrorInvalidValue;
	for (size_t i = 0; i < n && !error; i++)
		error = range_attribute(data[i], sizes[i], attributes[i], ptr, count);
	return API_END(error);
}
