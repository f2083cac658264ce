/* SPDX-License-Identifier: Apache-2.0 */
/* Special registers: who is this thread? In 1, 2 and 3 dimensions. */
#include "case.cuh"

__global__ void indices(uint64_t *out)
{
	int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
	int size = blockDim.x * blockDim.y * blockDim.z;
	out[block * size + thread] = threadIdx.x | threadIdx.y << 4 | threadIdx.z << 8 | blockIdx.x << 12 |
				     blockIdx.y << 16 | blockIdx.z << 20 |
				     (uint64_t)(blockDim.x | blockDim.y << 4 | blockDim.z << 8) << 24 |
				     (uint64_t)(gridDim.x | gridDim.y << 4 | gridDim.z << 8) << 36;
}


__global__ void by_ptx(uint32_t *out)
{
	int thread = threadIdx.y * blockDim.x + threadIdx.x;
	uint32_t *o = out + 18 * thread;
	unsigned v;
	asm("mov.u32 %0, %%laneid;" : "=r"(v));
	o[0] = v;
	asm("mov.u32 %0, %%tid.x;" : "=r"(v));
	o[1] = v;
	asm("mov.u32 %0, %%tid.y;" : "=r"(v));
	o[2] = v;
	asm("mov.u32 %0, %%ntid.x;" : "=r"(v));
	o[3] = v;
	asm("mov.u32 %0, %%ntid.y;" : "=r"(v));
	o[4] = v;
	asm("mov.u32 %0, %%ctaid.x;" : "=r"(v));
	o[5] = v;
	asm("mov.u32 %0, %%nctaid.x;" : "=r"(v));
	o[6] = v;
	asm("mov.u32 %0, %%lanemask_eq;" : "=r"(v));
	o[7] = v;
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(v));
	o[8] = v;
	asm("mov.u32 %0, %%lanemask_le;" : "=r"(v));
	o[9] = v;
	asm("mov.u32 %0, %%lanemask_gt;" : "=r"(v));
	o[10] = v;
	asm("mov.u32 %0, %%lanemask_ge;" : "=r"(v));
	o[11] = v;
	asm volatile("mov.u32 %0, %%nsmid;" : "=r"(v));
	o[12] = v >= 132;
	unsigned smid;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(smid));
	o[13] = smid < v;
	asm volatile("mov.u32 %0, %%warpid;" : "=r"(v));
	o[14] = v < 64;
	asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(v));
	o[15] = v;
	asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(v));
	o[16] = v;
	o[17] = warpSize;
}

/* The shared window as addresses in its own space see it. */
__global__ void window(uint32_t *out)
{
	__shared__ int first[4];
	extern __shared__ int dynamic[];
	out[0] = (uint32_t)__cvta_generic_to_shared(first);
	out[1] = (uint32_t)__cvta_generic_to_shared(dynamic);
	out[2] = __isShared(first) | __isGlobal(first) << 1 | __isLocal(first) << 2 | __isConstant(first) << 3;
	int local = out[0];
	out[3] = __isShared(&local) | __isGlobal(&local) << 1 | (__isLocal(&local) != 0) << 2;
	out[4] = __isShared(out) | __isGlobal(out) << 1 | __isLocal(out) << 2;
	dynamic[0] = local;
	first[0] = dynamic[0];
	out[5] = first[0] == dynamic[0];
}

int main()
{
	run("one dimension", 48, 3, 16, indices);
	run("two dimensions", 72, dim3(2, 3), dim3(3, 4), indices);
	run("three dimensions", 2 * 3 * 4 * 3 * 2 * 4, dim3(2, 3, 4), dim3(3, 2, 4), indices);
	run("z only", 12, dim3(1, 1, 3), dim3(1, 1, 4), indices);
	memory<uint32_t> out(18 * 64);
	by_ptx<<<2, dim3(16, 4), 160>>>(out.there);
	CHECK(cudaDeviceSynchronize());
	std::vector<uint32_t> v = out.fetch();
	const char *names[18] = {"laneid", "tid.x", "tid.y", "ntid.x", "ntid.y", "ctaid.x", "nctaid.x",
				 "lanemask_eq", "lanemask_lt", "lanemask_le", "lanemask_gt", "lanemask_ge",
				 "nsmid", "smid", "warpid", "dynamic_smem_size", "total_smem_size", "warpSize"};
	for (int k = 0; k < 18; k++) {
		std::vector<uint32_t> column;
		for (int t = 0; t < 64; t++)
			column.push_back(k == 5 ? v[18 * t + k] <= 1 : v[18 * t + k]);
		show(names[k], column.data(), 64);
	}
	memory<uint32_t> seen(6);
	window<<<1, 1, 64>>>(seen.there);
	CHECK(cudaDeviceSynchronize());
	seen.show("shared window");
	return 0;
}
