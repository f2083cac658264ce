/* SPDX-License-Identifier: Apache-2.0 */
/* symbols.h on this very program: symbols_sample.cpp is linked in and read back.
 * Expected values follow from its text and from the x86-64 C++ ABI. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cudasim/inspect.h"
#include "error.h"
#include "symbols_dwarf.h"
#include "symbols_sample.h"
#include "symbols_state.h"

extern int _Z11sample_walki(int depth); /* sample_walk(int) */

struct symbols_state *symbols_state(void)
{
	static struct symbols_state state;
	return &state;
}

/* ---- a program without device code ------------------------------------------------- */

void cudasim_modules(const struct cudasim_module *const **ret, size_t *n)
{
	*ret = NULL;
	*n = 0;
}

size_t cudasim_memory_read(const void *address, void *to, size_t n)
{
	memcpy(to, address, n);
	return n;
}

struct cudasim_error *cudasim_variable_find(const struct cudasim_module *module, const char *name,
					    uint32_t device, void **address,
					    const struct cudasim_variable **ret)
{
	(void)module, (void)device, (void)address, (void)ret;
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "no variable %s", name);
}

/* ---- helpers --------------------------------------------------------------------------- */

static const struct function *function(const char *name)
{
	const struct function *all[8];
	size_t n = symbols_functions(name, all, 8);
	if (n != 1)
		print_error("%s: %zu functions\n", name, n);
	assert_int_equal(n, 1);
	return all[0];
}

static const struct type *type_named(const char *name)
{
	const struct type *type = symbols_type(name, NULL);
	if (!type)
		print_error("no type %s\n", name);
	assert_non_null(type);
	return type;
}

static void assert_printed(const struct type *type, enum storage storage, bool deep,
			   const char *expected)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	assert_non_null(out);
	type_print(out, type, storage, deep);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static const struct variable *in_scopes(const struct scope *scopes, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < scopes[i].n_variables; j++)
			if (!strcmp(scopes[i].variables[j].name, name))
				return &scopes[i].variables[j];
	return NULL;
}

/* ---- functions ---------------------------------------------------------------------------- */

static void functions_are_found_by_what_people_write(void **state)
{
	(void)state;
	const struct function *all[8];
	assert_string_equal(function("sample_walk")->signature, "sample_walk(int)");
	assert_string_equal(function("_Z11sample_walki")->name, "sample_walk");
	assert_string_equal(function("geo::Base::twice")->signature, "geo::Base::twice() const");
	assert_ptr_equal(function("Base::twice"), function("geo::Base::twice() const"));
	assert_ptr_equal(function("Base::twice(void)"), function("geo::Base::twice"));
	assert_int_equal(function("Base::twice")->line, 12);
	/* Overloads, instances, and both with a member of the name. */
	assert_int_equal(symbols_functions("overloaded", all, 8), 2);
	assert_string_equal(function("overloaded(double)")->linkage, "_Z10overloadedd");
	assert_int_equal(symbols_functions("twice", all, 8), 3);
	assert_string_equal(function("twice<double>")->name, "twice<double>");
	assert_string_equal(function("twice<int>")->signature, "twice<int>(int)");
	assert_string_equal(function("Ring<double,4>::at")->name, "geo::Ring<double, 4>::at");
	assert_ptr_equal(function("Ring::at"), function("geo::Ring<double, 4>::at(int)"));
	assert_string_equal(function("operator<")->signature,
			    "geo::operator<(geo::Named const&, geo::Named const&)");
	/* Not what only ends alike. */
	assert_int_equal(symbols_functions("walk", all, 8), 0);
	assert_int_equal(symbols_functions("::twice", all, 8), 2);
	assert_int_equal(symbols_functions("other::overloaded", all, 8), 0);
	assert_int_equal(symbols_functions("overloaded(long)", all, 8), 0);
	assert_int_equal(symbols_functions("", all, 8), 0);
	assert_int_equal(symbols_functions("<", all, 8), 0);
	assert_int_equal(symbols_functions("a<b<c(", all, 8), 0);
	/* The count is whole where the array is short. */
	assert_int_equal(symbols_functions("overloaded", all, 1), 2);
	assert_int_equal(symbols_functions_matching("^overload", all, 8), 2);
	assert_int_equal(symbols_functions_matching("(", all, 8), 0);
}

