"""Whether every link inside the built pages leads somewhere: the file exists, and so does the anchor.

Run ``python docs/check_links.py docs/_build/html`` after a build; broken links are printed and end with exit code 1.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Links(HTMLParser):
    """Anchors that a page has, and what it links to or loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect ids, names, links, pictures, styles and scripts."""
        for name, value in attrs:
            if value and (name == "id" or (name == "name" and tag == "a")):
                self.anchors.add(value)
            elif value and name in ("href", "src"):
                self.targets.append(value)


def broken(root: Path) -> list[str]:
    """Every broken internal link under `root`, as ``page: target``."""
    pages = {path.resolve(): Links(path.read_text(encoding="utf-8")) for path in sorted(root.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            to = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            to = to / "index.html" if to.is_dir() else to
            anchor = unquote(parts.fragment)
            if not to.exists() or (anchor and to in pages and anchor not in pages[to].anchors):
                found.append(f"{path.relative_to(root.resolve())}: {target}")
    return found


def main() -> int:
    """Check the folder named on the command line."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print(f"usage: python {sys.argv[0]} FOLDER_OF_BUILT_PAGES", file=sys.stderr)
        return 2
    found = broken(Path(sys.argv[1]))
    print("\n".join(found) if found else "every internal link leads somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
