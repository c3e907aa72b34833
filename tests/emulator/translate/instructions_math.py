"""Arithmetic, comparison, logic and conversion instructions."""
from operands import CPP_TYPES, store_register, unsigned, value
from ptx_parser import PtxError

ROUNDING = {"rz": "FE_TOWARDZERO", "rm": "FE_DOWNWARD", "rp": "FE_UPWARD"}
COMPARISONS = {
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "lo": "<", "ls": "<=", "hi": ">", "hs": ">=",
}
COMBINE = {"and": "&&", "or": "||", "xor": "!="}


def flushes(c) -> bool:
    return c.has("ftz") and c.type == "f32"


def argument(c, index: int) -> str:
    expression = c.value(index)
    return "flush_subnormal(%s)" % expression if flushes(c) else expression


def with_rounding(c, expression: str) -> str:
    mode = c.first(ROUNDING)
    return "rounded(%s, [&] { return %s; })" % (ROUNDING[mode], expression) if mode else expression


def float_result(c, expression: str) -> str:
    expression = with_rounding(c, expression)
    if c.has("sat"):
        expression = "saturate(%s)" % expression
    if flushes(c):
        expression = "flush_subnormal(%s)" % expression
    return store_register(c.operands[0], expression)


def result(c, expression: str) -> str:
    return float_result(c, expression) if c.is_float else store_register(c.operands[0], expression)


def emit_add_sub(c) -> str:
    sign = "+" if c.opcode.startswith("add") else "-"
    if c.is_float:
        return float_result(c, "%s %s %s" % (argument(c, 1), sign, argument(c, 2)))
    carries = c.opcode in ("addc", "subc")
    if carries or c.has("cc"):
        name = "add_with_carry" if sign == "+" else "subtract_with_borrow"
        wide = "u" + c.type[1:]
        return store_register(c.operands[0], "%s<%s>(t.carry, %s, %s, %d, %d)" % (
            name, CPP_TYPES[wide], c.value(1, wide), c.value(2, wide), carries, c.has("cc")))
    if c.has("sat"):
        raise PtxError("saturating integer addition")
    u = unsigned(c.type)
    return store_register(c.operands[0], "(%s)((%s)%s %s (%s)%s)" % (c.cpp, u, c.value(1), sign, u, c.value(2)))


def emit_mul_mad(c) -> str:
    if c.is_float:
        if c.opcode == "mul":
            return float_result(c, "%s * %s" % (argument(c, 1), argument(c, 2)))
        return emit_fma(c)
    u = unsigned(c.type)
    if c.has("wide"):
        wide = c.type[0] + str(2 * int(c.type[1:]))
        cpp = CPP_TYPES[wide]
        product = "(%s)%s * (%s)%s" % (cpp, c.value(1), cpp, c.value(2))
        if c.opcode == "mad":
            product = "(%s)(%s) + (%s)%s" % (
                CPP_TYPES["u" + wide[1:]], product, CPP_TYPES["u" + wide[1:]], c.value(3, wide))
        return store_register(c.operands[0], "(%s)(%s)" % (cpp, product))
    if c.has("hi"):
        product = "multiply_high<%s>(%s, %s)" % (c.cpp, c.value(1), c.value(2))
    else:
        # 16-bit operands would be promoted to int and could overflow it.
        factor = "uint32_t" if c.type[1:] == "16" else u
        product = "(%s)((%s)%s * (%s)%s)" % (c.cpp, factor, c.value(1), u, c.value(2))
    if c.opcode == "mul":
        return store_register(c.operands[0], product)
    if c.has("cc") or c.opcode == "madc":
        return store_register(c.operands[0], "add_with_carry<%s>(t.carry, (%s)%s, %s, %d, %d)" % (
            u, u, product, c.value(3, "u" + c.type[1:]), c.opcode == "madc", c.has("cc")))
    return store_register(c.operands[0], "(%s)((%s)%s + (%s)%s)" % (c.cpp, u, product, u, c.value(3)))


def emit_mul24(c) -> str:
    if c.has("hi"):
        raise PtxError("mul24.hi")
    shift = "(%s)(((uint32_t)%s << 8)) >> 8"
    product = "(%s)((%s) * (%s))" % (c.cpp, shift % (c.cpp, c.value(1)), shift % (c.cpp, c.value(2)))
    if c.opcode == "mad24":
        product = "(%s)(%s + %s)" % (c.cpp, product, c.value(3))
    return store_register(c.operands[0], product)


