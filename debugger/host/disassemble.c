/* SPDX-License-Identifier: Apache-2.0 */
/* disassemble.c - x86-64 instructions of the host program and of watched bodies,
 * by capstone, in AT&T syntax as gdb shows them. */
#include <capstone/capstone.h>
#include <inttypes.h>
#include <string.h>

#include "host.h"
#include "host_state.h"
#include "host_text.h"
#include "setting.h"

static const char *const flavors[] = {"att", "intel", NULL};

static void set_flavor(void)
{
	struct host_disassembler *own = &host_state()->disassembler;
	if (own->handle)
		cs_option(own->handle, CS_OPT_SYNTAX,
			  own->flavor ? CS_OPT_SYNTAX_INTEL : CS_OPT_SYNTAX_ATT);
}

__attribute__((constructor)) static void add_settings(void)
{
	const struct setting settings[] = {
		{"disassembly-flavor", SETTING_CHOICE, &host_state()->disassembler.flavor, flavors,
		 "The disassembly flavor is \"%s\".", "syntax of disassembled instructions",
		 set_flavor},
	};
	settings_add(settings, sizeof settings / sizeof *settings);
}

static bool ready(void)
{
	struct host_disassembler *own = &host_state()->disassembler;
	if (own->handle)
		return true;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &own->handle) != CS_ERR_OK)
		return false;
	set_flavor();
	return true;
}

/* "<f(int)+4>", "" where nothing is known. */
static void print_place(FILE *out, uint64_t pc)
{
	const char *name, *mangled, *file;
	uint64_t offset;
	const struct function *function = symbols_function_at(pc);
	if (function)
		fprintf(out, " <%s+%" PRIu64 ">", function->signature, pc - function->low);
	else if (symbols_symbol_at(pc, &name, &mangled, &offset, &file))
		fprintf(out, " <%s+%" PRIu64 ">", name, offset);
}

uint64_t host_disassemble(FILE *out, uint64_t pc, size_t n, uint64_t current)
{
	if (!ready())
		return pc;
	while (n--) {
		unsigned char bytes[16];
		uint32_t got = host_text_read(pc, bytes, sizeof bytes);
		cs_insn *one = NULL;
		fprintf(out, "%s0x%" PRIx64, pc == current ? "=> " : "   ", pc);
		print_place(out, pc);
		if (!got) {
			fprintf(out, ":\tCannot access memory at address 0x%" PRIx64 "\n", pc);
			return pc;
		}
		if (cs_disasm(host_state()->disassembler.handle, bytes, got, pc, 1, &one) == 1) {
			fprintf(out, ":\t%s%s%s\n", one->mnemonic, *one->op_str ? " " : "",
				one->op_str);
			pc += one->size;
			cs_free(one, 1);
		} else {
			fprintf(out, ":\t(bad)\n");
			pc++;
		}
	}
	return pc;
}
