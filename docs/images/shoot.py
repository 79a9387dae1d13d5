"""Takes screenshots of a report page in headless Chromium: light, dark, and on a phone.

``silvan demo`` and then ``python docs/images/shoot.py demo-output/report.html`` makes those of the
user guide. Needs Chromium and Pillow.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
# Name, scheme, size of the window, and the part of it to keep, from top to bottom.
SHOTS = (
    ("report_light", "light", (1200, 2400), (0, 1500)),
    ("report_dark", "dark", (1200, 3000), (1490, 2990)),
    ("report_phone", "light", (390, 2500), (0, 1800)),
)
SCHEMES = {"light": 1, "dark": 0}
# Chromium's windows are at least this wide; narrower pages are put into a frame.
NARROWEST = 500


def shoot(page: Path, scheme: str, size: tuple[int, int], target: Path) -> None:
    """Write a screenshot of a page, as a browser with that preference shows it."""
    width, height = size
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        address = page.resolve().as_uri()
        if width < NARROWEST:
            frame = f'<iframe src="{address}" width="{width}" height="{height}"></iframe>'
            style = "<style>body{margin:0}iframe{border:0}</style>"
            (folder / "frame.html").write_text(style + frame)
            address = (folder / "frame.html").as_uri()
        subprocess.run(
            [
                "chromium",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                f"--user-data-dir={folder / 'profile'}",
                f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}",
                f"--window-size={max(width, NARROWEST)},{height}",
                f"--screenshot={target}",
                address,
            ],
            check=True,
            stderr=subprocess.DEVNULL,
            timeout=120,
        )


def main() -> None:
    """Take all screenshots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("--output", type=Path, default=HERE)
    arguments = parser.parse_args()
    for name, scheme, size, (top, bottom) in SHOTS:
        target = arguments.output.resolve() / f"{name}.png"
        shoot(arguments.page, scheme, size, target)
        with Image.open(target) as image:
            part = image.convert("RGB").crop((0, top, size[0], min(bottom, size[1])))
        part.save(target, optimize=True)


if __name__ == "__main__":
    main()