def emit_fma(c) -> str:
    return float_result(c, "std::fma(%s, %s, %s)" % (argument(c, 1), argument(c, 2), argument(c, 3)))


def emit_div(c) -> str:
    if c.is_float:
        return float_result(c, "%s / %s" % (argument(c, 1), argument(c, 2)))
    return store_register(c.operands[0], "divide(%s, %s)" % (c.value(1), c.value(2)))


def emit_rem(c) -> str:
    return store_register(c.operands[0], "ptx::remainder(%s, %s)" % (c.value(1), c.value(2)))


def emit_abs_neg(c) -> str:
    x = argument(c, 1) if c.is_float else c.value(1)
    if c.is_float:
        return float_result(c, "std::fabs(%s)" % x if c.opcode == "abs" else "-%s" % x)
    negative = "(%s)(0 - (uint64_t)%s)" % (c.cpp, x)
    return store_register(c.operands[0], "(%s < 0 ? %s : %s)" % (x, negative, x) if c.opcode == "abs" else negative)


def emit_min_max(c) -> str:
    if c.is_float:
        name = "minimum" if c.opcode == "min" else "maximum"
        return float_result(c, "%s(%s, %s, %d)" % (name, argument(c, 1), argument(c, 2), c.has("NaN")))
    return store_register(c.operands[0], "std::%s<%s>(%s, %s)" % (c.opcode, c.cpp, c.value(1), c.value(2)))


# Approximate instructions use the host's accurate functions.
FUNCTIONS = {
    "sqrt": "std::sqrt({x})", "rsqrt": "({T})1 / std::sqrt({x})", "rcp": "({T})1 / {x}", "ex2": "std::exp2({x})",
    "lg2": "std::log2({x})", "sin": "std::sin({x})", "cos": "std::cos({x})", "tanh": "std::tanh({x})",
}


def emit_function(c) -> str:
    if not c.is_float:
        raise PtxError("type")
    expression = FUNCTIONS[c.opcode].format(T=c.cpp, x=argument(c, 1))
    if c.type == "f64" and c.has("approx") and c.has("ftz"):
        # rcp.approx.ftz.f64 works on the high word alone, and the division built on it relies on that.
        expression = "clear_low_word(%s)" % expression
    return float_result(c, expression)


def emit_copysign(c) -> str:
    return store_register(c.operands[0], "std::copysign(%s, %s)" % (c.value(2), c.value(1)))


def emit_testp(c) -> str:
    return store_register(c.operands[0], "testp_%s(%s)" % (c.modifiers[0], c.value(1)))


def emit_logic(c) -> str:
    sign = {"and": "&", "or": "|", "xor": "^"}[c.opcode]
    return store_register(c.operands[0], "(%s)(%s %s %s)" % (c.cpp, c.value(1), sign, c.value(2)))


def emit_not(c) -> str:
    return store_register(c.operands[0], ("!%s" if c.type == "pred" else "(" + c.cpp + ")~%s") % c.value(1))


def call(name: str, *types):
    """An emitter that calls `name` on the operands; a type of None means the instruction's own."""
    def emitter(c) -> str:
        arguments = ", ".join(c.value(i + 1, types[i]) for i in range(len(types)))
        return store_register(c.operands[0], "%s(%s)" % (name.format(T=c.cpp), arguments))
    return emitter


def emit_shf(c) -> str:
    return store_register(c.operands[0], "funnel_shift(%s, %s, %s, %d, %d)" % (
        c.value(1), c.value(2), c.value(3, "u32"), c.has("l"), c.has("wrap")))


def emit_bfind(c) -> str:
    return store_register(c.operands[0], "find_leading_bit(%s, %d)" % (c.value(1), c.has("shiftamt")))


def emit_prmt(c) -> str:
    if len(c.modifiers) != 1:
        raise PtxError("prmt mode")
    return call("permute_bytes", None, None, None)(c)


def emit_lop3(c) -> str:
    if c.type != "b32" or "|" in c.operands[0]:
        raise PtxError("lop3")
    inputs = ", ".join(c.value(i) for i in (1, 2, 3))
    return store_register(c.operands[0], "logic3(%s, %s)" % (inputs, c.operands[4]))


def emit_sad(c) -> str:
    a, b = c.value(1), c.value(2)
    return store_register(c.operands[0], "(%s)(%s + (%s < %s ? %s - %s : %s - %s))" % (
        c.cpp, c.value(3), a, b, b, a, a, b))


