/* SPDX-License-Identifier: Apache-2.0 */
/* expression_tree.h - the typed tree of an expression; for expression*.c only.
 *
 * Nodes live in the expression's own chunks and are never changed once parsed. Names
 * are resolved to variables with locations, to members, functions or constants while
 * parsing; what depends on the moment ($1, $x, dynamic types) is left to evaluation. */
#ifndef CUDASIM_DEBUGGER_EXPRESSION_TREE_H
#define CUDASIM_DEBUGGER_EXPRESSION_TREE_H

#include "error.h"
#include "expression.h"
#include "history.h"

enum operator{
	OP_NONE,
	OP_ADD,
	OP_SUBTRACT,
	OP_MULTIPLY,
	OP_DIVIDE,
	OP_MODULO,
	OP_SHIFT_LEFT,
	OP_SHIFT_RIGHT,
	OP_AND,
	OP_OR,
	OP_XOR,
	OP_EQUAL,
	OP_UNEQUAL,
	OP_LESS,
	OP_GREATER,
	OP_LESS_EQUAL,
	OP_GREATER_EQUAL,
	OP_BOTH,
	OP_EITHER, /* && || */
	OP_PLUS,
	OP_NEGATE,
	OP_COMPLEMENT,
	OP_NOT,
	OP_REPEAT,
	OP_MEMBER_POINTER,
	OP_MEMBER_POINTER_ARROW,
};

enum node_kind {
	NODE_LITERAL,     /* literal */
	NODE_STRING,      /* name (length bytes), type: array of characters */
	NODE_VARIABLE,    /* variable, location: of a frame */
	NODE_GLOBAL,      /* variable */
	NODE_FUNCTION,    /* functions: an overload set; name */
	NODE_BUILTIN,     /* number: enum builtin */
	NODE_REGISTER,    /* number: DWARF's, or REGISTER_* */
	NODE_CONVENIENCE, /* name */
	NODE_HISTORY,     /* number; relative: counted from the last one */
	NODE_TYPE,        /* type */
	NODE_FIELD,       /* type: a class; name: of its member, without an object */
	NODE_UNARY,       /* op, a */
	NODE_BINARY,      /* op, a, b; && and || too */
	NODE_TERNARY,     /* a, b, c */
	NODE_COMMA,       /* a, b */
	NODE_ASSIGN,      /* a, b, op: of compound ones, else OP_NONE */
	NODE_STEP,        /* ++ --: a, op ADD or SUBTRACT; relative: postfix */
	NODE_CAST,        /* type, a; relative: reinterpret_cast; number: dynamic_cast */
	NODE_SIZEOF,      /* a or type */
	NODE_ALIGNOF,     /* a or type */
	NODE_ADDRESS,     /* a */
	NODE_DEREFERENCE, /* a */
	NODE_MEMBER,      /* a, name; relative: through -> */
	NODE_SUBSCRIPT,   /* a, b */
	NODE_SLICE,       /* a, b, c: elements b .. c - 1; b, c may be NULL */
	NODE_CALL,        /* a, arguments */
	NODE_MATH,        /* name: a callee of expression_math.h */
};

enum builtin {
	BUILTIN_THREAD_IDX,
	BUILTIN_BLOCK_IDX,
	BUILTIN_BLOCK_DIM,
	BUILTIN_GRID_DIM,
	BUILTIN_CLUSTER_IDX,
	BUILTIN_CLUSTER_DIM,
	BUILTIN_WARP_SIZE
};

struct node {
	enum node_kind kind;
	enum operator op;
	bool relative;
	uint32_t depth;  /* of the tree below: bounds the evaluator's recursion */
	struct node *a, *b, *c;
	struct node *next;  /* of arguments */
	struct node *arguments;
	const struct type *type;
	const char *name;
	size_t length;
	int64_t number;
	struct value literal;
	const struct variable *variable;
	struct location location;
	const struct function *frame_of; /* of function::variable */
	const struct function *const *functions;
	size_t n_functions;
};

