"""Writes the C++ source of one PTX module: its functions, its kernels and the record that the runtime reads."""
import re

from instructions import Context, emit
from operands import CPP_TYPES, Scope, identifier, value
from ptx_parser import Brace, Instruction, Label, Module, PtxError, Registers, TYPE_SIZES, Variable
from work import BlockWork, ends_block

PROLOGUE = """#include "thread.hpp"
#include "atomics.hpp"
using namespace emulator;
using namespace ptx;
namespace {
Arena arena;
Work work;
void function_vprintf(Thread& t, uint8_t* result, uint8_t* format, uint8_t* arguments) {
    const uint64_t text = load<uint64_t>(format), values = load<uint64_t>(arguments);
    const char* readable = (const char*)t.memory(arena, text, 1, Space::generic);
    t.device_printf(readable, values ? t.local(values, 1) : nullptr, (uint32_t*)result);
}
void function___assertfail(Thread& t, uint8_t* text, uint8_t* file, uint8_t* line, uint8_t* function, uint8_t*) {
    const auto readable = [&](uint8_t* p) {
        return (const char*)t.memory(arena, load<uint64_t>(p), 1, Space::generic);
    };
    t.failed_assertion(readable(text), readable(file), load<uint32_t>(line), readable(function));
}
"""
PROVIDED = {"vprintf", "__assertfail"}


def align_up(offset: int, alignment: int) -> int:
    return (offset + alignment - 1) // alignment * alignment