static void a_function_is_found_by_its_code(void **state)
{
	(void)state;
	const struct function *f = symbols_function_at((uint64_t)(uintptr_t)_Z11sample_walki);
	assert_non_null(f);
	assert_string_equal(f->name, "sample_walk");
	assert_int_equal(f->line, 84);
	assert_int_equal(f->low, (uint64_t)(uintptr_t)_Z11sample_walki);
	assert_ptr_equal(symbols_function_at(f->high - 1), f);
	assert_true(symbols_function_at(f->high) != f);
	assert_false(f->is_device || f->is_kernel);
	assert_int_equal(f->path[0], '/');
	assert_non_null(strstr(f->path, "symbols_sample.cpp"));
	assert_null(symbols_function_at(0));
	assert_null(symbols_function_at((uint64_t)(uintptr_t)&f));
}

static void symbols_are_demangled(void **state)
{
	(void)state;
	const char *name, *mangled, *file;
	uint64_t offset;
	assert_true(symbols_symbol_at((uint64_t)(uintptr_t)_Z11sample_walki + 3, &name, &mangled,
				      &offset, &file));
	assert_string_equal(name, "sample_walk(int)");
	assert_string_equal(mangled, "_Z11sample_walki");
	assert_int_equal(offset, 3);
	/* In what is zero at the start, behind the file's own mappings. */
	static char zeros[1 << 20];
	assert_true(symbols_symbol_at((uint64_t)(uintptr_t)&zeros[1 << 19], &name, NULL, &offset,
				      NULL));
	assert_non_null(strstr(name, "zeros"));
	assert_int_equal(offset, 1 << 19);
	assert_false(symbols_symbol_at(16, &name, &mangled, &offset, &file));
	assert_string_equal(symbols_demangle("_ZN3geo4RingIdLi4EE2atEi"),
			    "geo::Ring<double, 4>::at(int)");
	assert_string_equal(symbols_demangle("main"), "main");
	assert_string_equal(symbols_demangle("_ZL7counter3"), "counter");
	assert_string_equal(symbols_demangle("_Znonsense"), "_Znonsense");
}

/* ---- types ---------------------------------------------------------------------------------- */

static void structs_print_as_ptype_does(void **state)
{
	(void)state;
	assert_printed(type_named("geo::Shape"), STORAGE_NONE, true,
		       "struct geo::Shape : public geo::Base, public geo::Named {\n"
		       "    static int made;\n"
		       "    geo::Kind kind;\n"
		       "    geo::Color color;\n"
		       "    unsigned int low : 3;\n"
		       "    unsigned int mid : 5;\n"
		       "    int high : 4;\n"
		       "    double area[3];\n"
		       "    union {\n"
		       "        int i;\n"
		       "        float f;\n"
		       "    } u;\n"
		       "    union {\n"
		       "        short int s;\n"
		       "        char c;\n"
		       "    };\n"
		       "    const geo::Shape *next;\n"
		       "}");
	assert_printed(type_named("Dog"), STORAGE_LOCAL, false, "@local geo::Dog");
	assert_printed(type_named("geo::Kind"), STORAGE_NONE, true,
		       "enum geo::Kind : unsigned int {geo::POINT, geo::LINE = 3, geo::AREA}");
	assert_printed(type_named("geo::Color"), STORAGE_NONE, true,
		       "enum class geo::Color : unsigned char {geo::Color::Red, geo::Color::Green, "
		       "geo::Color::Blue = 7}");
	/* Storages as cuda-gdb writes them. */
	assert_printed(type_named("Ring<double,4>"), STORAGE_SHARED, true,
		       "@shared struct geo::Ring<double, 4> {\n"
		       "    @shared double data[4];\n"
		       "    @shared int head;\n"
		       "\n"
		       "    double & at(int);\n"
		       "}");
}

static const struct member *member(const struct type *type, const char *name)
{
	for (size_t i = 0; i < type->n_members; i++)
		if (type->members[i].name && !strcmp(type->members[i].name, name))
			return &type->members[i];
	fail_msg("no member %s", name);
	return NULL;
}

