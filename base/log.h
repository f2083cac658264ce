/* SPDX-License-Identifier: Apache-2.0 */
/* log.h - lines for the user, on stderr, each beginning with "cudasim: ". */
#ifndef CUDASIM_BASE_LOG_H
#define CUDASIM_BASE_LOG_H

/* Write one line (the newline is added) in one piece, from any thread. */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Called with each line (without its end and "cudasim: ") after it was written, if not NULL; from any
 * thread. It does not call log_line(). Set before threads are. */
extern void (*log_heard)(const char *line);

/* Write the error's message as one line and free it. */
struct cudasim_error;
void log_error(struct cudasim_error *error);

/* As log_line(), but once per place in the code and process. */
#define log_once(...)                                                                              \
	do {                                                                                       \
		static int said_;                                                                  \
		if (!__atomic_exchange_n(&said_, 1, __ATOMIC_RELAXED))                             \
			log_line(__VA_ARGS__);                                                     \
	} while (0)

#endif
