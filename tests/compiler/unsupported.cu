// SPDX-License-Identifier: Apache-2.0
__attribute__((device)) short texel(long long, int) __asm("llvm.nvvm.suld.1d.i8.clamp");
extern "C" __attribute__((global)) void kernel(short *out, long long surface)
{
  *out = texel(surface, 0); // line 5
}
