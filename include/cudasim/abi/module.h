/* SPDX-License-Identifier: Apache-2.0 */
/* module.h - the tables of a module: kernels, variables, sites, functions. A part of abi.h: include that. */
#ifndef CUDASIM_ABI_MODULE_H
#define CUDASIM_ABI_MODULE_H

/* A device function whose address is taken. A function pointer in device
 * memory holds the address of this descriptor, never of code, so that it means
 * the same in every body; an indirect call loads entry[body]. */
struct cudasim_function {
	void (*entry[CUDASIM_N_BODIES])(void);
	const char *name; /* mangled */
};

/* What a place in the source does that somebody may want to know. */
enum cudasim_site_kind {
	CUDASIM_SITE_LINE, /* a statement begins */
	CUDASIM_SITE_ACCESS, /* load, store or atomic */
	CUDASIM_SITE_SYNC, /* barrier, warp operation, fence */
	CUDASIM_SITE_CALL, /* a call of a device function */
	CUDASIM_SITE_ENTRY, /* a function begins */
	CUDASIM_SITE_OTHER, /* trap, assert, printf, malloc, back-edge */
	CUDASIM_SITE_STAYS, /* back-edge or sleep in a loop that a thread never leaves as long as
	                      * memory stays as it is, whatever it counts, whichever clock it reads */
};

/* A place in the source, one for each place in the code that may announce an
 * event. Sites of a module are one array, in code order within a function. */
struct cudasim_site {
	const char *file; /* as the compiler was given it, never NULL */
	const char *function; /* demangled, never NULL */
	uint32_t line; /* 1.., 0 where the source is not known */
	uint16_t column; /* 1.., 0 where not known */
	uint8_t kind; /* enum cudasim_site_kind */
	uint8_t is_ranked; /* a kernel comes to such sites in the order of the array */
};

/* One kernel parameter in the packed parameter buffer. Bytes. */
struct cudasim_param {
	uint32_t offset, size, align;
};

/* A __shared__ variable as one kernel sees it. */
struct cudasim_shared {
	const char *name; /* mangled */
	uint32_t offset; /* from the start of the shared window */
	uint32_t size; /* bytes; 0 for an extern __shared__ array */
};

enum {
	CUDASIM_KERNEL_BARRIER = 1u << 0, /* may wait at a block barrier */
	CUDASIM_KERNEL_WARP = 1u << 1, /* uses warp-wide operations */
	CUDASIM_KERNEL_YIELD = 1u << 2, /* has yield points (spin loops) */
	CUDASIM_KERNEL_CONVERGE = 1u << 3, /* relies on warp lockstep */
	CUDASIM_KERNEL_RECURSIVE = 1u << 4, /* recursion or unknown stack depth */
	CUDASIM_KERNEL_INDIRECT = 1u << 5, /* calls through pointers */
	CUDASIM_KERNEL_EMPTY = 1u << 6, /* its plain bodies do nothing at all */
	CUDASIM_KERNEL_WIDE = 1u << 7, /* its loops run many threads in x at once */
	CUDASIM_KERNEL_SHORT = 1u << 8, /* it has a loop body, and that little to do for a thread */
	CUDASIM_KERNEL_ROW = 1u << 9, /* its loop body runs several blocks a call */
	CUDASIM_KERNEL_JOINED = 1u << 10, /* and their threads side by side, as one long row */
	CUDASIM_KERNEL_IN_ORDER = 1u << 11, /* but blocks of several rows of threads one a call */
	CUDASIM_KERNEL_ALONE = 1u << 12, /* it has a loop body, which calls nobody: its threads
	                                     * never wait and never leave it */
	CUDASIM_KERNEL_HEAP = 1u << 13, /* has malloc() or free() in it */
	CUDASIM_KERNEL_PRINTS = 1u << 14, /* has printf() in it */
	CUDASIM_KERNEL_BITS = 1u << 15, /* looks at the bits of generic addresses */
};

#define CUDASIM_ROW_THREADS (1u << 26)

struct cudasim_block;
struct cudasim_launch;
struct cudasim_thread;

