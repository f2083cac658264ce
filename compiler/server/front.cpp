/* SPDX-License-Identifier: Apache-2.0 */
/* front.cpp - clang as a library. What clang's ParseAST() does in one go is cut where nothing of the program has been looked
 * at: the process that has come there is forked for each program. It has opened the precompiled header and read what every
 * program would read of it again (clang reads declarations when they are asked for).
 *
 * clang's command line builds the same module (tests/driver/serve.sh), but for the numbers of constants in its bitcode. */
#include "front.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Parse/Parser.h>
#include <clang/Sema/EnterExpressionEvaluationContext.h>
#include <clang/Sema/ExternalSemaSource.h>
#include <clang/Sema/Sema.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MD5.h>
#include <llvm/Support/TargetSelect.h>

#include "clang_versions.h"

using namespace clang;

namespace
{

/* The source before there is one. Nobody else can make a file of this name. */
const char no_source[] = "/proc/cudasim.cu";

/* The header's functions whose callees each program is checked for, read before the program is there: that is most
 * of what clang reads of the header for a small program. Sema asks for them at the program's end. */
class Functions : public ExternalSemaSource
{
	llvm::SmallSetVector<Decl *, 4> all;

public:
	void read(ExternalSemaSource &header)
	{
		header.ReadDeclsToCheckForDeferredDiags(all);
	}
	void ReadDeclsToCheckForDeferredDiags(llvm::SmallSetVector<Decl *, 4> &to) override
	{
		to.insert(all.begin(), all.end());
	}
};

/* Answers requests in the place of parsing. */
class Front : public EmitLLVMOnlyAction
{
	int socket;
	llvm::IntrusiveRefCntPtr<Functions> functions = new Functions;

public:
	Front(int from, llvm::LLVMContext *context) : EmitLLVMOnlyAction(context), socket(from)
	{
	}

protected:
	void ExecuteAction() override;

private:
	bool enter(const char *path);
	void parse(Parser &parser);
	bool write(const char *path, const char *source);
	int compile(Parser &parser, const struct request &request);
};

/* The request's source as the main file. */
bool Front::enter(const char *path)
{
	CompilerInstance &instance = getCompilerInstance();
	SourceManager &sources = instance.getSourceManager();
	auto file = instance.getFileManager().getFileRef(path, true);
	if (!file) {
		llvm::consumeError(file.takeError());
		return false;
	}
	sources.setMainFileID(sources.createFileID(*file, SourceLocation(), SrcMgr::C_User));
	instance.getPreprocessor().EnterMainSourceFile();
	return instance.getPreprocessor().getCurrentLexer() != nullptr;
}

/* The rest of ParseAST(). */
void Front::parse(Parser &parser)
{
	Sema &sema = getCompilerInstance().getSema();
	ASTConsumer &consumer = sema.getASTConsumer();
	parser.Initialize();
	sema.addExternalSource(functions.get());
	Parser::DeclGroupPtrTy declarations;
	Sema::ModuleImportState imports;
	EnterExpressionEvaluationContext evaluated(
		sema, Sema::ExpressionEvaluationContext::PotentiallyEvaluated);
	for (bool end = parser.ParseFirstTopLevelDecl(declarations, imports); !end;
	     end = parser.ParseTopLevelDecl(declarations, imports))
		if (declarations && !consumer.HandleTopLevelDecl(declarations.get()))
			return;
	for (Decl *d : sema.WeakTopLevelDecls())
		consumer.HandleTopLevelDecl(DeclGroupRef(d));
	consumer.HandleTranslationUnit(sema.getASTContext());
}

bool Front::write(const char *path, const char *source)
{
	llvm::Module *module = getCodeGenerator()->GetModule();
	if (!module)
		return false;
	module->setModuleIdentifier(path);
	module->setSourceFileName(source);
	/* The unit's file was no_source; as clang describes one: with its checksum. */
	SourceManager &sources = getCompilerInstance().getSourceManager();
	llvm::MD5 hash;
	hash.update(sources.getBufferData(sources.getMainFileID()));
	llvm::SmallString<32> digits = hash.final().digest();
	llvm::DIFile::ChecksumInfo<llvm::StringRef> checksum(llvm::DIFile::CSK_MD5, digits);
	for (llvm::DICompileUnit *unit : module->debug_compile_units())
		unit->replaceOperandWith(0, llvm::DIFile::get(module->getContext(), source,
							      unit->getDirectory(), checksum));
	std::error_code error;
	llvm::raw_fd_ostream out(path, error);
	if (error)
		return false;
	llvm::WriteBitcodeToFile(*module, out);
	out.close();
	return !out.has_error();
}

int Front::compile(Parser &parser, const struct request &request)
{
	CompilerInstance &instance = getCompilerInstance();
	struct front_words at;
	const char *source = request.words[request.n_words - 1];
	const char *list = getenv("CC_PRINT_HEADERS_FILE");
	if (!front_find(&request, &at))
		return 1;
	if (list) {
		DependencyOutputOptions options;
		options.HeaderIncludeFormat = HIFMT_Textual;
		AttachHeaderIncludeGen(instance.getPreprocessor(), options, true, list, false);
	}
	if (!enter(source))
		return 1;
	parse(parser);
	instance.getDiagnosticClient().EndSourceFile();
	if (instance.getDiagnostics().hasErrorOccurred())
		return 1;
	instance.printDiagnosticStats();
	return write(request.words[at.output + 1], source) ? 0 : 1;
}

void Front::ExecuteAction()
{
	CompilerInstance &instance = getCompilerInstance();
	instance.createSema(getTranslationUnitKind(), nullptr);
	Sema &sema = instance.getSema();
	Parser parser(sema.getPreprocessor(), sema, false);
	auto *header = llvm::dyn_cast_or_null<ExternalSemaSource>(
		instance.getASTContext().getExternalSource());
	if (!header)
		return;
	header->StartTranslationUnit(&sema.getASTConsumer());
	functions->read(*header);
	struct request request;
	while (request_receive(socket, &request)) {
		if (!fork()) {
			close(socket);
			request_begin(&request);
			request_end(&request, compile(parser, request));
		}
		request_fini(&request);
	}
	_exit(0); /* there is nothing to tidy up */
}

} // namespace

void front_prepare(void)
{
	llvm::InitializeAllTargets();
	llvm::InitializeAllTargetMCs();
	llvm::InitializeAllAsmPrinters();
	llvm::InitializeAllAsmParsers();
}

void front_run(const struct request *first, int socket)
{
	struct front_words at;
	if (!front_find(first, &at) || fchdir(first->fds[SERVE_FOLDER]))
		return;
	environ = first->variables;
	std::vector<const char *> words;
	for (size_t i = 0; i + 1 < first->n_words; i++)
		if (i != at.output && i != at.output + 1)
			words.push_back(first->words[i]);
	words.push_back(no_source);
	std::shared_ptr<CompilerInvocation> invocation = clang_versions::invocation_new(words);
	if (!invocation)
		return;
	/* Of a size, so that it is not taken for one that cannot be read. */
	invocation->getPreprocessorOpts().addRemappedFile(
		no_source, llvm::MemoryBuffer::getMemBufferCopy("\n", no_source).release());
	std::unique_ptr<CompilerInstance> instance =
		clang_versions::instance_new(std::move(invocation));
	llvm::LLVMContext context;
	Front front(socket, &context);
	instance->ExecuteAction(front);
}