struct chunk;
struct program;
struct expression {
	char *text;
	uint64_t pc;
	struct node *root;
	struct chunk *chunks;
	struct program *program; /* expression_test.c: the fast form, made when first asked for */
	bool no_program;         /* it has none */
};

/* Memory that lives as long as the expression; NULL when there is none. */
void *expression_allocate(struct expression *expression, size_t n);

/* ---- lexer ------------------------------------------------------------------- */

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_NUMBER,
	TOKEN_CHARACTER,
	TOKEN_STRING,
	TOKEN_DOLLAR,
	TOKEN_STORAGE, /* @shared ...; storage */
	TOKEN_MARK,    /* mark: a character, or two or three of them */
};
#define MARK2(a, b) ((a) | (b) << 8)
#define MARK3(a, b, c) ((a) | (b) << 8 | (c) << 16)
struct token {
	enum token_kind kind;
	const char *start, *end;
	uint32_t mark;
	enum storage storage;
	const struct type *type; /* of literals */
	uint64_t integer;
	long double real;
	char *string;            /* decoded; in the expression's memory */
	size_t length;           /* units of the string */
};
/* The token that begins at or after *at, which is moved behind it. */
struct cudasim_error *lex(struct expression *expression, const char **at, struct token *ret);

/* ---- parser ------------------------------------------------------------------- */

struct parser {
	struct expression *expression;
	const char *at;          /* behind the token */
	struct token token;      /* the next one, not yet consumed */
	struct cudasim_error *error;
	uint32_t depth;
	uint64_t pc;
	const struct function *function;
	const struct scope *scopes;
	size_t n_scopes;
	bool is_device;
	bool is_global;          /* the name behind a leading :: */
};
struct node *node_new(struct parser *p, enum node_kind kind, struct node *a, struct node *b);
void parser_advance(struct parser *p);
/* The first error counts; returns NULL for the caller to return. */
void *parser_fail(struct parser *p, struct cudasim_error *error);
void *parser_syntax(struct parser *p); /* A syntax error in expression, near `...'. */
bool parser_is(const struct parser *p, uint32_t mark);
bool parser_accept(struct parser *p, uint32_t mark);
struct node *parse_assignment(struct parser *p);
struct node *parse_comma(struct parser *p);
struct node *parse_unary(struct parser *p);
struct node *parse_primary(struct parser *p); /* expression_primary.c */
bool parser_is_word(const struct parser *p, const char *word);
bool parser_expect(struct parser *p, uint32_t mark); /* else a syntax error */
struct node *node_literal(struct parser *p, struct value value);
struct node *node_of_type(struct parser *p, const struct type *type);

/* A type name with its declarator at the next token; NULL where none begins there:
 * then nothing is consumed (p->error may be set). */
const struct type *parse_type(struct parser *p);
/* Its two halves. storage: of what a first * points at. */
const struct type *parse_specifiers(struct parser *p, enum storage *ret_storage);
const struct type *parse_declarator(struct parser *p, const struct type *type,
				    enum storage storage);
/* Does a type begin at the next token? */
bool parse_type_ahead(struct parser *p);

/* ---- names: expression_spelling.c, expression_resolve.c ---------------------------- */

#define MAX_NAME 4096
/* A name, qualified and with template arguments, at the next token: its normal
 * spelling, in the expression's memory; NULL with p->error. */
const char *parse_name(struct parser *p);
/* Where the last :: outside of template arguments stands, NULL if there is none. */
const char *name_last_scope(const char *name);
/* What the name means, NULL (without an error) where it means nothing. */
struct node *resolve_name(struct parser *p, const char *name);
/* is_elaborated: struct, class, union or enum stands before it. */
const struct type *resolve_type(struct parser *p, const char *name, bool is_elaborated);
bool resolve_is_local(struct parser *p, const char *name, size_t length);
/* No symbol "x" in current context., or what is missing of a qualified name. */
struct cudasim_error *resolve_failure(const char *name);