static void structs_lie_as_the_abi_has_it(void **state)
{
	(void)state;
	const struct type *shape = type_named("geo::Shape");
	assert_int_equal(shape->kind, TYPE_STRUCT);
	assert_int_equal(shape->size, 64);
	assert_true(shape->members[0].is_base && shape->members[1].is_base);
	assert_int_equal(shape->members[1].offset, 8);
	assert_string_equal(shape->members[1].type->name, "geo::Named");
	assert_int_equal(member(shape, "kind")->offset, 16);
	assert_int_equal(member(shape, "low")->bit_offset, 21 * 8);
	assert_int_equal(member(shape, "low")->bit_size, 3);
	assert_int_equal(member(shape, "mid")->bit_offset, 21 * 8 + 3);
	assert_int_equal(member(shape, "high")->bit_offset, 22 * 8);
	assert_int_equal(member(shape, "area")->offset, 24);
	assert_int_equal(member(shape, "u")->offset, 48);
	assert_int_equal(member(shape, "next")->offset, 56);
	assert_true(member(shape, "made")->is_static);
	const struct member *unnamed = &shape->members[shape->n_members - 2];
	assert_null(unnamed->name);
	assert_true(unnamed->type->is_union);
	assert_int_equal(unnamed->offset, 52);
	/* A pointer to itself: the very same type, qualified. */
	const struct type *next = member(shape, "next")->type;
	assert_int_equal(next->kind, TYPE_POINTER);
	assert_true(next->target->is_const);
	assert_int_equal(next->target->n_members, shape->n_members);
	const struct type *area = member(shape, "area")->type;
	assert_int_equal(area->n, 3);
	assert_int_equal(area->size, 24);

	const struct type *dog = type_named("geo::Dog"), *animal = dog->members[0].type;
	assert_true(dog->is_class && dog->members[0].is_base);
	assert_int_equal(dog->size, 16);
	assert_true(animal->members[0].is_vptr);
	assert_int_equal(member(animal, "legs_")->access, ACCESS_PROTECTED);
	assert_int_equal(member(dog, "tail_")->access, ACCESS_PRIVATE);
	assert_int_equal(member(dog, "tail_")->offset, 12);
	const struct method *sound = NULL;
	for (size_t i = 0; i < animal->n_methods; i++)
		if (!strcmp(animal->methods[i].name, "sound"))
			sound = &animal->methods[i];
	assert_non_null(sound);
	assert_true(sound->is_virtual && sound->is_const && !sound->is_static);
	assert_int_equal(sound->vtable_index, 2); /* behind two destructors */
	assert_string_equal(sound->linkage, "_ZNK3geo6Animal5soundEi");
	assert_int_equal(sound->type->n_members, 2);
}

static void types_are_found_by_name(void **state)
{
	(void)state;
	assert_ptr_equal(type_named("Shape"), type_named("geo::Shape"));
	assert_ptr_equal(type_named("struct geo::Shape"), type_named("::geo::Shape"));
	assert_string_equal(type_named("geo::Ring< double,4 >")->name, "geo::Ring<double, 4>");
	assert_null(symbols_type("Ring", NULL));
	assert_null(symbols_type("geo::Nothing", NULL));
	assert_null(symbols_type("", NULL));
	assert_null(symbols_type("struct ", NULL));
	assert_int_equal(type_named("unsigned long long")->size, 8);
	/* A function's own type, from within. */
	assert_string_equal(symbols_type("Local", function("sample_walk"))->name,
			    "sample_walk(int)::Local");
	const struct type *type = symbols_function_type(function("overloaded(double)"));
	assert_printed(type, STORAGE_NONE, true, "int (double)");
	assert_printed(symbols_function_type(function("twice<double>")), STORAGE_NONE, false,
		       "double (double)");
}

static void enumerators_are_found_by_name(void **state)
{
	(void)state;
	const struct type *type;
	int64_t value = 0;
	assert_true(symbols_enumerator("geo::LINE", NULL, &type, &value));
	assert_int_equal(value, 3);
	assert_string_equal(type->name, "geo::Kind");
	assert_true(symbols_enumerator("geo::Color::Blue", NULL, &type, &value));
	assert_int_equal(value, 7);
	assert_true(type->is_scoped);
	assert_true(symbols_enumerator("LINE", function("geo::Base::twice"), &type, &value));
	assert_false(symbols_enumerator("geo::Blue", NULL, &type, &value));
	assert_false(symbols_enumerator("geo::NONE", NULL, &type, &value));
}

