/* SPDX-License-Identifier: Apache-2.0 */
/* commands.h - cudasim's subcommands. Each gets its own arguments, its name
 * first, and gives the exit status through ret. Errors become one line on
 * stderr and status 1 in main(). */
#ifndef CUDASIM_DRIVER_COMMANDS_H
#define CUDASIM_DRIVER_COMMANDS_H

#include "error.h"

struct manual;
extern const struct manual cache_manual, cc_manual, check_manual, compare_manual, dap_manual,
	debug_manual, ci_manual, doctor_manual, env_manual, fetch_toolkit_manual, help_manual,
	nvcc_path_manual, profile_manual, python_manual, run_manual, test_manual,
	toolkit_path_manual, version_manual;

/* Status 0, 1 and 2 are equal, different, could not. */
struct cudasim_error *command_compare(int n, char **arguments, int *ret);
/* Says what the cache of cc holds, or empties it. */
struct cudasim_error *command_cache(int n, char **arguments, int *ret);
struct cudasim_error *command_cc(int n, char **arguments, int *ret);
/* As command_cc, with ptxas' options. */
struct cudasim_error *command_ptxas(int n, char **arguments, int *ret);
/* Both run a program in this process's place, as command_debug. */
struct cudasim_error *command_run(int n, char **arguments, int *ret);
struct cudasim_error *command_python(int n, char **arguments, int *ret);
/* Prints the variables for a shell. */
struct cudasim_error *command_env(int n, char **arguments, int *ret);
/* On success runs the program in this process's place: never returns. */
struct cudasim_error *command_debug(int n, char **arguments, int *ret);
/* The Debug Adapter Protocol, until the client ends the session. */
struct cudasim_error *command_dap(int n, char **arguments, int *ret);
/* As command_debug. */
struct cudasim_error *command_check(int n, char **arguments, int *ret);
/* Writes a profile of a real device. */
struct cudasim_error *command_profile(int n, char **arguments, int *ret);
struct cudasim_error *command_doctor(int n, char **arguments, int *ret);
struct cudasim_error *command_test(int n, char **arguments, int *ret);
struct cudasim_error *command_help(int n, char **arguments, int *ret);
struct cudasim_error *command_version(int n, char **arguments, int *ret);
/* The command or topic whose name is one or two letters from word, or NULL. */
const char *help_nearest(const char *word);

/* nvcc-path and toolkit-path. */
struct cudasim_error *command_paths(int n, char **arguments, int *ret);

/* Runs the script that fetches the vendor's wheels. */
struct cudasim_error *command_fetch_toolkit(int n, char **arguments, int *ret);

/* Runs the script that builds a project and runs its tests (integration/ci). */
struct cudasim_error *command_ci(int n, char **arguments, int *ret);

#endif
