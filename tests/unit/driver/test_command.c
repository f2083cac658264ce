/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines as nvcc 13.0 reads them; the expectations were taken from
 * `nvcc --dryrun`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "architecture.h"
#include "command.h"

static struct cudasim_error *parse_with(const char *line, const char *prepend, const char *append,
					struct command *command)
{
	struct words words = {0};
	assert_true(words_parse(&words, line));
	struct cudasim_error *error = command_parse((int)words.n, words.at, prepend, append,
						    command);
	words_fini(&words);
	return error;
}

static void parse(const char *line, struct command *command)
{
	struct cudasim_error *error = parse_with(line, NULL, NULL, command);
	if (error)
		fail_msg("%s: %s", line, error->message);
}

static void expect_error(const char *line, const char *message)
{
	struct command command;
	struct cudasim_error *error = parse_with(line, NULL, NULL, &command);
	if (!error)
		fail_msg("%s: no error, but '%s' is expected", line, message);
	assert_string_equal(error->message, message);
	cudasim_error_free(error);
	command_fini(&command);
}

static void expect_words(const struct words *words, const char *expected)
{
	char *line = words_quote(words);
	assert_string_equal(line, expected);
	free(line);
}

static void values_stand_apart_after_equals_or_glued(void **state)
{
	(void)state;
	struct command command;
	parse("a.cu -I x -Iy -I=z --include-path w -O3 -lm -l dl -L=lib -std=c++14 -o out",
	      &command);
	expect_words(&command.include_paths, "x y z w");
	expect_words(&command.libraries, "m dl");
	expect_words(&command.library_paths, "lib");
	assert_string_equal(command.optimize, "3");
	assert_string_equal(command.standard, "c++14");
	assert_string_equal(command.output, "out");
	assert_int_equal(command.phase, PHASE_LINK);
	command_fini(&command);
}

static void lists_split_at_commas_unless_escaped(void **state)
{
	(void)state;
	struct command command;
	parse("a.cu -Xcompiler -Wall,-O2 -Xcompiler '-DA=x\\,y' -Ix,y -lfoo,bar", &command);
	expect_words(&command.host_options, "-Wall -O2 -DA=x,y");
	expect_words(&command.include_paths, "x y");
	expect_words(&command.libraries, "foo bar");
	command_fini(&command);
}

static void macros_split_at_commas_and_lose_escapes_of_quotes(void **state)
{
	(void)state;
	struct command command;
	parse("a.cu -DA=1,2 -D 'B=\\\"s\\\"' -U C", &command);
	assert_int_equal(command.macros.n, 4);
	assert_string_equal(command.macros.at[0], "-DA=1");
	assert_string_equal(command.macros.at[1], "-D2");
	assert_string_equal(command.macros.at[2], "-DB=\"s\"");
	assert_string_equal(command.macros.at[3], "-UC");
	command_fini(&command);
}

static void short_names_that_begin_like_glued_ones_are_whole(void **state)
{
	(void)state;
	struct command command;
	parse("-lib -lineinfo a.cu -dc -t4 -Ofc max", &command);
	assert_int_equal(command.libraries.n, 0);
	assert_true(command.line_info);
	assert_int_equal(command.phase, PHASE_DEVICE_C);
	assert_string_equal(command.fast_compile, "max");
	command_fini(&command);
}

static void device_phase_wins_over_c_in_any_order(void **state)
{
	(void)state;
	static const char *const lines[] = {"-c -dc a.cu", "-dc -c a.cu"};
	for (size_t i = 0; i < 2; i++) {
		struct command command;
		parse(lines[i], &command);
		assert_int_equal(command.phase, PHASE_DEVICE_C);
		assert_true(command_is_relocatable(&command));
		command_fini(&command);
	}
}

static void last_value_wins_with_a_warning(void **state)
{
	(void)state;
	struct command command;
	parse("a.cu -O2 -O3 -std=c++17 -std=c++17", &command);
	assert_string_equal(command.optimize, "3");
	assert_int_equal(command.warnings.n, 1);
	assert_string_equal(
		command.warnings.at[0],
		"incompatible redefinition for option 'optimize', the last value of this "
		"option was used");
	command_fini(&command);
}

static void kinds_follow_suffixes_and_x(void **state)
{
	(void)state;
	struct command command;
	parse("a.cu b.c c.cpp d.o e.a f.so g.so.3 d/h.cc", &command);
	static const enum input_kind kinds[] = {
		INPUT_CUDA,    INPUT_C,      INPUT_CXX,    INPUT_OBJECT,
		INPUT_ARCHIVE, INPUT_SHARED, INPUT_SHARED, INPUT_CXX,
	};
	for (size_t i = 0; i < command.input_paths.n; i++)
		assert_int_equal(command.inputs[i].kind, kinds[i]);
	command_fini(&command);
	parse("-x cu a.cpp b.txt c.o", &command);
	assert_int_equal(command.inputs[0].kind, INPUT_CUDA);
	assert_int_equal(command.inputs[1].kind, INPUT_CUDA);
	assert_int_equal(command.inputs[2].kind, INPUT_OBJECT);
	command_fini(&command);
}

