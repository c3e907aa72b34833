"""Instructions that move data: registers, memory, atomics, addresses, calls."""
import re

from operands import (CPP_TYPES, access_size, identifier, memory, store_register, value, vector_elements)
from ptx_parser import PtxError, TYPE_SIZES, split_operands

# Loads that another thread's store may be awaited with.
WAITING_LOADS = {"volatile", "acquire", "relaxed", "mmio"}


def may_wait(c) -> bool:
    # The loop around an instruction in a device function may be in the caller.
    return c.instruction.in_loop or not c.function.is_kernel


def emit_mov(c) -> str:
    if c.operands[1].startswith("{"):
        parts = vector_elements(c.operands[1])
        width = TYPE_SIZES[c.type] * 8 // len(parts)
        joined = " | ".join("((uint64_t)%s << %d)" % (value(c.scope, part, "b%d" % width), width * i)
                            for i, part in enumerate(parts))
        whole = CPP_TYPES["b%d" % (width * len(parts))]
        return store_register(c.operands[0], "as<%s>((%s)(%s))" % (c.cpp, whole, joined))
    if c.operands[0].startswith("{"):
        parts = vector_elements(c.operands[0])
        width = TYPE_SIZES[c.type] * 8 // len(parts)
        stores = ["const uint64_t whole = as<uint64_t>(%s);" % c.value(1)]
        stores += [store_register(part, "(%s)(whole >> %d)" % (CPP_TYPES["b%d" % width], width * i))
                   for i, part in enumerate(parts)]
        return " ".join(stores)
    return store_register(c.operands[0], c.value(1))


def emit_ld(c) -> str:
    targets = vector_elements(c.operands[0])
    size = TYPE_SIZES[c.type]
    text = []
    if may_wait(c) and WAITING_LOADS & set(c.modifiers):
        text.append("t.spin();")
    text.append("const uint8_t* from = %s;" % memory(c.scope, c.operands[1], c.space, access_size(c.type, targets)))
    # All elements are read before a register changes: the address may be in one of them.
    if c.space == "generic":
        text.append("work.read_anywhere(arena, from, %d);" % access_size(c.type, targets))
    text += ["const %s v%d = load<%s>(from + %d);" % (c.cpp, i, c.cpp, i * size) for i in range(len(targets))]
    text += [store_register(target, "v%d" % i) for i, target in enumerate(targets)]
    return " ".join(text)


def emit_st(c) -> str:
    sources = vector_elements(c.operands[1])
    size = TYPE_SIZES[c.type]
    text = ["uint8_t* to = %s;" % memory(c.scope, c.operands[0], c.space, access_size(c.type, sources))]
    if c.space == "generic":
        text.append("work.write_anywhere(arena, to, %d);" % access_size(c.type, sources))
    text += ["store<%s>(to + %d, %s);" % (c.cpp, i * size, value(c.scope, source, c.type))
             for i, source in enumerate(sources)]
    return " ".join(text)


def emit_atomic(c) -> str:
    operands = c.operands if c.opcode == "atom" else ["_"] + c.operands
    name = c.first(("add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"))
    if name is None or any(operand.startswith("{") for operand in operands):
        raise PtxError("atomic")
    yields = ""
    if may_wait(c) and c.opcode == "atom":
        # A lock is taken with cas or exch; the other atomics mostly count, and count often.
        yields = "t.spin(); " if name in ("cas", "exch") else "t.spin_sometimes(); "
    arguments = "".join(", " + value(c.scope, operand, c.type) for operand in operands[2:])
    address = memory(c.scope, operands[1], c.space, TYPE_SIZES[c.type])
    return yields + store_register(operands[0], "atom_%s<%s>(%s%s)" % (name, c.cpp, address, arguments))


def emit_cvta(c) -> str:
    address = c.value(1)
    if c.space == "shared":
        address = "(%s %s (uint64_t)t.block->shared)" % (address, "-" if c.has("to") else "+")
    return store_register(c.operands[0], "(%s)%s" % (c.cpp, address))


def emit_isspacep(c) -> str:
    address = c.value(1, "u64")
    space = c.modifiers[0].split("::")[0]
    if space == "shared":
        test = "t.in_shared(%s)" % address
    elif space == "local":
        test = "t.in_local(%s)" % address
    elif space == "global":
        test = "(!t.in_shared(%s) && !t.in_local(%s))" % (address, address)
    else:
        test = "false"
    return store_register(c.operands[0], test)


def emit_bra(c) -> str:
    jump = "goto %s;" % identifier(c.operands[0])
    return "t.loop_back(); " + jump if c.instruction.goes_back else jump


def emit_brx(c) -> str:
    labels = c.function.branch_tables[c.operands[1]]
    cases = " ".join("case %d: goto %s;" % (i, identifier(label)) for i, label in enumerate(labels))
    jump = "switch (%s) { %s default: t.trap(); }" % (c.value(0, "u32"), cases)
    return "t.loop_back(); " + jump if c.instruction.goes_back else jump


def emit_ret(c) -> str:
    if c.opcode == "exit" and not c.function.is_kernel:
        raise PtxError("exit in a device function")
    return "return;"


def emit_call(c) -> str:
    operands, results = c.operands, []
    returned = re.match(r"^\((.*)\)$", operands[0])
    if returned:
        results, operands = [returned.group(1).strip()], operands[1:]
    name = operands[0]
    if name.startswith("%"):
        raise PtxError("call through a pointer")
    arguments = split_operands(operands[1][1:-1]) if len(operands) > 1 and operands[1].startswith("(") else []
    return "%s(t%s);" % ("function_" + identifier(name), "".join(", " + identifier(a) for a in results + arguments))


def emit_nothing(c) -> str:
    return ";"


DATA_EMITTERS = {
    "mov": emit_mov, "ld": emit_ld, "ldu": emit_ld, "st": emit_st, "atom": emit_atomic, "red": emit_atomic,
    "cvta": emit_cvta, "isspacep": emit_isspacep, "bra": emit_bra, "brx": emit_brx,
    "ret": emit_ret, "exit": emit_ret, "call": emit_call,
}
# One thread runs at a time and in program order: fences and hints have nothing to do.
DATA_EMITTERS.update({name: emit_nothing for name in (
    "membar", "fence", "prefetch", "prefetchu", "pmevent", "griddepcontrol", "discard", "applypriority")})
