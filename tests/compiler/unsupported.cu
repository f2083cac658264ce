// SPDX-License-Identifier: Apache-2.0
extern "C" __attribute__((global)) void kernel(int *out, const int *in)
{
  __hmma_m16n16k16_ld_a(out, in, 16, 0); // line 4
}
