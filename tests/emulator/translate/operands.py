"""Turns PTX operands into C++ expressions."""
import re

from ptx_parser import PtxError, TYPE_SIZES

CPP_TYPES = {
    "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t",
    "s8": "int8_t", "s16": "int16_t", "s32": "int32_t", "s64": "int64_t",
    "b8": "uint8_t", "b16": "uint16_t", "b32": "uint32_t", "b64": "uint64_t",
    "f32": "float", "f64": "double", "pred": "bool",
}

SPECIAL_REGISTERS = {
    "%laneid": "t.lane", "%warpid": "t.warp", "WARP_SZ": "32u", "%nwarpid": "((t.block->thread_count + 31) / 32)",
    "%clock64": "t.clock()", "%clock": "(uint32_t)t.clock()", "%globaltimer": "t.clock()",
    "%smid": "0u", "%nsmid": "1u", "%gridid": "0ull", "%dynamic_smem_size":
    "(t.block->shared_size - t.block->kernel->dynamic_shared_offset)", "%total_smem_size": "t.block->shared_size",
    "%lanemask_eq": "(1u << t.lane)", "%lanemask_lt": "((1u << t.lane) - 1u)",
    "%lanemask_le": "(~0u >> (31 - t.lane))",
    "%lanemask_gt": "~(~0u >> (31 - t.lane))", "%lanemask_ge": "~((1u << t.lane) - 1u)",
}
for _i, _axis in enumerate("xyz"):
    SPECIAL_REGISTERS["%%tid.%s" % _axis] = "t.index[%d]" % _i
    SPECIAL_REGISTERS["%%ntid.%s" % _axis] = "t.block->thread_dimensions[%d]" % _i
    SPECIAL_REGISTERS["%%ctaid.%s" % _axis] = "t.block->index[%d]" % _i
    SPECIAL_REGISTERS["%%nctaid.%s" % _axis] = "t.block->grid_dimensions[%d]" % _i


def identifier(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", name.replace("$", "S_").replace("%", "r_"))


def unsigned(type_name: str) -> str:
    return CPP_TYPES["u" + type_name[1:]]


class Scope:
    """The names that a function sees besides its registers: each maps to the C++ expression of its address."""

    def __init__(self, module_names: dict):
        self.module_names = module_names
        self.local_names = {}
        self.registers = set()

    def address(self, name: str):
        return self.local_names.get(name) or self.module_names.get(name)


def constant(text: str, type_name: str):
    """The C++ expression of a literal, or None."""
    cpp = CPP_TYPES[type_name]
    match = re.match(r"^0[dD]([0-9a-fA-F]{16})$", text)
    if match:
        bits = "double_bits(0x%sull)" % match.group(1)
        return "(float)%s" % bits if type_name == "f32" else "as<%s>(%s)" % (cpp, bits)
    match = re.match(r"^0[fF]([0-9a-fA-F]{8})$", text)
    if match:
        bits = "float_bits(0x%su)" % match.group(1)
        return "(double)%s" % bits if type_name == "f64" else "as<%s>(%s)" % (cpp, bits)
    match = re.match(r"^(-?)(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?$", text)
    if match:
        return "(%s)(%s%sull)" % (cpp, match.group(1), match.group(2))
    return None


def value(scope: Scope, operand: str, type_name: str) -> str:
    operand = operand.strip()
    if operand.startswith("!"):
        return "(!%s)" % value(scope, operand[1:], type_name)
    if operand in SPECIAL_REGISTERS:
        return "as<%s>(%s)" % (CPP_TYPES[type_name], SPECIAL_REGISTERS[operand])
    literal = constant(operand, type_name)
    if literal:
        return literal
    generic = re.match(r"^generic\((.*)\)$", operand)
    name = generic.group(1) if generic else operand
    offset = re.match(r"^([\w$%.]+)\s*\+\s*(\d+)$", name)
    address = scope.address(offset.group(1) if offset else name)
    if address:
        return "(%s)(%s%s)" % (CPP_TYPES[type_name], address, " + " + offset.group(2) if offset else "")
    if operand not in scope.registers:
        # The address of a function, or a register of a type that is not supported.
        raise PtxError("operand " + operand)
    return "as<%s>(%s)" % (CPP_TYPES[type_name], identifier(operand))


def raw_address(scope: Scope, operand: str) -> str:
    match = re.match(r"^\[\s*([^+\-\s]+)\s*(?:([+-])\s*(-?\w+))?\s*\]$", operand)
    if not match:
        raise PtxError("address " + operand)
    base, sign, offset = match.groups()
    expression = scope.address(base)
    if not expression:
        if not base[0].isdigit() and base not in scope.registers:
            raise PtxError("address " + operand)
        expression = base if base[0].isdigit() else identifier(base)
    expression = "(uint64_t)(%s)" % expression
    return "(%s %s (int64_t)(%s))" % (expression, sign, offset) if offset else expression


def memory(scope: Scope, operand: str, space: str, size: int) -> str:
    """The checked host address of a memory operand."""
    address = raw_address(scope, operand)
    if space == "param":
        return "(uint8_t*)%s" % address
    if space == "shared":
        return "t.shared((uint32_t)%s, %d)" % (address, size)
    if space == "local":
        return "t.local(%s, %d)" % (address, size)
    return "t.memory(arena, %s, %d, Space::%s)" % (address, size, "generic" if space == "generic" else "global")


def store_register(register: str, expression: str) -> str:
    register = register.strip()
    if register == "_":
        return "(void)(%s);" % expression
    return "assign(%s, %s);" % (identifier(register), expression)


def vector_elements(operand: str) -> list:
    return [part.strip() for part in operand[1:-1].split(",")] if operand.startswith("{") else [operand]


def access_size(type_name: str, elements: list) -> int:
    return TYPE_SIZES[type_name] * len(elements)
