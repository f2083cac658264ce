/* SPDX-License-Identifier: Apache-2.0 */
/* value_settings.c - set print ..., show print ...: how values look. The texts of show
 * are gdb's. */
#include "command.h"
#include "value.h"

#define ON_OFF(setting, variable, text, what) \
	{.name = "print " setting, .kind = SETTING_BOOL, .value = &print_settings.variable, \
	 .show = text " is %s.", .summary = what}
#define LIMIT(setting, variable, text, what) \
	{.name = "print " setting, .kind = SETTING_NUMBER, .value = &print_settings.variable, \
	 .show = text " is %s.", .summary = what}

static const struct setting settings[] = {
	ON_OFF("address", address, "Printing of addresses", "Whether addresses are printed"),
	ON_OFF("array", array, "Pretty formatting of arrays", "Inner arrays on lines of their own"),
	ON_OFF("array-indexes", array_indexes, "Printing of array indexes", "[i] = before elements"),
	ON_OFF("object", object, "Printing of object's derived type based on vtable info",
	       "Whole objects where a base is declared"),
	ON_OFF("pretty", pretty, "Pretty formatting of structures", "A line for each member"),
	ON_OFF("static-members", static_members, "Printing of C++ static members", "Static members"),
	ON_OFF("symbol", symbol, "Printing of symbols when printing pointers",
	       "<symbol+offset> behind pointers"),
	ON_OFF("union", unions, "Printing of unions interior to structures",
	       "Unions within structures"),
	ON_OFF("vtbl", vtbl, "Printing of C++ virtual function tables", "Virtual function tables"),
	LIMIT("elements", elements, "Limit on string chars or array elements to print",
	      "Most elements of an array, or characters of a string"),
	LIMIT("max-depth", max_depth, "Maximum print depth", "Deepest structure that is shown"),
	LIMIT("repeats", repeats, "Threshold for repeated print elements",
	      "More equal elements than this are told once"),
};

__attribute__((constructor)) static void start(void)
{
	settings_add(settings, sizeof settings / sizeof *settings);
}