def comparison(c, name: str) -> str:
    a, b = (argument(c, 1), argument(c, 2)) if c.is_float else (c.value(1), c.value(2))
    if name == "ne" and c.is_float:
        return "ordered_not_equal(%s, %s)" % (a, b)
    if name in COMPARISONS:
        return "(%s %s %s)" % (a, COMPARISONS[name], b)
    if name == "num":
        return "(!unordered(%s, %s))" % (a, b)
    if name == "nan":
        return "unordered(%s, %s)" % (a, b)
    if name.endswith("u") and name[:2] in COMPARISONS:
        return "(unordered(%s, %s) || %s %s %s)" % (a, b, a, COMPARISONS[name[:2]], b)
    raise PtxError("comparison " + name)


def emit_setp_set(c) -> str:
    if c.type == "pred":
        raise PtxError("type")
    yes = comparison(c, c.modifiers[0])
    no = "!" + yes
    combine = c.first(COMBINE)
    if combine:
        third = value(c.scope, c.operands[3], "pred")
        yes = "(%s %s %s)" % (yes, COMBINE[combine], third)
        no = "((%s) %s %s)" % (no, COMBINE[combine], third)
    if c.opcode == "set":
        target = c.types[0]
        true_value = 1 if target[0] == "f" else -1
        return store_register(c.operands[0], "(%s)(%s ? %d : 0)" % (CPP_TYPES[target], yes, true_value))
    if "|" in c.operands[0]:
        first, second = c.operands[0].split("|")
        stores = store_register(first, "yes") + " " + store_register(second, "no")
        return "const bool yes = %s, no = %s; %s" % (yes, no, stores)
    return store_register(c.operands[0], "(bool)%s" % yes)


def emit_selp(c) -> str:
    return store_register(c.operands[0], "(%s ? %s : %s)" % (c.value(3, "pred"), c.value(1), c.value(2)))


def emit_slct(c) -> str:
    kind = c.types[0]
    choice = (c.value(3, c.types[1]), c.value(1, kind), c.value(2, kind))
    return store_register(c.operands[0], "(%s >= 0 ? %s : %s)" % choice)


def emit_cvt(c) -> str:
    target, source = c.types
    cpp, x = CPP_TYPES[target], c.value(1, source)
    if c.has("ftz") and source == "f32":
        x = "flush_subnormal(%s)" % x
    to_integer = c.first(("rni", "rzi", "rmi", "rpi"))
    if source[0] == "f" and target[0] != "f":
        x = "float_to_integer<%s>(round_%s(%s))" % (cpp, to_integer or "rzi", x)
    elif target[0] == "f":
        if to_integer:
            x = "round_%s(%s)" % (to_integer, x)
        x = with_rounding(c, "(%s)(%s)" % (cpp, x))
        if c.has("sat"):
            x = "saturate(%s)" % x
        if c.has("ftz") and target == "f32":
            x = "flush_subnormal(%s)" % x
    elif c.has("sat"):
        x = "saturate_integer<%s>(%s)" % (cpp, x)
    else:
        x = "(%s)%s" % (cpp, x)
    return store_register(c.operands[0], x)


MATH_EMITTERS = {
    "mul": emit_mul_mad, "mad": emit_mul_mad, "madc": emit_mul_mad, "mul24": emit_mul24, "mad24": emit_mul24,
    "fma": emit_fma, "div": emit_div, "rem": emit_rem, "abs": emit_abs_neg, "neg": emit_abs_neg,
    "min": emit_min_max, "max": emit_min_max, "copysign": emit_copysign, "testp": emit_testp,
    "and": emit_logic, "or": emit_logic, "xor": emit_logic, "not": emit_not,
    "cnot": call("(uint64_t)0 == (uint64_t)", None),
    "shl": call("shift_left<{T}>", None, "u32"), "shr": call("shift_right<{T}>", None, "u32"), "shf": emit_shf,
    "popc": call("(uint32_t)__builtin_popcountll", None), "clz": call("count_leading_zeros", None),
    "brev": call("reverse_bits", None), "bfind": emit_bfind, "bfe": call("extract_field<{T}>", None, "u32", "u32"),
    "bfi": call("insert_field<{T}>", None, None, "u32", "u32"), "prmt": emit_prmt, "lop3": emit_lop3, "sad": emit_sad,
    "setp": emit_setp_set, "set": emit_setp_set, "selp": emit_selp, "slct": emit_slct, "cvt": emit_cvt,
}
MATH_EMITTERS.update({name: emit_add_sub for name in ("add", "sub", "addc", "subc")})
MATH_EMITTERS.update({name: emit_function for name in FUNCTIONS})
