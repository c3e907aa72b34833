"""Counts what instructions do: arithmetic, traffic with device memory, atomics. See Work in kernel/thread.hpp."""
from collections import Counter

from operands import access_size, vector_elements
from ptx_parser import Instruction

# Comparisons, selections, signs and conversions are not counted; an approximation is one operation.
OPERATIONS = {"add": 1, "sub": 1, "mul": 1, "fma": 2, "mad": 2, "ex2": 1, "lg2": 1, "sin": 1, "cos": 1, "tanh": 1}
DIVISIONS = {"div", "rcp", "sqrt", "rsqrt"}
# What follows may run less often than what came before, or more often.
BRANCHES = {"bra", "brx", "ret", "exit", "trap"}


def work_of(c) -> Counter:
    """What one execution adds, by member of Work. Accesses by generic addresses count for themselves: only the
    address tells whether they reach device memory."""
    if c.type in ("f64", "f32") and c.opcode not in ("ld", "ldu", "st", "atom", "red"):
        kind = "float64" if c.type == "f64" else "float32"
        if c.opcode in DIVISIONS and kind == "float64" and not c.has("approx"):
            return Counter({"float64_divisions": 1})
        return Counter({kind + "_operations": OPERATIONS.get(c.opcode, 1 if c.opcode in DIVISIONS else 0)})
    if c.opcode in ("atom", "red") and c.space != "shared":
        return Counter({"atomics": 1})
    if c.opcode in ("ld", "ldu", "st") and c.space == "global" and len(c.operands) > 1:
        stores = c.opcode == "st"
        size = access_size(c.type, vector_elements(c.operands[1 if stores else 0]))
        return Counter({"bytes_written" if stores else "bytes_read": size})
    return Counter()


def additions(work: Counter) -> str:
    return " ".join("work.%s += %d;" % (member, amount) for member, amount in sorted(work.items()) if amount)


class BlockWork:
    """What one execution of a basic block adds; takes its place in the text before the block is known."""

    def __init__(self):
        self.work = Counter()

    def add(self, context):
        # Instructions under a predicate count for themselves.
        if not context.instruction.predicate:
            self.work += work_of(context)

    def __str__(self) -> str:
        text = additions(self.work)
        return "    " + text if text else ""


def ends_block(statement) -> bool:
    return not isinstance(statement, Instruction) or statement.opcode[0] in BRANCHES
