/* SPDX-License-Identifier: Apache-2.0 */
/* fault_operand.h - which address an instruction accesses, the processor's part of fault.h. */
#ifndef CUDASIM_SIM_FAULT_OPERAND_H
#define CUDASIM_SIM_FAULT_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

/* The address; false where it is not known, as of gathers. *write: the instruction writes
 * there; false where even that is not known. registers: rax, rcx, rdx, rbx, rsp, rbp, rsi,
 * rdi, r8 ... r15. */
bool fault_operand(const uint8_t *code, const uint64_t registers[16], uint64_t *address,
		   bool *write);

#endif
