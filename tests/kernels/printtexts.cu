/* SPDX-License-Identifier: Apache-2.0 */
/* printf() of characters, strings, pointers and percents in kernels, conversions that the device or the host
 * does not know, more than 32 arguments, wide fields and long texts: the form, what it printed on an H200
 * between brackets, and what printf() returned. Not recorded, but what follows from the recording: %lc takes
 * 8 bytes (characters 18 to 20). */
#include <cstdio>
#include <cuda_runtime.h>

#ifdef __clang__
#pragma clang diagnostic ignored "-Wformat"
#endif

#define REPEAT_5(text) text text text text text
#define REPEAT_500(text) REPEAT_5(REPEAT_5(REPEAT_5(text text text text)))

__device__ char device_text[] = "in device memory", long_text[2001];

#define FORM(number, form, ...)                                    \
	do {                                                       \
		printf("%s %d: [", __func__, number);              \
		int result = printf(form, ##__VA_ARGS__);          \
		printf("] %d\n", result);                          \
	} while (0)

__global__ void characters()
{
	FORM(1, "%c %d", 'A', 7);
	FORM(2, "%5c %d", 'A', 7);
	FORM(3, "%-5c| %d", 'A', 7);
	FORM(4, "%05c %d", 'A', 7);
	FORM(6, "%hc %d", 'A', 7);
	FORM(7, "%hhc %d", 'A', 7);
	FORM(9, "%.3c %d", 'A', 7);
	FORM(10, "%+c %d", 'A', 7);
	FORM(11, "%#c %d", 'A', 7);
	FORM(12, "%c", 0x141);
	FORM(13, "%c", -191);
	FORM(14, "%c%c%c", 'a', 'b', 'c');
	FORM(15, "%c", 0x7e);
	FORM(16, "%c", '%');
	FORM(17, "%c", (char)'z');
	FORM(18, "%lc %d", (long long)'A', 7);
	FORM(19, "%llc %d", (long long)'A', 7);
	FORM(20, "%d %lc %d", 1, (long long)'A', 7);
}

__global__ void strings()
{
	FORM(1, "%s %d", "abcdef", 7);
	FORM(2, "%10s %d", "abcdef", 7);
	FORM(3, "%-10s| %d", "abcdef", 7);
	FORM(4, "%.3s %d", "abcdef", 7);
	FORM(5, "%10.3s %d", "abcdef", 7);
	FORM(6, "%-10.3s| %d", "abcdef", 7);
	FORM(7, "%.0s| %d", "abcdef", 7);
	FORM(8, "%010s %d", "abcdef", 7);
	FORM(9, "%+s %d", "abcdef", 7);
	FORM(10, "%#s %d", "abcdef", 7);
	FORM(11, "%ls %d", "abcdef", 7);
	FORM(12, "%hs %d", "abcdef", 7);
	FORM(13, "%lls %d", "abcdef", 7);
	FORM(14, "%.10s %d", "abcdef", 7);
	FORM(15, "%1s %d", "abcdef", 7);
	FORM(16, "%.s| %d", "abcdef", 7);
	FORM(17, "%s %d", (const char*)0, 7);
	FORM(18, "%10s %d", (const char*)0, 7);
	FORM(19, "%-10s| %d", (const char*)0, 7);
	FORM(20, "%.3s %d", (const char*)0, 7);
	FORM(21, "%.10s %d", (const char*)0, 7);
	FORM(22, "%s|", "");
	FORM(23, "%5s|", "");
	FORM(24, "%s %s", "a", "b");
	FORM(25, "%s%%%s", "a", "b");
	FORM(26, "%s", "100% of %d");
	FORM(27, "%s %s", "a", "b");
}

__global__ void strings_in_memory()
{
	__shared__ char shared_text[8];
	char local_text[4] = {'y', 'o', 'u', 0};
	for (int i = 0; i < 8; i++)
		shared_text[i] = "shared!"[i];
	FORM(1, "%s", device_text);
	FORM(2, "%s", local_text);
	FORM(3, "%s", shared_text);
	FORM(4, "%s", device_text + 3);
}

__global__ void pointers()
{
	FORM(1, "%p %d", (void*)0, 7);
	FORM(2, "%p %d", (void*)0x1234, 7);
	FORM(3, "%20p %d", (void*)0, 7);
	FORM(4, "%20p %d", (void*)0x1234, 7);
	FORM(5, "%-20p| %d", (void*)0, 7);
	FORM(6, "%-20p| %d", (void*)0x1234, 7);
	FORM(7, "%020p %d", (void*)0, 7);
	FORM(8, "%020p %d", (void*)0x1234, 7);
	FORM(9, "%.5p %d", (void*)0, 7);
	FORM(10, "%.5p %d", (void*)0x1234, 7);
	FORM(11, "%.10p %d", (void*)0, 7);
	FORM(12, "%.10p %d", (void*)0x1234, 7);
	FORM(13, "%#p %d", (void*)0, 7);
	FORM(14, "%#p %d", (void*)0x1234, 7);
	FORM(15, "%+p %d", (void*)0, 7);
	FORM(16, "%+p %d", (void*)0x1234, 7);
	FORM(17, "% p %d", (void*)0, 7);
	FORM(18, "% p %d", (void*)0x1234, 7);
	FORM(19, "%lp %d", (void*)0, 7);
	FORM(20, "%lp %d", (void*)0x1234, 7);
	FORM(21, "%llp %d", (void*)0, 7);
	FORM(22, "%llp %d", (void*)0x1234, 7);
	FORM(23, "%hp %d", (void*)0, 7);
	FORM(24, "%hp %d", (void*)0x1234, 7);
	FORM(25, "%1p %d", (void*)0, 7);
	FORM(26, "%1p %d", (void*)0x1234, 7);
	FORM(27, "%p", (void*)0xfedcba9876543210ull);
	FORM(29, "%x %d", (void*)0x1234, 7);
}

__global__ void percents()
{
	FORM(1, "%% %d", 7);
	FORM(2, "100%% %d", 7);
	FORM(3, "%%d %d", 7);
	FORM(4, "%5% %d", 7);
	FORM(5, "%-5%| %d", 7);
	FORM(6, "%05% %d", 7);
	FORM(7, "%.3% %d", 7);
	FORM(8, "%l% %d", 7);
	FORM(9, "%h% %d", 7);
	FORM(10, "%ll% %d", 7);
	FORM(11, "%+% %d", 7);
	FORM(12, "%#% %d", 7);
	FORM(13, "%5.3% %d", 7);
	FORM(16, "%%%% %d", 7);
}

__global__ void unknown()
{
	FORM(1, "%k %d", 11, 7);
	FORM(3, "%y %d", 11, 7);
}

__global__ void counts()
{
	FORM(2, "%d", 1, 2, 3);
	FORM(3, "no arguments");
	FORM(4, "no arguments", 1, 2);
}

__global__ void beyond()
{
	FORM(1, "%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %% %k %d", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34);
	FORM(2, "%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %lld %f", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34ll, 35.5);
	FORM(3, "%k %k %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32);
}

__global__ void widths()
{
	FORM(1, "%100d", 42);
	FORM(2, "%-100d|", 42);
	FORM(3, "%0100d", 42);
	FORM(4, "%.100d", 42);
	FORM(5, "%200.150d", 42);
	FORM(6, "%1030d", 42);
	FORM(7, "%.1030d", 42);
	FORM(8, "%2000d", 42);
	FORM(9, "%.2000d", 42);
	FORM(10, "%4095d", 42);
	FORM(11, "%4097d", 42);
	FORM(13, "%400f", 3.25);
	FORM(14, "%.400f", 3.25);
	FORM(15, "%0400f", 3.25);
	FORM(16, "%.1100f", 3.25);
	FORM(17, "%2000.3f", 3.25);
	FORM(18, "%.400e", 3.25);
	FORM(19, "%.400g", 3.25);
	FORM(20, "%.400a", 3.25);
	FORM(21, "%f", 1.7e308);
	FORM(22, "%.30f", 1e300);
	FORM(23, "%500s|", "abc");
	FORM(24, "%-500s|", "abc");
	FORM(25, "%2000s|", "abc");
	FORM(27, "%*d", 3000, 42);
	FORM(28, "%.*d", 3000, 42);
	FORM(29, "%100c|", 'A');
	FORM(30, "%-2000c|", 'A');
	FORM(31, "%2000p|", (void*)0x1234);
}

__global__ void long_texts()
{
	for (int i = 0; i < 2000; i++)
		long_text[i] = (char)('a' + i % 26);
	FORM(1, "%s|", long_text);
	FORM(2, "%.1500s|", long_text);
	FORM(3, "%3000s|", long_text);
	FORM(4, "%s %s|", long_text, long_text);
	FORM(5, REPEAT_500("x") REPEAT_500("x") REPEAT_500("x") "%d", 42);
	FORM(6, REPEAT_500("y") REPEAT_500("y") REPEAT_500("y") REPEAT_500("y") REPEAT_500("y") REPEAT_500("y") REPEAT_500("y") REPEAT_500("y") REPEAT_500("y") REPEAT_500("y") "%d", 42);
}

/* Nobody has passed the argument: a GPU reads it at a null pointer. */
__global__ void missing()
{
	printf("%d");
}

int main()
{
	characters<<<1, 1>>>();
	cudaDeviceSynchronize();
	strings<<<1, 1>>>();
	cudaDeviceSynchronize();
	strings_in_memory<<<1, 1>>>();
	cudaDeviceSynchronize();
	pointers<<<1, 1>>>();
	cudaDeviceSynchronize();
	percents<<<1, 1>>>();
	cudaDeviceSynchronize();
	unknown<<<1, 1>>>();
	cudaDeviceSynchronize();
	counts<<<1, 1>>>();
	cudaDeviceSynchronize();
	beyond<<<1, 1>>>();
	cudaDeviceSynchronize();
	widths<<<1, 1>>>();
	cudaDeviceSynchronize();
	long_texts<<<1, 1>>>();
	cudaDeviceSynchronize();
	missing<<<1, 1>>>();
	printf("missing: %d\n", (int)cudaDeviceSynchronize());
	return 0;
}