class ModuleEmitter:
    def __init__(self, module: Module):
        self.module = module
        self.unsupported = set()
        self.globals = [v for v in module.variables if v.space in ("global", "const")]
        self.shared = [v for v in module.variables if v.space == "shared"]
        self.bodies = {f.name: f for f in module.functions if f.body is not None}
        for function in self.bodies.values():
            # Shared variables declared inside a function get a place like the others.
            self.shared += [s for s in function.body if isinstance(s, Variable) and s.space == "shared"]

    # Which shared variables a kernel reaches, itself or through the functions that it calls.
    def reached_words(self, function) -> set:
        seen, waiting, words = set(), [function], set()
        while waiting:
            current = waiting.pop()
            if current.name in seen:
                continue
            seen.add(current.name)
            words |= current.words
            waiting += [self.bodies[name] for name in current.words & self.bodies.keys()]
        return words

    def shared_layout(self, kernel):
        """Offsets of the shared variables in this kernel, the static size and where dynamic memory starts."""
        words, offsets, end, dynamic_align = self.reached_words(kernel), {}, 0, 16
        for variable in self.shared:
            if variable.name not in words:
                continue
            if variable.external:
                dynamic_align = max(dynamic_align, variable.align)
                continue
            end = align_up(end, variable.align)
            offsets[variable.name] = end
            end += variable.size
        dynamic_offset = align_up(end, dynamic_align)
        for variable in self.shared:
            if variable.external:
                offsets[variable.name] = dynamic_offset
        return offsets, end, dynamic_offset

    def module_names(self, kernel) -> dict:
        names = {v.name: "t.block->globals[%d]" % i for i, v in enumerate(self.globals)}
        offsets = self.shared_layout(kernel)[0] if kernel.is_kernel else {}
        for i, variable in enumerate(self.shared):
            # A device function may serve several kernels: it looks the offset up.
            constant = "%dull" % offsets.get(variable.name, 0)
            lookup = "(uint64_t)t.block->kernel->shared_offsets[%d]" % i
            names[variable.name] = constant if kernel.is_kernel else lookup
        return names

    def signature(self, function) -> str:
        parameters = "".join(", uint8_t* %s" % identifier(p.name) for p in function.results + function.parameters)
        return "void function_%s(Thread& t%s)" % (identifier(function.name), parameters)

    def emit_function(self, function) -> str:
        scope = Scope(self.module_names(function))
        lines = []
        if function.is_kernel:
            lines.append("void kernel_%s(Thread& t, uint8_t* const* parameters) {" % identifier(function.name))
            for i, parameter in enumerate(function.parameters):
                lines.append("    uint8_t* %s = parameters[%d];" % (identifier(parameter.name), i))
        else:
            lines.append(self.signature(function) + " {")
        for parameter in function.results + function.parameters:
            scope.local_names[parameter.name] = "(uint64_t)%s" % identifier(parameter.name)
        block = BlockWork()
        lines.append(block)
        for place, statement in enumerate(function.body):
            if isinstance(statement, Instruction):
                context = Context(statement, scope, function, place)
                block.add(context)
                lines.append("    " + emit(context, self.unsupported))
            else:
                lines.append(self.emit_declaration(statement, scope))
            if ends_block(statement):
                block = BlockWork()
                lines.append(block)
        lines.append("}")
        return "\n".join(line for line in map(str, lines) if line)

    def emit_declaration(self, statement, scope) -> str:
        if isinstance(statement, Label):
            return "%s:;" % identifier(statement.name)
        if isinstance(statement, Brace):
            return "{" if statement.opens else "}"
        if isinstance(statement, Registers):
            if statement.type not in CPP_TYPES:
                return "    // registers of the unsupported type %s" % statement.type
            scope.registers.update(statement.names)
            return "    %s %s;" % (CPP_TYPES[statement.type], ", ".join(identifier(n) for n in statement.names))
        if statement.space == "shared":
            return ""
        if statement.space not in ("local", "param"):
            raise PtxError("a %s variable inside a function" % statement.space)
        scope.local_names[statement.name] = "(uint64_t)%s" % identifier(statement.name)
        return "    alignas(16) uint8_t %s[%d];" % (identifier(statement.name), max(statement.size, 8))

    def emit_variables(self) -> list:
        lines, records, fixups = [], [], []
        index_of = {v.name: i for i, v in enumerate(self.globals)}
        for i, variable in enumerate(self.globals):
            initial = "nullptr"
            if variable.initial:
                values = []
                for k, text in enumerate(variable.initial):
                    address = re.match(r"^(?:generic\()?([A-Za-z_$][\w$.]*)\)?\s*(?:\+\s*(\d+))?$", text)
                    if address and address.group(1) in index_of:
                        fixups.append("{%d, %d, %d, %s}" % (
                            i, k * TYPE_SIZES[variable.type], index_of[address.group(1)], address.group(2) or "0"))
                        values.append("0")
                    elif address:
                        # A call through it is not supported either, and stops where it is reached.
                        self.unsupported.add("the address of the function %s" % address.group(1))
                        values.append("0")
                    else:
                        values.append(value(Scope({}), text, variable.type))
                initial = "initial_%d" % i
                lines.append("%s %s[%d] = {%s};" % (
                    CPP_TYPES[variable.type], initial, max(variable.count, 1), ", ".join(values)))
            records.append('{"%s", %d, %s, %s}' % (
                variable.name, variable.size, "true" if variable.space == "const" else "false", initial))
        lines.append("const VariableRecord variables[] = {%s};" % ", ".join(records + ["{}"]))
        lines.append("const AddressFixup fixups[] = {%s};" % ", ".join(fixups + ["{}"]))
        return lines, len(records), len(fixups)

    def emit_kernel_record(self, kernel) -> tuple:
        name = identifier(kernel.name)
        offsets, static_size, dynamic_offset = self.shared_layout(kernel)
        sizes = ", ".join(str(p.size) for p in kernel.parameters) or "0"
        table = ", ".join(str(offsets.get(v.name, 0)) for v in self.shared) or "0"
        local = sum(s.size for s in kernel.body if isinstance(s, Variable) and s.space == "local")
        limit = kernel.limits.get("reqntid") or kernel.limits.get("maxntid") or []
        threads = 1
        for extent in limit:
            threads *= extent
        required = (kernel.limits.get("reqntid") or [0, 0, 0]) + [1, 1]
        arrays = "const uint32_t sizes_%s[] = {%s}, shared_%s[] = {%s};" % (name, sizes, name, table)
        record = '{"%s", kernel_%s, sizes_%s, %d, %d, %d, shared_%s, %d, %d, {%d, %d, %d}}' % (
            kernel.name, name, name, len(kernel.parameters), static_size, dynamic_offset, name, local,
            threads if limit else 0, *required[:3])
        return arrays, record

    def emit(self) -> str:
        functions = list(self.bodies.values())
        declared = {f.name: f for f in self.module.functions if not f.is_kernel and f.name not in PROVIDED}
        parts = [PROLOGUE]
        for function in declared.values():
            if function.name in self.bodies:
                parts.append(self.signature(function) + ";")
            else:
                parts.append('%s { t.unsupported("call of %s"); }' % (self.signature(function), function.name))
        parts += [self.emit_function(function) for function in functions]
        variable_lines, variable_count, fixup_count = self.emit_variables()
        parts += variable_lines
        records = [self.emit_kernel_record(f) for f in functions if f.is_kernel]
        parts += [arrays for arrays, _ in records]
        parts.append("const KernelRecord kernels[] = {%s};" % ",\n    ".join([r for _, r in records] + ["{}"]))
        parts.append("}  // namespace")
        parts.append('extern "C" const ModuleRecord emulator_module = '
                     '{%d, kernels, %d, variables, %d, fixups, %d, &arena, &work};'
                     % (self.module.target, len(records), variable_count, fixup_count))
        return "\n".join(parts) + "\n"
