"""check_links.py PROJECT: every relative link of the project's pages leads to a file, and its anchor to a heading;
every path and command that README.md and docs name is there; every page of docs can be reached from README.md."""

import json
import pathlib
import re
import sys
import urllib.parse

from extract import FENCE, pages

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"(?:bench|cmake|docs|examples|include|kernels|scripts|src|tests)/[\w./*{},-]*")
BENCH = re.compile(r"build/\w+/(?:bench|examples)/(\w+)")
PRESET = re.compile(r"--preset (\w+)|[Pp]resets? `(\w+)`")


def prose(page):
    """The page's lines, those of fenced blocks empty."""
    inside = False
    for line in page.read_text(encoding="utf-8").splitlines():
        fence = FENCE.match(line)
        inside ^= bool(fence)
        yield "" if inside or fence else line


def anchors(page):
    """As GitHub makes them."""
    found = set()
    for line in prose(page):
        heading = re.match(r"#+ (.*)", line)
        if heading:
            text = LINK.sub(lambda link: link[0].split("]")[0][1:], heading[1]).lower()
            found.add(re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-"))
    return found


def broken_links(page, project):
    text = "\n".join(prose(page))
    for link in LINK.finditer(text):
        address = urllib.parse.urlparse(link[1])
        if address.scheme:
            continue
        file = page.parent / urllib.parse.unquote(address.path) if address.path else page
        place = f"{page.relative_to(project)}:{text.count(chr(10), 0, link.end()) + 1}"
        if not file.exists():
            yield f"{place}: there is no {link[1]}"
        elif address.fragment and address.fragment not in anchors(file):
            yield f"{place}: {link[1]}: no such heading"


def expanded(path):
    """a/{b,c}.d as a/b.d and a/c.d."""
    group = re.search(r"\{([^}]*)\}", path)
    if not group:
        return [path]
    return [one for part in group[1].split(",") for one in expanded(path.replace(group[0], part, 1))]


def unknown_names(page, project):
    """Paths of the tree in code and in pictures, programs and presets that are not there."""
    presets = {preset["name"] for preset in json.loads((project / "CMakePresets.json").read_text())["configurePresets"]}
    lists = "".join(path.read_text() for folder in ("bench", "examples")
                    for path in (project / folder).rglob("CMakeLists.txt"))
    for number, line in enumerate(prose(page), 1):
        texts = [line] if page.suffix == ".svg" else CODE.findall(line)
        for text in texts:
            for path in re.findall(r"(?<![\w/.-])" + PATH.pattern, text):
                for one in expanded(path.rstrip(".,:")):
                    if not any(project.glob(one.rstrip("/"))):
                        yield f"{page.relative_to(project)}:{number}: there is no {one}"
            for program in BENCH.findall(text):
                name = program.removeprefix("bench_")
                if not (project / f"bench/{name}.cpp").exists() and not re.search(rf"\b(bench_)?{name}\b", lists):
                    yield f"{page.relative_to(project)}:{number}: nothing builds {program}"
        for preset in PRESET.findall(line):
            if not presets & set(preset):
                yield f"{page.relative_to(project)}:{number}: there is no preset {''.join(preset)}"


def unreachable(project):
    seen, todo = set(), [project / "README.md"]
    while todo:
        page = todo.pop()
        if page in seen or page.suffix != ".md" or not page.exists():
            continue
        seen.add(page)
        for target in LINK.findall("\n".join(prose(page))):
            address = urllib.parse.urlparse(target)
            if not address.scheme and address.path:
                todo.append((page.parent / address.path).resolve())
    return [f"{page.relative_to(project)}: no page leads to it" for page in pages(project) if page not in seen]


def main(project):
    others = [page for folder in ("bench", "examples", "tests") for page in (project / folder).rglob("*.md")]
    own = [*pages(project), *(project / "docs").glob("*.svg")]
    wrong = [what for page in [*pages(project), *others] for what in broken_links(page, project)]
    wrong += [what for page in own for what in unknown_names(page, project)]
    wrong += unreachable(project)
    print("\n".join(wrong) or f"{len(own) + len(others)} pages and pictures are fine")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
