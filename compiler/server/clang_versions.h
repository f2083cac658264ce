/* SPDX-License-Identifier: Apache-2.0 */
/* clang_versions.h - where clang's C++ interface differs between the versions that cudasim builds with; LLVM's own is in
 * ir/llvm_versions.h. No other file asks for clang's version. */
#ifndef CUDASIM_COMPILER_CLANG_VERSIONS_H
#define CUDASIM_COMPILER_CLANG_VERSIONS_H

#include <memory>
#include <utility>

#include <clang/Basic/Version.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Frontend/Utils.h>
#include <llvm/Support/VirtualFileSystem.h>
#if CLANG_VERSION_MAJOR >= 22
#include <clang/Driver/CreateInvocationFromArgs.h>
#endif

namespace clang_versions
{

/* What a command line of clang's asks for; NULL where it is none. Its complaints are dropped. */
inline std::shared_ptr<clang::CompilerInvocation> invocation_new(llvm::ArrayRef<const char *> words)
{
	clang::CreateInvocationOptions options;
#if CLANG_VERSION_MAJOR >= 22
	clang::DiagnosticOptions plain;
	options.Diags = clang::CompilerInstance::createDiagnostics(
		*llvm::vfs::getRealFileSystem(), plain, new clang::IgnoringDiagConsumer);
#else
	options.Diags = clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions,
								   new clang::IgnoringDiagConsumer);
#endif
	return clang::createInvocation(words, options);
}

/* A compiler that prints what it finds on stderr. */
inline std::unique_ptr<clang::CompilerInstance>
instance_new(std::shared_ptr<clang::CompilerInvocation> invocation)
{
#if CLANG_VERSION_MAJOR >= 22
	auto instance = std::make_unique<clang::CompilerInstance>(std::move(invocation));
	instance->createVirtualFileSystem();
#else
	auto instance = std::make_unique<clang::CompilerInstance>();
	instance->setInvocation(std::move(invocation));
#endif
	instance->createDiagnostics();
	return instance;
}

} // namespace clang_versions

#endif
