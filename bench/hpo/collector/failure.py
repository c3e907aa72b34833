"""How the programs of this folder end where they cannot go on."""

import sys


def report(program, reason):
    """Says on standard error why `program` ends, and what installs a missing package; returns the exit status."""
    advice = f"; bench/hpo/{program} installs what it needs" if isinstance(reason, ImportError) else ""
    print(f"{program}: {reason}{advice}", file=sys.stderr)
    return 1
