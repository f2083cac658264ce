/* SPDX-License-Identifier: Apache-2.0 */
/* opencl.c - the machine of the first OpenCL platform and device there are; the ICD
 * loader's variables, or oclgrind, choose. Reads the kernels from the file that
 * KERNELS_CL names. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine.h"

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;
static cl_kernel kernels[N_KERNELS];

static void must(cl_int error, const char *what)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "%s: OpenCL error %d\n", what, error);
	exit(1);
}

static void *memory_new(size_t bytes)
{
	cl_int error;
	cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
	must(error, "clCreateBuffer");
	return memory;
}

static void memory_free(void *memory)
{
	must(clReleaseMemObject(memory), "clReleaseMemObject");
}

static void write(void *memory, const void *from, size_t bytes)
{
	must(clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, bytes, from, 0, NULL, NULL),
	     "clEnqueueWriteBuffer");
}

static void read(const void *memory, void *to, size_t bytes)
{
	must(clEnqueueReadBuffer(queue, (cl_mem)memory, CL_TRUE, 0, bytes, to, 0, NULL, NULL),
	     "clEnqueueReadBuffer");
}

static const char *const names[] = {
#define KERNEL(name) #name,
#include "kernels.def"
#undef KERNEL
};

static void launch(enum kernel kernel, const unsigned grid[3], const unsigned block[3],
		   const struct argument *arguments, int n_arguments)
{
	size_t global[3], local[3];
	for (int i = 0; i < n_arguments; i++) {
		const struct argument *a = &arguments[i];
		must(a->kind == MEMORY
			     ? clSetKernelArg(kernels[kernel], i, sizeof(cl_mem), &a->memory)
		     : a->kind == INT ? clSetKernelArg(kernels[kernel], i, sizeof a->i, &a->i)
				      : clSetKernelArg(kernels[kernel], i, sizeof a->f, &a->f),
		     names[kernel]);
	}
	for (int i = 0; i < 3; i++) {
		global[i] = (size_t)grid[i] * block[i];
		local[i] = block[i];
	}
	must(clEnqueueNDRangeKernel(queue, kernels[kernel], 3, NULL, global, local, 0, NULL, NULL),
	     names[kernel]);
}

static void wait(void)
{
	must(clFinish(queue), "clFinish");
}

static char *text_of(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text = calloc(1, 1 << 16);
	if (!file || !text || !fread(text, 1, (1 << 16) - 1, file)) {
		perror(path);
		exit(1);
	}
	fclose(file);
	return text;
}

const struct machine *machine_open(void)
{
	static char name[256];
	static const struct machine opencl = {name,  0,    memory_new, memory_free,
					      write, read, launch,     wait};
	cl_platform_id platform;
	cl_int error;
	char defines[160], log[4096] = "", *text = text_of(KERNELS_CL);
	must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	must(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof name, name, NULL),
	     "clGetPlatformInfo");
	must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	must(error, "clCreateContext");
	queue = clCreateCommandQueue(context, device, 0, &error);
	must(error, "clCreateCommandQueue");
	cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL,
						       &error);
	must(error, "clCreateProgramWithSource");
	snprintf(defines, sizeof defines, "-DBLOCK=%d -DTILE=%d -DWARP=%d -DBINS=%d -DSORTED=%d",
		 BLOCK, TILE, WARP, BINS, SORTED);
	if (clBuildProgram(program, 1, &device, defines, NULL, NULL) != CL_SUCCESS) {
		clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
		fprintf(stderr, "%s\n", log);
		exit(1);
	}
	free(text);
	for (int i = 0; i < N_KERNELS; i++) {
		kernels[i] = clCreateKernel(program, names[i], &error);
		must(error, names[i]);
	}
	return &opencl;
}
