/* SPDX-License-Identifier: Apache-2.0 */
/* notify.c - what tells a program of itself: logs, notifications.
 *
 * The log is the simulator's lines on stderr. Notifications tell that a device's memory is over
 * a budget that a system has set; no device here has one, so they are accepted and never come. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "hash.h"
#include "log.h"

/* Something that was registered; its address is the handle. */
struct listener {
	cudaLogsCallback_t logs; /* or NULL: a notification of this device */
	void *user;
	int device;
	struct listener *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct listener *listeners;

static cudaError_t add(struct listener what, void *ret)
{
	struct listener *listener = malloc(sizeof *listener);
	if (!listener)
		return cudaErrorMemoryAllocation;
	*listener = what;
	pthread_mutex_lock(&lock);
	listener->next = listeners;
	listeners = listener;
	pthread_mutex_unlock(&lock);
	*(void **)ret = listener;
	return cudaSuccess;
}

static cudaError_t drop(const void *handle, bool logs, int device)
{
	pthread_mutex_lock(&lock);
	struct listener **at = &listeners;
	while (*at &&
	       !(*at == handle && !(*at)->logs == !logs && (logs || (*at)->device == device)))
		at = &(*at)->next;
	struct listener *found = *at;
	if (found)
		*at = found->next;
	pthread_mutex_unlock(&lock);
	free(found);
	return found ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- notifications --------------------------------------------------------------- */

static bool is_device(int ordinal)
{
	return ordinal >= 0 && ordinal < device_count();
}

cudaError_t cudaDeviceRegisterAsyncNotification(int device, cudaAsyncCallback function, void *user,
						cudaAsyncCallbackHandle_t *ret)
{
	API_BEGIN_CONTEXT;
	if (!is_device(device))
		return API_END(cudaErrorInvalidDevice);
	if (!function || !ret)
		return API_END(cudaErrorInvalidValue);
	return API_END(add((struct listener){.user = user, .device = device}, ret));
}

cudaError_t cudaDeviceUnregisterAsyncNotification(int device, cudaAsyncCallbackHandle_t handle)
{
	API_BEGIN_CONTEXT;
	return API_END(is_device(device) ? drop(handle, false, device) : cudaErrorInvalidDevice);
}

/* ---- logs -------------------------------------------------------------------------- */

enum { KEPT = 100 }; /* lines */
static char *lines[KEPT];
static unsigned n_lines; /* all that were ever written; line i is lines[i % KEPT] */

static void heard(const char *text)
{
	struct {
		cudaLogsCallback_t function;
		void *user;
	} to[16];
	unsigned n = 0;
	char *copy = strdup(text);
	pthread_mutex_lock(&lock);
	if (copy) {
		free(lines[n_lines % KEPT]);
		lines[n_lines++ % KEPT] = copy;
	}
	for (struct listener *l = listeners; l && n < 16; l = l->next) {
		if (!l->logs)
			continue;
		to[n].function = l->logs;
		to[n++].user = l->user;
	}
	pthread_mutex_unlock(&lock);
	/* The text is the listener's for the call only. */
	char *own = n ? strdup(text) : NULL;
	for (unsigned i = 0; i < n && own; i++)
		to[i].function(to[i].user, cudaLogLevelError, own, strlen(own));
	free(own);
}

__attribute__((constructor)) static void listen(void)
{
	log_heard = heard;
}

cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t function, void *user,
				     cudaLogsCallbackHandle *ret)
{
	API_BEGIN;
	if (!function || !ret)
		return API_END(cudaErrorInvalidValue);
	return API_END(add((struct listener){.logs = function, .user = user}, ret));
}

cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle handle)
{
	API_BEGIN;
	return API_END(drop(handle, true, 0));
}

cudaError_t cudaLogsCurrent(cudaLogIterator *ret, unsigned flags)
{
	API_BEGIN;
	if (!ret || flags)
		return API_END(cudaErrorInvalidValue);
	pthread_mutex_lock(&lock);
	*ret = n_lines;
	pthread_mutex_unlock(&lock);
	return API_END(cudaSuccess);
}

/* The lines from *from on, each with its end; malloc()ed, NULL without memory. *from becomes the
 * place after them. */
static char *text_from(cudaLogIterator *from)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	pthread_mutex_lock(&lock);
	unsigned first = from ? *from : 0;
	if (n_lines > KEPT && first < n_lines - KEPT)
		first = n_lines - KEPT;
	for (unsigned i = first; i < n_lines; i++)
		fprintf(out, "%s\n", lines[i % KEPT]);
	if (from)
		*from = n_lines;
	pthread_mutex_unlock(&lock);
	fclose(out);
	return text;
}

cudaError_t cudaLogsDumpToFile(cudaLogIterator *from, const char *path, unsigned flags)
{
	API_BEGIN;
	if (!path || flags)
		return API_END(cudaErrorInvalidValue);
	FILE *out = fopen(path, "we");
	if (!out)
		return API_END(cudaErrorInvalidValue);
	char *text = text_from(from);
	bool written = text && fputs(text, out) >= 0;
	written = !fclose(out) && written;
	free(text);
	return API_END(written ? cudaSuccess : cudaErrorOperatingSystem);
}

/* *size: the buffer's, then how much was written, with the NUL. The newest lines count most. */
cudaError_t cudaLogsDumpToMemory(cudaLogIterator *from, char *buffer, size_t *size, unsigned flags)
{
	API_BEGIN;
	if (!buffer || !size || !*size || flags)
		return API_END(cudaErrorInvalidValue);
	char *text = text_from(from);
	if (!text)
		return API_END(cudaErrorMemoryAllocation);
	size_t length = strlen(text), room = *size - 1;
	const char *start = length > room ? text + (length - room) : text;
	strcpy(buffer, start);
	*size = strlen(start) + 1;
	free(text);
	return API_END(cudaSuccess);
}
