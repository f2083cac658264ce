/* SPDX-License-Identifier: Apache-2.0 */
/* nvvm_groups.c - the device runtime's functions of cooperative groups, which front ends without
 * CUDA's headers call: cudaCGGetIntrinsicHandle() and cudaCGSynchronize(), of a grid.
 *
 * A launch of a cooperative kernel has a workspace, whose address two registers hold and whose
 * second word is a barrier; CUDA's headers have the same algorithm. The first block of a grid adds
 * what makes bit 31 flip when all others have added 1.
 *
 * Numba launches a kernel as a cooperative one if its PTX names cudaCGGetIntrinsicHandle, which is
 * therefore never inlined. */
#include <llvm-c/IRReader.h>

#include "llvm_functions.h"
#include "llvm_versions.h"
#include "nvvm_parts.h"

static const char text[] =
	"declare i32 @llvm.nvvm.read.ptx.sreg.envreg1()\n"
	"declare i32 @llvm.nvvm.read.ptx.sreg.envreg2()\n"
	"declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
	"declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()\n"
	"declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()\n"
	"declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
	"declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()\n"
	"declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()\n"
	"declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()\n"
	"declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()\n"
	"declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()\n"
	"declare void @llvm.nvvm.barrier0()\n"
	"define i64 @cudaCGGetIntrinsicHandle(i32 %scope) noinline {\n"
	"  %high = call i32 @llvm.nvvm.read.ptx.sreg.envreg1()\n"
	"  %low = call i32 @llvm.nvvm.read.ptx.sreg.envreg2()\n"
	"  %h = zext i32 %high to i64\n"
	"  %l = zext i32 %low to i64\n"
	"  %s = shl i64 %h, 32\n"
	"  %address = or i64 %s, %l\n"
	"  %grid = icmp eq i32 %scope, 1\n"
	"  %r = select i1 %grid, i64 %address, i64 0\n"
	"  ret i64 %r\n"
	"}\n"
	"define i32 @cudaCGSynchronize(i64 %handle, i32 %flags) {\n"
	"entry:\n"
	"  %none = icmp eq i64 %handle, 0\n"
	"  br i1 %none, label %wrong, label %begin\n"
	"wrong:\n"
	"  ret i32 1\n"
	"begin:\n"
	"  call void @llvm.nvvm.barrier0()\n"
	"  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
	"  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()\n"
	"  %tz = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()\n"
	"  %t0 = or i32 %tx, %ty\n"
	"  %t = or i32 %t0, %tz\n"
	"  %first = icmp eq i32 %t, 0\n"
	"  br i1 %first, label %arrive, label %end\n"
	"arrive:\n"
	"  %address = add i64 %handle, 4\n"
	"  %barrier = inttoptr i64 %address to ptr\n"
	"  %nx = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()\n"
	"  %ny = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()\n"
	"  %nz = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()\n"
	"  %n0 = mul i32 %nx, %ny\n"
	"  %n = mul i32 %n0, %nz\n"
	"  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
	"  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()\n"
	"  %bz = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()\n"
	"  %b0 = or i32 %bx, %by\n"
	"  %b = or i32 %b0, %bz\n"
	"  %leads = icmp eq i32 %b, 0\n"
	"  %rest = sub i32 -2147483647, %n\n"
	"  %count = select i1 %leads, i32 %rest, i32 1\n"
	"  %old = call i32 asm sideeffect \"atom.add.acq_rel.gpu.u32 $0, [$1], $2;\", "
	"\"=r,l,r,~{memory}\"(ptr %barrier, i32 %count)\n"
	"  br label %poll\n"
	"poll:\n"
	"  %now = call i32 asm sideeffect \"ld.acquire.gpu.u32 $0, [$1];\", \"=r,l,~{memory}\""
	"(ptr %barrier)\n"
	"  %change = xor i32 %old, %now\n"
	"  %flipped = icmp slt i32 %change, 0\n"
	"  br i1 %flipped, label %end, label %poll\n"
	"end:\n"
	"  call void @llvm.nvvm.barrier0()\n"
	"  ret i32 0\n"
	"}\n";

static bool wants(struct device_module *dm, const char *name)
{
	LLVMValueRef function = LLVMGetNamedFunction(dm->module, name);
	return function && LLVMIsDeclaration(function) && LLVMGetFirstUse(function);
}

struct cudasim_error *nvvm_add_groups(struct device_module *dm)
{
	if (!wants(dm, "cudaCGGetIntrinsicHandle") && !wants(dm, "cudaCGSynchronize"))
		return NULL;
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
		text, sizeof text - 1, "cooperative groups");
	LLVMModuleRef module;
	char *message = NULL;
	if (LLVMParseIRInContext(dm->context, buffer, &module, &message)) {
		struct cudasim_error *error = cudasim_error_new(CUDASIM_E_FAILED, "%s", message);
		LLVMDisposeMessage(message);
		return error;
	}
	module_settle(module, false);
	LLVMSetTarget(module, LLVMGetTarget(dm->module));
	LLVMSetDataLayout(module, LLVMGetDataLayoutStr(dm->module));
	if (module_link_needed(dm->module, module))
		return cudasim_error_new(CUDASIM_E_FORMAT,
					 "error: cudaCGSynchronize is declared with another type");
	return NULL;
}