/* ---- globals ------------------------------------------------------------------------------------ */

static int elsewhere = 600;

static int global(const char *name)
{
	const struct variable *all[4];
	uint64_t address;
	size_t n = symbols_globals(name, all, 4);
	if (n != 1)
		print_error("%s: %zu variables\n", name, n);
	assert_int_equal(n, 1);
	assert_null(symbols_global_address(all[0], 0, &address));
	return *(int *)(uintptr_t)address;
}

static void globals_are_found_by_name(void **state)
{
	(void)state;
	const struct variable *all[4];
	assert_int_equal(global("geo::counter"), 5);
	assert_int_equal(global("::counter"), 50);
	assert_int_equal(symbols_globals("counter", all, 4), 2);
	assert_int_equal(global("hidden"), 6);
	assert_int_equal(global("geo::Shape::made"), 17);
	assert_int_equal(global("_ZN3geo7counterE"), 5);
	assert_int_equal(symbols_globals("nothing", all, 4), 0);
	/* This file has a static variable of that name, too. */
	static const struct variable *found[8];
	size_t n = symbols_globals("elsewhere", found, 8);
	assert_int_equal(n, 2);
	const struct variable *here = symbols_nearest(found, n, NULL, function("main"));
	const struct variable *there = symbols_nearest(found, n, "elsewhere",
						       function("sample_walk"));
	assert_true(here && there && here != there);
	assert_int_equal(here->unit, function("main")->unit);
	assert_int_equal(there->unit, function("sample_walk")->unit);
	assert_ptr_equal(symbols_nearest(found, n, "nowhere", NULL), NULL);
	assert_int_equal(elsewhere, 600);
}

/* ---- lines ---------------------------------------------------------------------------------------- */

static void lines_lead_to_code_and_back(void **state)
{
	(void)state;
	const struct function *f = function("sample_walk");
	struct line line;
	uint64_t places[4];
	uint32_t at;
	bool ambiguous;
	assert_true(symbols_line_at(f->low, &line));
	assert_int_equal(line.line, 85);
	assert_int_equal(line.low, f->low);
	const char *file = symbols_file("symbols_sample.cpp", &ambiguous);
	assert_non_null(file);
	assert_false(ambiguous);
	assert_string_equal(file, line.file);
	assert_string_equal(symbols_file(line.path, NULL), file);
	assert_null(symbols_file("ample.cpp", NULL));
	assert_null(symbols_file("", NULL));
	/* Line 98 is one call in one function. */
	assert_int_equal(symbols_host_lines(file, 98, places, 4, &at), 1);
	assert_int_equal(at, 98);
	assert_true(symbols_line_at(places[0], &line));
	assert_int_equal(line.line, 98);
	assert_true(line.is_statement && line.high > line.low);
	assert_ptr_equal(symbols_function_at(places[0]), f);
	/* The function's own line is left for the first one behind the prologue. */
	assert_int_equal(symbols_host_lines(file, 85, places, 4, &at), 1);
	assert_int_equal(places[0], symbols_after_prologue(f));
	assert_true(places[0] > f->low);
	/* A line without code stands for the next one that has some. */
	assert_int_equal(symbols_host_lines(file, 13, places, 4, &at), 1);
	assert_int_equal(at, 38);
	assert_int_equal(symbols_host_lines(file, 4000, places, 4, &at), 0);
	assert_int_equal(symbols_host_lines("nowhere.cpp", 1, places, 4, &at), 0);
}

/* ---- scopes ------------------------------------------------------------------------------------------ */

static uint64_t probe_pc, probe_frame;
static void (*probed)(void);

void sample_probe(void *frame)
{
	probe_pc = (uint64_t)(uintptr_t)__builtin_return_address(0) - 1;
	probe_frame = (uint64_t)(uintptr_t)frame;
	if (probed)
		probed();
}