static void variables_come_before_and_after(void **state)
{
	(void)state;
	struct command command;
	assert_null(parse_with("a.cu -Dm", "-Dfirst -O1", "'-Dla st'", &command));
	assert_string_equal(command.macros.at[0], "-Dfirst");
	assert_string_equal(command.macros.at[1], "-Dm");
	assert_string_equal(command.macros.at[2], "-Dla st");
	command_fini(&command);
}

static void response_files_are_read_in_place(void **state)
{
	(void)state;
	char path[] = "/tmp/test-command-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	static const char text[] = "-DB \"c d.cu\"\n -I 'x y'\n";
	assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
	close(fd);
	char *line = text_format("a.cu -DA --options-file %s -DC", path);
	struct command command;
	parse(line, &command);
	unlink(path);
	expect_words(&command.macros, "-DA -DB -DC");
	assert_string_equal(command.input_paths.at[1], "c d.cu");
	assert_string_equal(command.include_paths.at[0], "x y");
	command_fini(&command);
	free(line);
}

static void response_file_that_names_itself_ends(void **state)
{
	(void)state;
	char path[] = "/tmp/test-command-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_true(dprintf(fd, "-optf %s", path) > 0);
	close(fd);
	char *line = text_format("a.cu -optf %s", path);
	struct command command;
	struct cudasim_error *error = parse_with(line, NULL, NULL, &command);
	unlink(path);
	assert_non_null(error);
	assert_non_null(strstr(error->message, "nested too deeply"));
	cudasim_error_free(error);
	command_fini(&command);
	free(line);
}

static void unknown_options_are_forwarded_on_wish(void **state)
{
	(void)state;
	struct command command;
	parse("a.cu -fopenmp -forward-unknown-to-host-compiler -Wall", &command);
	expect_words(&command.host_options, "-fopenmp -Wall");
	command_fini(&command);
}

