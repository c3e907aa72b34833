"""Writes the code blocks of README.md and docs/*.md into a folder, each for the compiler that its fence names.

extract.py PROJECT OUTPUT

A block of C or C++ with a main function is a program, <page>_<n>.c or .cpp, n counted over the blocks of the page;
any other is a fragment, <page>_<n>.inc, which a test of this folder includes: what it needs stands there. So is
<page>_<n>.cmake. Blocks of text, <page>_text_<n>.txt, may be compared with what is printed. Fails where a fence has no
language, or one that nothing here, in tests/program or in tests/python can run, and where a fragment is in no test.
Prints the programs, but for those that are an example word for word: these are built and run as such.
"""

import pathlib
import re
import sys

FENCE = re.compile(r"^```(\S*)\s*$")
RUN = {"cpp": ".cpp", "c": ".c", "cmake": ".cmake"}
ELSEWHERE = {"toml", "sh"}  # of the program: tests/program runs them


def pages(project):
    return [project / "README.md", *sorted((project / "docs").glob("*.md"))]


def blocks(page):
    """(language, number of the first line, lines) of every fenced block."""
    language, first, lines = None, 0, []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = FENCE.match(line)
        if fence and language is None:
            language, first, lines = fence[1], number + 1, []
        elif fence:
            yield language, first, lines
            language = None
        elif language is not None:
            lines.append(line)
    if language is not None:
        raise SystemExit(f"{page}: the block before line {first} has no end")


def files(project):
    """(name, text) of all that is to be compiled, configured or compared."""
    examples = {main.read_text(encoding="utf-8") for main in (project / "examples").glob("*/main.c*")}
    for page in pages(project):
        name, count, texts = page.stem.lower(), 0, 0
        for language, first, lines in blocks(page):
            text = "\n".join(lines) + "\n"
            if language == "text":
                texts += 1
                yield f"{name}_text_{texts}.txt", text
                continue
            if language in ("sql", "python"):  # tests/study, tests/python
                continue
            if language in ELSEWHERE and page.stem in ("program", "README", "clusters"):  # tests/program
                continue
            if language not in RUN:
                raise SystemExit(f"{page}:{first - 1}: '{language}' is none of {', '.join(RUN)}, python, sql and text")
            count += 1
            if language == "cmake":
                yield f"{name}_{count}.cmake", text
                continue
            if text in examples:
                continue
            whole = re.search(r"^int main\(", text, re.MULTILINE)
            yield f"{name}_{count}" + (RUN[language] if whole else ".inc"), f'#line {first} "{page}"\n{text}'


def main(project, output):
    tests = "".join(path.read_text(encoding="utf-8") for path in (project / "tests/docs").rglob("*.*")
                    if path.suffix in (".cpp", ".c", ".cu", ".txt"))
    output.mkdir(parents=True, exist_ok=True)
    for name, text in files(project):
        if name.endswith((".inc", ".cmake")) and name not in tests:
            raise SystemExit(f"{name}: no test of tests/docs includes this block:\n{text}")
        path = output / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
        if name.endswith((".c", ".cpp")):
            print(path)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]))
