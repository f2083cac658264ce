/* SPDX-License-Identifier: Apache-2.0 */
#include "synchrony_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#include "warp_synchrony.h"
#include "synchrony_origin.h"

static const char prelude[] =
	"@s = internal addrspace(3) global [64 x i32] undef\n"
	"@r = internal addrspace(3) global [64 x i32] undef\n"
	"declare void @__cudasim_barrier(i32, i32, ptr)\n"
	"declare void @__cudasim_syncwarp(i32, ptr)\n"
	"declare i32 @__cudasim_activemask(ptr)\n"
	"declare void @__cudasim_synchrony_mark(i32)\n"
	"declare i32 @__cudasim_nvvm_read_ptx_sreg_tid_x()\n"
	"declare i32 @__cudasim_nvvm_read_ptx_sreg_tid_y()\n"
	"declare i32 @__cudasim_nvvm_read_ptx_sreg_tid_z()\n"
	"declare i32 @__cudasim_nvvm_read_ptx_sreg_ntid_x()\n"
	"declare i32 @__cudasim_nvvm_read_ptx_sreg_ntid_y()\n"
	"declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
	"declare void @llvm.memcpy.p3.p3.i64(ptr addrspace(3), ptr addrspace(3), i64, i1)\n"
	"define void @f(ptr %global, i32 %d, i1 %c) {\n"
	"  %t = call i32 @__cudasim_nvvm_read_ptx_sreg_tid_x()\n"
	"  %own = getelementptr i32, ptr addrspace(3) @s, i32 %t\n"
	"  %next = add i32 %t, %d\n"
	"  %other = getelementptr i32, ptr addrspace(3) @s, i32 %next\n"
	"  %nearer = getelementptr i32, ptr addrspace(3) %other, i32 -1\n"
	"  %elsewhere = getelementptr i32, ptr addrspace(3) @r, i32 %next\n";

void check(const char *body, const char *wanted)
{
	check_in_block((struct synchrony_block){.x = 0}, body, wanted);
}

void check_in_block(struct synchrony_block block, const char *body, const char *wanted)
{
	char text[8192], got[33] = "";
	unsigned char meet[32] = {0};
	LLVMContextRef context = LLVMContextCreate();
	LLVMModuleRef module;
	char *message = NULL;

	snprintf(text, sizeof text, "%s%s  ret void\n}\n", prelude, body);
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text),
									       "test");
	if (LLVMParseIRInContext(context, buffer, &module, &message))
		fail_msg("%s", message);
	LLVMValueRef shared[] = {LLVMGetNamedGlobal(module, "s"), LLVMGetNamedGlobal(module, "r")};
	struct synchrony_origins *origins = synchrony_origins_new(module, shared, 2);
	synchrony_analyse(LLVMGetNamedFunction(module, "f"), origins, block, meet);
	synchrony_origins_free(origins);
	synchrony_analyse_post_barrier(LLVMGetNamedFunction(module, "f"), shared, 2, meet);
	for (size_t i = 0; i < strlen(wanted); i++)
		got[i] = (char)('0' + meet[i]);
	assert_string_equal(got, wanted);
	LLVMDisposeModule(module);
	LLVMContextDispose(context);
}
