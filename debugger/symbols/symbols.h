/* SPDX-License-Identifier: Apache-2.0 */
/* symbols.h - functions, variables, lines and types of the process's own files,
 * read from DWARF through libdw.
 *
 * All addresses are run-time addresses. Device code means watched bodies only;
 * plain bodies have lines but are not listed as functions. Everything returned
 * lives as long as the process. Truncated or corrupt debug information gives an
 * error or less information, never a crash. Not safe from several pthreads at
 * once: the REPL holds the baton (debugger.h). */
#ifndef CUDASIM_DEBUGGER_SYMBOLS_H
#define CUDASIM_DEBUGGER_SYMBOLS_H

#include "cudasim/error.h"
#include "type.h"

/* Read (or, after a library was opened, read again) what is mapped now. Only
 * indexes are built; the rest is read when asked for. Says on stderr nothing.
 * *ret_missing (may be NULL): a line about files without debug information that
 * the user should know of ("(No debugging symbols found in ./app)"), or NULL. */
struct cudasim_error *symbols_load(const char **ret_missing);

/* More is mapped than was read, or soon will be: symbols_refresh() reads it. From any pthread. */
void symbols_expect_more(void);
struct cudasim_error *symbols_refresh(void);

/* ---- functions ----------------------------------------------------------- */

struct function {
	const char *name;    /* qualified, with template arguments, without parameters:
	                      * geo::Shape::area, tour<double> */
	const char *linkage; /* mangled; never with the compiler's suffixes */
	const char *signature; /* with parameters: factorial(int) */
	const char *file;    /* as the compiler was given it */
	const char *path;    /* absolute, where it was compiled */
	uint32_t line;       /* of the declaration */
	uint64_t low, high;  /* code, high exclusive */
	bool is_device, is_kernel;
	uint32_t unit;       /* number of its compile unit, for scoping */
	const void *die;     /* symbols.c's own */
};

/* The function whose code holds pc (not inlined ones), or NULL. */
const struct function *symbols_function_at(uint64_t pc);

/* Functions that `name` may mean, device functions first: "f" matches
 * ns::f, f<int>, f(int) and C::f, "f<int>" only that instance, "ns::f" only in
 * that namespace, "f(int)" that overload; mangled names too. Writes up to max to
 * ret, returns how many there are. */
size_t symbols_functions(const char *name, const struct function **ret, size_t max);
/* All whose name matches the POSIX extended regular expression; for rbreak, info functions. */
size_t symbols_functions_matching(const char *pattern, const struct function **ret, size_t max);
/* All, for completion: calls f for each function. */
void symbols_each_function(void (*f)(void *user, const struct function *), void *user);

/* ---- lines --------------------------------------------------------------- */

struct line {
	const char *file; /* as the compiler was given it */
	const char *path; /* absolute */
	uint32_t line, column;
	uint64_t low, high; /* the code of this row of the line table */
	bool is_statement;
};
/* The row that holds pc; false where there is none, or where the code belongs to no
 * line of the source. Code that device functions have from headers that are not the
 * user's belongs to the line that led there. */
bool symbols_line_at(uint64_t pc, struct line *ret);
/* A file that the user names ("tour.cu", "src/tour.cu", a full path): its name
 * as the compiler was given it, or NULL; *ret_ambiguous tells of several. */
const char *symbols_file(const char *name, bool *ret_ambiguous);
/* Addresses where the code of file:line begins in host functions (one per
 * function, after the prologue where the line is the function's own). Where the
 * line has no code the next one that has is taken, *ret_line tells which. Device
 * code is found through sites (inspect.h) instead. */
size_t symbols_host_lines(const char *file, uint32_t line, uint64_t *ret, size_t max,
			  uint32_t *ret_line);
/* Address behind the prologue of a host function: where a breakpoint belongs. */
uint64_t symbols_after_prologue(const struct function *function);
/* Source files by name, for completion and info sources. */
void symbols_each_file(void (*f)(void *user, const char *file, const char *path), void *user);

/* ---- scopes and variables ------------------------------------------------ */

struct variable {
	const char *name;
	const struct type *type;
	enum storage storage; /* LOCAL, SHARED, PARAMETER, CONSTANT, GLOBAL, MANAGED, NONE (host) */
	bool is_argument, is_artificial, is_device;
	bool is_static; /* of a function: its address never changes, see
				 * symbols_global_address(); of a global: of its file only */
	bool is_dynamic_shared; /* extern __shared__ */
	bool is_template; /* a template's constant: template <int n>; in no list */
	const char *file;
	uint32_t line;
	uint32_t unit; /* of globals: number of the compile unit, see struct function */
	const char *linkage; /* of globals, else NULL */
	/* An inlined call's or a lexical block's code where it lives, for order. */
	uint32_t depth; /* of nesting: 0 is the function's outermost */
	const void *die; /* symbols.c's own */
	/* Where the watched body notes which of its scalars, of so many bytes each, were
	 * written: an array of bytes. NULL where it does not. */
	const struct variable *written;
	uint32_t written_scalar;
};