static const void *object(const struct variable *variable)
{
	struct location location;
	struct registers registers = {.known = 1 << 6 | 1 << 16};
	uint64_t address;
	registers.value[6] = probe_frame;
	registers.value[16] = probe_pc;
	assert_non_null(variable);
	if (variable->is_static)
		assert_null(symbols_global_address(variable, 0, &address));
	else {
		assert_null(symbols_location(variable, probe_pc, &location));
		assert_null(location_address(&location, &registers, &address));
	}
	return (const void *)(uintptr_t)address;
}

static int n_probes;

static void look_around(void)
{
	const struct scope *scopes;
	size_t n = symbols_scopes(probe_pc, &scopes);
	if (n_probes++) {
		/* In the lambda: its own parameter, and itself. */
		assert_non_null(strstr(scopes[0].function->name, "operator()"));
		assert_int_equal(*(const int *)object(in_scopes(scopes, n, "x")), 1);
		const struct variable *this = in_scopes(scopes, n, "__closure"); /* gcc's name */
		if (!this)
			this = in_scopes(scopes, n, "this");
		assert_true(this && this->is_argument && this->is_artificial);
		return;
	}
	assert_true(n >= 3);
	assert_string_equal(scopes[0].function->name, "sample_walk");
	/* The inner `value` hides the outer one. */
	const struct variable *inner = in_scopes(scopes, n, "value");
	assert_int_equal(*(const int *)object(inner), 100);
	assert_int_equal(inner->line, 97);
	const struct variable *outer = in_scopes(&scopes[n - 1], 1, "value");
	assert_int_equal(*(const int *)object(outer), 42);
	assert_int_equal(outer->depth, 0);
	assert_true(inner->depth > outer->depth);
	assert_int_equal(*(const int *)object(in_scopes(scopes, n, "depth")), 21);
	assert_true(in_scopes(scopes, n, "depth")->is_argument);
	assert_int_equal(*(const int *)object(in_scopes(scopes, n, "calls")), 1);
	const struct variable *grid = in_scopes(scopes, n, "grid");
	assert_int_equal(((const int *)object(grid))[5], 21);
	assert_printed(grid->type, STORAGE_LOCAL, false, "@local int [2][3]");
	assert_printed(in_scopes(scopes, n, "function")->type, STORAGE_NONE, true, "int (*)(int)");
	assert_printed(in_scopes(scopes, n, "function")->type, STORAGE_LOCAL, true,
		       "@generic int (* @local)(@generic int)");
	assert_printed(in_scopes(scopes, n, "animal")->type, STORAGE_LOCAL, false,
		       "const @generic geo::Animal * @local");
	/* What an object is, by its virtual table. */
	uint64_t start = 0, dog = (uint64_t)(uintptr_t)object(in_scopes(scopes, n, "dog"));
	const struct type *dynamic = symbols_dynamic_type(dog, &start);
	assert_non_null(dynamic);
	assert_string_equal(dynamic->name, "geo::Dog");
	assert_int_equal(start, dog);
	/* The same answer for the same place. */
	const struct scope *again;
	assert_int_equal(symbols_scopes(probe_pc, &again), n);
	assert_ptr_equal(again, scopes);
}

static void scopes_show_what_is_visible(void **state)
{
	(void)state;
	const struct scope *scopes;
	probed = look_around;
	/* 42 + 21 + 51 + 8 + 6 + 3 + 8 + 0 + 42 + 43 + 0 + 5 + 17 */
	assert_int_equal(_Z11sample_walki(21), 246);
	probed = NULL;
	assert_int_equal(n_probes, 2);
	assert_int_equal(symbols_scopes(0, &scopes), 0);
}

/* ---- types made of others ------------------------------------------------------------- */