struct cudasim_kernel {
	const char *name; /* mangled */
	const char *display; /* demangled, without parameters: advance<32> */
	/* Runs the kernel for the thread __cudasim_self. params is the packed
	 * parameter buffer, laid out as params[] below says. */
	void (*entry[CUDASIM_N_BODIES])(const void *params);
	/* Runs all threads of a block in one call, in order of their linear index,
	 * for kernels that meet nobody; NULL where that form was not built. It begins
	 * as the block's first thread; see __cudasim_loop_thread. With CUDASIM_KERNEL_ROW,
	 * those of the n_blocks - 1 next blocks in x, too, row of threads by row; else
	 * n_blocks is 1. n_blocks * blockDim.x is at most CUDASIM_ROW_THREADS. The watched
	 * body's announces accesses by __cudasim_on_lanes(), and n_blocks is 1 for it. */
	void (*loop[CUDASIM_N_BODIES])(const void *params, struct cudasim_block *block,
				       uint32_t n_blocks);
	const struct cudasim_param *params;
	uint32_t n_params;
	uint32_t params_size; /* bytes */
	const struct cudasim_shared *shared;
	uint32_t n_shared;
	uint32_t static_shared_bytes; /* without the reserved window */
	uint32_t dynamic_shared_align; /* of extern __shared__; at least 16 */
	uint32_t local_bytes; /* stack frames of one thread, estimate */
	uint32_t watched_loop_bytes; /* stack frames of the watched loop, 0 where there is none */
	uint32_t flags; /* CUDASIM_KERNEL_* */
	uint32_t max_threads; /* __launch_bounds__, 0 if absent */
	uint32_t min_blocks; /* __launch_bounds__, 0 if absent */
	uint32_t cluster[3]; /* __cluster_dims__, 0 if absent */
	uint32_t n_registers; /* estimate, for cudaFuncAttributes */
	const struct cudasim_site *site; /* where it is defined */
	const char *why_not_loop; /* one line for cudasim cc -v, or NULL */
};

enum {
	CUDASIM_VARIABLE_CONSTANT = 1u << 0, /* __constant__ */
	CUDASIM_VARIABLE_MANAGED = 1u << 1, /* __managed__: the slot at `offset`
	                                      * holds a pointer to the storage, which
	                                      * is the host's own variable; in the
	                                      * image, a pointer to its initial value,
	                                      * NULL where that is all zero */
};

/* A __device__, __constant__ or __managed__ variable. */
struct cudasim_variable {
	const char *name; /* mangled */
	const char *display; /* demangled */
	uint64_t offset; /* in the module's variables */
	uint64_t size; /* bytes (of the variable, for managed ones too) */
	uint32_t align;
	uint32_t flags; /* CUDASIM_VARIABLE_* */
};

/* Everything libcudasim knows of a compiled translation unit. Registered by a
 * constructor of the object, before or after the host's own registration. */
struct cudasim_module {
	uint32_t abi_version;
	/* Low 16 bits: the compute capability that the code was compiled for, times
	 * 10 (90); 0 if not told. Above them CUDASIM_MODULE_*. */
	uint32_t flags;
	uint8_t id[16]; /* the same as in the host object's struct cudasim_blob */
	const char *source; /* the file's name */
	const struct cudasim_kernel *kernels;
	uint64_t n_kernels;
	const struct cudasim_variable *variables;
	uint64_t n_variables;
	const struct cudasim_site *sites;
	uint64_t n_sites;
	/* One byte per site: line hooks call __cudasim_on_line when it is not 0, which is
	 * where an observer has armed the site: see cudasim_site_arm() in inspect.h. */
	uint8_t *armed;
	/* All variables in one piece: the initial image, which is also device 0's
	 * instance (so that plain debuggers see it). Page aligned. */
	void *variables_image;
	uint64_t variables_size;
	/* [CUDASIM_MAX_DEVICES]; device code finds its variables at
	 * variables_base[ordinal] + offset. Filled by libcudasim. */
	void **variables_base;
	const struct cudasim_function *const *functions; /* address-taken ones */
	uint64_t n_functions;
	/* Offsets in variables_image of the pointers there that point into
	 * variables_image itself; another device's instance needs them moved. */
	const uint64_t *relocations;
	uint64_t n_relocations;
	/* Under -rdc=true: the linked GPU code of all translation units, id as above;
	 * NULL where there is none. Otherwise NULL: the host objects carry it. */
	const struct cudasim_blob *gpu;
};

enum {
	CUDASIM_MODULE_GPU = 1u << 16, /* the host object carries code for a GPU, too */
};

/* What the host object carries in the place of NVIDIA's fat binary. With code for a real GPU
 * (cudasim cc --gpu) that is the fat binary itself, which NVIDIA's runtime takes where there is no
 * libcudasim, and the blob stands behind it, at the next multiple of 8 bytes. Under -rdc=true
 * the blob comes first. */
#define CUDASIM_BLOB_MAGIC "CUDASIM\2"
struct cudasim_blob {
	char magic[8];
	uint8_t id[16];
	int64_t gpu_offset; /* from the blob's start to the fat binary; 0: no GPU code */
	uint64_t gpu_size; /* bytes */
};

#endif