/* One scope around a pc, innermost first: lexical blocks, inlined calls, the
 * function itself. */
struct scope {
	const struct function *function; /* the one whose code it is */
	const char *inlined; /* name of the inlined function that begins here, or NULL */
	uint32_t call_line; /* where it was inlined */
	const char *call_file;
	uint64_t low, high;
	const struct variable *variables;
	size_t n_variables;
};
/* Scopes at pc, innermost first; 0 where pc is in no known function. The array
 * lives until the process ends (kept by function and pc range). */
size_t symbols_scopes(uint64_t pc, const struct scope **ret);

/* How to find a local at run time: resolved once, evaluated often. What watched
 * bodies need is `base + offset`, perhaps dereferenced; all else goes through
 * the general evaluator. */
struct location {
	enum {
		LOCATION_NONE, /* optimized out or not there at this pc */
		LOCATION_FRAME, /* frame pointer + offset */
		LOCATION_FRAME_DEREF, /* the address stands at frame pointer + offset */
		LOCATION_ADDRESS, /* an absolute address: offset */
		LOCATION_REGISTER, /* host registers only: number in offset */
		LOCATION_VALUE, /* a constant: offset */
		LOCATION_EXPRESSION, /* DWARF operations, see location_address(), location_bytes() */
	} kind;
	int64_t offset;
	const void *expression; /* symbols.c's own */
	size_t n_operations;
};
/* registers: x86-64 DWARF numbering (rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp,
 * r8..r15, rip), those not known have their bit in `known` clear. */
struct registers {
	uint64_t value[17];
	uint32_t known;
};
struct cudasim_error *symbols_location(const struct variable *variable, uint64_t pc,
				       struct location *ret);
/* Address of the variable for LOCATION kinds that have one: ADDRESS, FRAME,
 * FRAME_DEREF (of registers only rbp, number 6, is used there), and EXPRESSION
 * where it does not come to a value. */
struct cudasim_error *location_address(const struct location *location,
				       const struct registers *registers, uint64_t *ret);
/* The first `size` bytes of a variable that has no address: REGISTER, VALUE, and
 * EXPRESSION that comes to a value. */
struct cudasim_error *location_bytes(const struct location *location,
				     const struct registers *registers, void *to, uint64_t size);

/* Globals: __device__, __constant__, __managed__ and host variables that `name`
 * may mean, device ones first; found as functions are. */
size_t symbols_globals(const char *name, const struct variable **ret, size_t max);
/* Of n variables that were found: the one that code of `from` (may be NULL) would mean,
 * as static ones of one name may stand in several files; only those called `full`, where
 * that is not NULL; never the host's copy of a device variable. NULL: none. */
const struct variable *symbols_nearest(const struct variable *const *found, size_t n,
				       const char *full, const struct function *from);
/* How near a unit and file are to those of `from`: 2 the unit, 1 the file, 0 neither. */
int symbols_nearness(uint32_t unit, const char *file, const struct function *from);
void symbols_each_global(void (*f)(void *user, const struct variable *), void *user);
/* Where a global, or a static variable of a function, lies; device ones in that
 * ordinal's instance. */
struct cudasim_error *symbols_global_address(const struct variable *variable, uint32_t device,
					     uint64_t *ret);

/* A type by its name as C++ would find it from within `function` (may be NULL):
 * structs, enums, typedefs, base types. NULL if there is none. */
const struct type *symbols_type(const char *name, const struct function *function);
/* All, each name once. Where it was declared: file NULL and line 0 for base types. */
struct type_place {
	const char *file; /* as the compiler was given it */
	uint32_t line;
};
void symbols_each_type(void (*f)(void *user, const struct type *, const struct type_place *),
		       void *user);
/* The type of a function: TYPE_FUNCTION. */
const struct type *symbols_function_type(const struct function *function);
/* An enumerator by (qualified) name; false if there is none. */
bool symbols_enumerator(const char *name, const struct function *function,
			const struct type **ret_type, int64_t *ret_value);
/* The most derived type of an object whose first word is a vptr, or NULL. */
const struct type *symbols_dynamic_type(uint64_t object, uint64_t *ret_start);

/* A symbol of the ELF files that holds or precedes address in its object:
 * demangled name, offset; false if there is none. */
bool symbols_symbol_at(uint64_t address, const char **ret_name, const char **ret_mangled,
		       uint64_t *ret_offset, const char **ret_file);

/* Where code of this name, as the symbol tables spell it, begins: also in files without
 * debug information. Writes up to max to ret, returns how many there are. */
size_t symbols_code_named(const char *name, uint64_t *ret, size_t max);

/* The name without the namespaces that libraries have for their versions: std::__cxx11,
 * cuda::std::__4, thrust::THRUST_300001_SM_900_NS. arguments false: without those of templates,
 * too. Cut to fit. */
void symbols_plain_name(const char *name, bool arguments, char *to, size_t size);

/* Demangled by the C++ ABI, or name itself. Lives as long as the process. */
const char *symbols_demangle(const char *name);

#endif
