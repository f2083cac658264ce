/* SPDX-License-Identifier: Apache-2.0 */
/* breakpoint_numbers.c - lists of breakpoints as users write them: "1 3-5 2.1 $bpnum". */
#include <stdlib.h>
#include <string.h>

#include "breakpoint_commands.h"
#include "console.h"
#include "error.h"
#include "stops_state.h"
#include "text.h"

static struct cudasim_error *bad_number(const char *word)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "Bad breakpoint number '%s'", word);
}

/* A positive number at *text, which is advanced; 0 where there is none. $name is the
 * convenience variable's value. */
static int number_at(const char **text)
{
	char *end;
	if (**text == '$') {
		char name[64];
		size_t n = 1 + strspn(*text + 1, "abcdefghijklmnopqrstuvwxyz"
						 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
		int64_t value = 0;
		if (n >= sizeof name)
			return 0;
		memcpy(name, *text, n);
		name[n] = 0;
		struct cudasim_error *error = evaluate_integer(name, &value);
		if (error) {
			cudasim_error_free(error);
			return 0;
		}
		*text += n;
		return value > 0 && value < 1000000000 ? (int)value : 0;
	}
	long value = **text >= '0' && **text <= '9' ? strtol(*text, &end, 10) : 0;
	if (value <= 0 || value >= 1000000000)
		return 0;
	*text = end;
	return (int)value;
}

/* "3", "3-5" or "2.1" */
struct range {
	int first, last, location;
};

/* *ret is all 0 where word is none. */
static struct cudasim_error *range_parse(const char *word, struct range *ret)
{
	const char *at = word;
	struct range r = {0};
	*ret = r;
	r.first = r.last = number_at(&at);
	if (!r.first)
		return bad_number(word);
	if (*at == '-') {
		at++;
		r.last = number_at(&at);
		if (!r.last || r.last < r.first)
			return bad_number(word);
	} else if (*at == '.') {
		at++;
		r.location = number_at(&at);
		if (!r.location)
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "Bad breakpoint location number '%s'", at);
	}
	if (*at)
		return bad_number(word);
	*ret = r;
	return NULL;
}

/* Keep the first error; say the others, as gdb does, and go on with the rest. */
static void collect(struct cudasim_error **first, struct cudasim_error *error)
{
	if (*first && error) {
		fprintf(console(), "%s\n", error->message);
		cudasim_error_free(error);
	} else if (error) {
		*first = error;
	}
}

struct cudasim_error *breakpoint_numbers(const char *text,
					 struct cudasim_error *(*f)(void *user, struct breakpoint *,
								    int location),
					 void *user)
{
	enum { MANY = 100 };
	char word[64];
	struct cudasim_error *first = NULL;
	while (text_word(&text, word, sizeof word)) {
		struct range range;
		bool any = false;
		collect(&first, range_parse(word, &range));
		if (!range.first)
			continue;
		for (int i = range.first; i <= range.last; i++) {
			struct breakpoint *b = breakpoint_find(i);
			any = any || b;
			if (b)
				collect(&first, f(user, b, range.location));
			else if (range.last - range.first < MANY)
				collect(&first, cudasim_error_new(CUDASIM_E_NOTFOUND,
								  "No breakpoint number %d.", i));
			else if (i >= stops_state()->next_number)
				break;
		}
		if (!any && range.last - range.first >= MANY)
			collect(&first, cudasim_error_new(CUDASIM_E_NOTFOUND,
							  "No breakpoint number %s.", word));
	}
	return first;
}