static void types_are_made_of_others(void **state)
{
	(void)state;
	const struct type *i = type_base("int"), *p = type_pointer(i, STORAGE_NONE);
	assert_ptr_equal(p, type_pointer(i, STORAGE_NONE));
	assert_ptr_not_equal(p, type_pointer(i, STORAGE_SHARED));
	assert_true(type_equal(p, type_pointer(type_base("signed int"), STORAGE_NONE)));
	assert_false(type_equal(p, type_pointer(type_base("unsigned"), STORAGE_NONE)));
	assert_printed(type_pointer(p, STORAGE_NONE), STORAGE_NONE, false, "int **");
	assert_printed(type_pointer(p, STORAGE_LOCAL), STORAGE_NONE, false,
		       "@generic int * @local *");
	assert_printed(type_pointer(i, STORAGE_SHARED), STORAGE_NONE, false, "@shared int *");
	assert_printed(type_pointer(i, STORAGE_NONE), STORAGE_PARAMETER, false,
		       "@generic int * @parameter");
	assert_printed(type_array(type_array(i, 3), 2), STORAGE_NONE, false, "int [2][3]");
	assert_printed(type_pointer(type_array(i, 3), STORAGE_NONE), STORAGE_NONE, false,
		       "int (*)[3]");
	assert_printed(type_array(p, 4), STORAGE_NONE, false, "int *[4]");
	assert_printed(type_qualified(i, true, false), STORAGE_NONE, false, "const int");
	assert_printed(type_qualified(p, true, false), STORAGE_NONE, false, "int * const");
	assert_printed(type_reference(type_qualified(i, true, true)), STORAGE_NONE, false,
		       "const volatile int &");
	assert_int_equal(type_array(i, 6)->size, 24);
	assert_int_equal(type_array(i, UINT64_MAX)->size, 0);
	assert_int_equal(type_base("__nv_bfloat16")->float_format, FLOAT_BFLOAT16);
	assert_null(type_base("nothing"));
	assert_string_equal(type_integer(8, false)->name, "unsigned long");
	assert_null(type_integer(3, true));
	assert_string_equal(type_float(4)->name, "float");
	assert_true(type_is_scalar(p) && !type_is_integral(p) && type_is_integral(i));
}

/* ---- damage ----------------------------------------------------------------------------- */

/* This program's file, its section cut to a fraction; 1: whole. */
static struct file *cut_copy(const char *section, unsigned fraction)
{
	FILE *self = fopen("/proc/self/exe", "rb");
	assert_non_null(self);
	fseek(self, 0, SEEK_END);
	size_t n = (size_t)ftell(self);
	rewind(self);
	char *copy = malloc(n);
	assert_int_equal(fread(copy, 1, n, self), n);
	fclose(self);
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)copy;
	Elf64_Shdr *sections = (Elf64_Shdr *)(copy + header->e_shoff);
	const char *names = copy + sections[header->e_shstrndx].sh_offset;
	for (unsigned i = 0; i < header->e_shnum; i++)
		if (!strcmp(names + sections[i].sh_name, section))
			sections[i].sh_size /= fraction;
	Elf *elf = elf_memory(copy, n);
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	struct file *file = file_new("copy", elf, dwarf, 1, 2, 0, 0);
	for (size_t i = 0; i < file->n_units; i++)
		unit_scan(&file->units[i]);
	symbols_state()->n_files--;
	index_forget();
	return file;
}

static void damage_is_told(void **state)
{
	(void)state;
	size_t whole = cut_copy(".debug_info", 1)->n_units;
	assert_null(cut_copy(".debug_info", 1)->damage);
	const struct file *cut = cut_copy(".debug_info", 2);
	assert_non_null(cut->damage);
	assert_true(cut->n_units < whole);
	assert_non_null(cut_copy(".debug_abbrev", 8)->damage);
	assert_non_null(cut_copy(".debug_str", 50)->damage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_found_by_what_people_write),
		cmocka_unit_test(a_function_is_found_by_its_code),
		cmocka_unit_test(symbols_are_demangled),
		cmocka_unit_test(structs_print_as_ptype_does),
		cmocka_unit_test(structs_lie_as_the_abi_has_it),
		cmocka_unit_test(types_are_found_by_name),
		cmocka_unit_test(enumerators_are_found_by_name),
		cmocka_unit_test(globals_are_found_by_name),
		cmocka_unit_test(lines_lead_to_code_and_back),
		cmocka_unit_test(scopes_show_what_is_visible),
		cmocka_unit_test(types_are_made_of_others),
		cmocka_unit_test(damage_is_told),
	};
	struct cudasim_error *error = symbols_load(NULL);
	if (error) {
		print_error("%s\n", error->message);
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
