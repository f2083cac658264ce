// SPDX-License-Identifier: Apache-2.0
__attribute__((device)) int nowhere(int, const char *);
__attribute__((device)) extern int missing;

extern "C" __attribute__((global)) void kernel(int *out)
{
  out[0] = nowhere(3, "x"); // line 7
  out[1] = missing;
}
