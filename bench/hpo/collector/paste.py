"""Puts sections of carbo_hpo's reports into a page, between <!-- report: TITLE --> and <!-- /report -->.

A section is what stands under a line "## TITLE" of a report; where reports have the same title, the last counts. What
stood between the markers goes; where no report has the section, it stays, and that is said. TITLE is the heading, or how
it begins where only one begins so."""

import argparse
import re
import sys
from pathlib import Path

from . import failure

PLACE = re.compile(r"(<!-- report: (.+?) -->\n)(.*?)(<!-- /report -->)", re.DOTALL)


def sections(report):
    """What a report says under each heading of the second level."""
    parts = re.split(r"^## (.+)\n", report, flags=re.MULTILINE)
    return {title.strip(): body.strip() for title, body in zip(parts[1::2], parts[2::2])}


def find(known, title):
    """The section's text; None where there is none."""
    fitting = [title] if title in known else [name for name in known if name.startswith(title)]
    if len(fitting) > 1:
        raise ValueError(f"'{title}' may be {' or '.join(fitting)}")
    return known[fitting[0]] if fitting else None


def filled(place, known):
    text = find(known, place[2])
    if text is not None:
        return f"{place[1]}\n{text}\n\n{place[4]}"
    print(f"paste: no report has '{place[2]}': what stands there stays; there are {', '.join(known) or 'none'}",
          file=sys.stderr)
    return place[0]


def pasted(page, known):
    """The page with its places filled anew; ValueError where a place is not closed or a title fits two sections."""
    if page.count("<!-- report: ") != page.count("<!-- /report -->") or \
            any("<!-- report: " in body for _, _, body, _ in PLACE.findall(page)):
        raise ValueError("a place that begins with <!-- report: … --> does not end with <!-- /report -->")
    return PLACE.sub(lambda place: filled(place, known), page)


def main(given=None):
    parser = argparse.ArgumentParser(prog="paste", description=__doc__)
    parser.add_argument("page", help="such as docs/paper.md")
    parser.add_argument("reports", nargs="+", help="report.md and live.md of carbo_hpo's folder")
    options = parser.parse_args(given)
    try:
        known = {}
        for report in options.reports:
            known.update(sections(Path(report).read_text(encoding="utf-8")))
        page = Path(options.page)
        text = pasted(page.read_text(encoding="utf-8"), known)
        page.write_text(text, encoding="utf-8")
    except (ValueError, OSError) as reason:
        return failure.report("paste", reason)
    return 0


if __name__ == "__main__":
    sys.exit(main())