static void wrong_lines_get_nvccs_words(void **state)
{
	(void)state;
	static const char *const table[][2] = {
		{"", "No input files specified; use option --help for more information"},
		{"-O3", "No input files specified; use option --help for more information"},
		{"a.cu -Wall", "Unknown option '-Wall'"},
		{"a.cu --arch=sm_90", "Unknown option '--arch=sm_90'"},
		{"a.cu -Ofast", "Unknown option '-Ofast'"},
		{"a.cu -O", "argument expected after '-O'"},
		{"a.cu -o", "argument expected after '-o'"},
		{"a.cu -rdc", "argument expected after '-rdc'"},
		{"a.cu -Xcompiler", "argument expected after '-Xcompiler'"},
		{"a.cu --use_fast_math=true", "no argument expected after '--use_fast_math=true'"},
		{"a.cu -ftz=yes", "'yes': expected true or false"},
		{"a.cu -std=gnu++17", "Value 'gnu++17' is not defined for option 'std'"},
		{"a.cu -std=c++23", "Value 'c++23' is not defined for option 'std'"},
		{"a.cu -Werror foo", "Value 'foo' is not defined for option 'Werror'"},
		{"a.cu -x fortran", "Value 'fortran' is not defined for option 'x'"},
		{"a.cu -cudart dynamic", "Value 'dynamic' is not defined for option 'cudart'"},
		{"a.cu -maxrregcount=many", "'many': expected a number"},
		{"a.cu b.txt", "Don't know what to do with 'b.txt'"},
		{"a.cu @x", "Don't know what to do with '@x'"},
		{"-c a.cu b.cu -o c.o",
		 "A single input file is required for a non-link phase when an outputfile is specified"},
		{"-E -MD a.cu", "'-MD' cannot be used with option '-E'"},
		{"-optix-ir a.cu",
		 "option '--optix-ir' (-optix-ir) is not supported: makes code for a GPU, and cudasim "
		 "makes code for the CPU"},
		{"x.cubin",
		 "'x.cubin': files of GPU code cannot be compiled for the CPU; give the CUDA "
		 "source"},
		{"x.ptx",
		 "'x.ptx': PTX is compiled with -cubin or -fatbin, and linked with -dlink beside one of "
		 "them"},
		{"-ptx x.ptx",
		 "'x.ptx': PTX is compiled with -cubin or -fatbin, and linked with -dlink beside "
		 "one of them"},
		{"-cubin -dlink x.cu",
		 "'x.cu': -dlink with -ptx, -cubin and -fatbin links PTX, objects and what -ltoir "
		 "made, no sources"},
		{"-cubin x.ltoir",
		 "'x.ltoir': what -ltoir made is linked with -dlink beside -ptx, -cubin or "
		 "-fatbin"},
		{"-cubin -dlink --gpu x.o",
		 "'x.o': -dlink with -ptx, -cubin and -fatbin makes no code for GPUs"},
		{"-cubin a.ptx b.ptx -o c",
		 "A single input file is required for a non-link phase when an outputfile is specified"},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		expect_error(table[i][0], table[i][1]);
}

static void expect_architecture(const char *line, const char *name, size_t n_warnings)
{
	struct command command;
	struct architecture architecture;
	parse(line, &command);
	struct cudasim_error *error = architecture_choose(&command, &architecture);
	if (error)
		fail_msg("%s: %s", line, error->message);
	if (strcmp(architecture.name, name) || architecture.warnings.n != n_warnings)
		fail_msg("%s: %s with %zu warnings, not %s with %zu", line, architecture.name,
			 architecture.warnings.n, name, n_warnings);
	words_fini(&architecture.warnings);
	command_fini(&command);
}

static void best_image_for_compute_capability_90_is_chosen(void **state)
{
	(void)state;
	expect_architecture("a.cu", "sm_90", 0);
	expect_architecture("a.cu -arch=sm_80", "sm_80", 0);
	expect_architecture("a.cu -arch sm_90a", "sm_90a", 0);
	expect_architecture("a.cu -arch=native", "sm_90", 0);
	expect_architecture("a.cu -arch=all", "sm_90", 0);
	expect_architecture("a.cu -arch=compute_86 -code=sm_86,compute_86", "sm_86", 0);
	expect_architecture(
		"a.cu -gencode arch=compute_75,code=sm_75 -gencode "
		"arch=compute_89,code=[sm_89,compute_89] -gencode arch=compute_100,code=sm_100",
		"sm_89", 0);
	expect_architecture("a.cu -gencode arch=compute_80,code=\\\"sm_80,compute_80\\\"", "sm_80",
			    0);
	expect_architecture("a.cu -arch=sm_35", "sm_75", 1);
	expect_architecture("a.cu -arch=sm_120", "sm_90", 1);
}

static void expect_architecture_error(const char *line, const char *message)
{
	struct command command;
	struct architecture architecture;
	parse(line, &command);
	struct cudasim_error *error = architecture_choose(&command, &architecture);
	assert_non_null(error);
	assert_string_equal(error->message, message);
	cudasim_error_free(error);
	command_fini(&command);
}

static void architectures_that_no_nvcc_knows_are_errors(void **state)
{
	(void)state;
	expect_architecture_error("a.cu -arch=foo", "Unsupported gpu architecture 'foo'");
	expect_architecture_error("a.cu -arch=sm_99", "Unsupported gpu architecture 'sm_99'");
	expect_architecture_error("a.cu -arch=sm_80a", "Unsupported gpu architecture 'sm_80a'");
	expect_architecture_error("a.cu -arch=sm_", "Unsupported gpu architecture 'sm_'");
	expect_architecture_error("a.cu -code=sm_90", "-arch option not specified");
	expect_architecture_error(
		"a.cu -arch=sm_90 -code=sm_90",
		"Value of -arch option ('sm_90') must be a virtual code architecture");
	expect_architecture_error("a.cu -gencode sm_90",
				  "'sm_90': expected arch=...,code=... for option 'generate-code'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_stand_apart_after_equals_or_glued),
		cmocka_unit_test(lists_split_at_commas_unless_escaped),
		cmocka_unit_test(macros_split_at_commas_and_lose_escapes_of_quotes),
		cmocka_unit_test(short_names_that_begin_like_glued_ones_are_whole),
		cmocka_unit_test(device_phase_wins_over_c_in_any_order),
		cmocka_unit_test(last_value_wins_with_a_warning),
		cmocka_unit_test(kinds_follow_suffixes_and_x),
		cmocka_unit_test(variables_come_before_and_after),
		cmocka_unit_test(response_files_are_read_in_place),
		cmocka_unit_test(response_file_that_names_itself_ends),
		cmocka_unit_test(unknown_options_are_forwarded_on_wish),
		cmocka_unit_test(wrong_lines_get_nvccs_words),
		cmocka_unit_test(best_image_for_compute_capability_90_is_chosen),
		cmocka_unit_test(architectures_that_no_nvcc_knows_are_errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