/* ---- members: expression_member.c -------------------------------------------------- */

/* Where a member lies in an object: through bases and anonymous unions. */
#define MAX_BASES 32 /* classes nest no deeper; corrupt debug information may say otherwise */
struct member_path {
	const struct member *member; /* NULL where a method was found */
	const struct method *method;
	const struct type *owner;    /* the struct that declares it */
	const struct member *through[MAX_BASES]; /* from the object to the owner */
	size_t n_through;
	uint64_t offset;             /* of the owner in the object */
	bool is_virtual_base;        /* passes one: offset is not known statically */
};
bool member_find(const struct type *type, const char *name, struct member_path *ret);
/* The owner's part of an object. */
struct cudasim_error *member_owner(const struct value *object, const struct member_path *path,
				   struct value *ret);
/* The member in it. */
struct cudasim_error *member_of(const struct value *object, const char *name, struct value *ret);
/* Equal but for const and volatile of the outermost level. */
bool type_same(const struct type *a, const struct type *b);
/* Offset of base in type; false where it is none. */
bool member_base_offset(const struct type *type, const struct type *base, uint64_t *ret);

/* ---- evaluation ------------------------------------------------------------------------ */

struct evaluation {
	struct context context;
	bool types_only; /* nothing is read, written or called: only types matter */
};
struct cudasim_error *node_evaluate(struct evaluation *e, const struct node *node,
				    struct value *ret);
/* a.*b and a->*b where b points at a member function: *ret is the function, *ret_object
 * what is `this` there. *found is false, and nothing returned, where b is another one. */
struct cudasim_error *evaluate_member_function(struct evaluation *e, const struct node *node,
					       bool *found, struct value *ret_object,
					       struct value *ret);
/* The address of a variable of the frame. */
struct cudasim_error *variable_address(struct evaluation *e, const struct node *node,
				       uint64_t *ret);
/* convert, as an implicit conversion or a cast (explicit) does. */
struct cudasim_error *value_convert(const struct value *from, const struct type *to,
				    bool is_explicit, struct value *ret);
/* Memory that stays until the process ends, since the program or a value may point at
 * it; false when there is none for the note. */
bool expression_keep(void *memory);
/* Arrays and functions as pointers; others are copied. */
struct cudasim_error *value_decay(const struct value *value, bool types_only, struct value *ret);
/* *value: what pointers point at, functions themselves. */
struct cudasim_error *value_dereference(struct evaluation *e, const struct value *value,
					struct value *ret);
/* Evaluated, references followed, decayed and read. */
struct cudasim_error *evaluate_operand(struct evaluation *e, const struct node *node,
				       struct value *ret);
/* The common type of two arithmetic operands; NULL where one is none. */
const struct type *arithmetic_type(const struct type *a, const struct type *b);
const struct type *promoted_type(const struct type *type);
struct cudasim_error *arithmetic_binary(struct evaluation *e, enum operator op,
					const struct value *a, const struct value *b,
					struct value *ret);
struct cudasim_error *arithmetic_unary(struct evaluation *e, enum operator op,
				       const struct value *a, struct value *ret);

/* Calls: expression_call.c. object is NULL for plain functions. */
struct cudasim_error *call_evaluate(struct evaluation *e, const struct node *node,
				    struct value *ret);

/* Which device function a NODE_CALL means, where the program's types tell. */
struct call_target {
	const struct type *type; /* its parameters are its members */
	const char *name;
	uint64_t code;
};
bool call_static(const struct node *node, struct call_target *ret);

/* An overloaded operator of classes: operator+ and so on; b is NULL for unary ones. */
struct cudasim_error *call_operator(struct evaluation *e, const char *name, const struct value *a,
				    const struct value *b, struct value *ret);
const char *operator_text(enum operator op);

#endif
