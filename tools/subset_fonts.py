"""Makes the fonts of colbench_gym/grading/fonts from Arimo 1.33, Tinos 1.33, Cousine 1.23 and DejaVu Sans 2.37.

    pip install fonttools && python tools/subset_fonts.py FOLDER_WITH_TTF_FILES

Subsets of characters, without hinting instructions (pages are rendered unhinted), under names of our own as the
fonts' licences ask of changed versions. The same input gives the same bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset  # type: ignore[import-not-found]
from fontTools.ttLib import TTFont  # type: ignore[import-not-found]

TARGET = Path(__file__).parents[1] / "colbench_gym" / "grading" / "fonts"
STYLES = {"Regular": "Regular", "Bold": "Bold", "Italic": "Italic", "BoldItalic": "Bold Italic"}
FONTS = {"Sans": "Arimo", "Serif": "Tinos", "Mono": "Cousine"}

# Latin with its extensions, Greek and Cyrillic letters, punctuation, super- and subscripts, currency, letterlike signs.
TEXT = [(0x20, 0x7E), (0xA0, 0x17F), (0x192, 0x192), (0x218, 0x21B), (0x2C6, 0x2DD), (0x370, 0x3FF), (0x400, 0x45F)]
TEXT += [(0x1E80, 0x1E85), (0x2000, 0x206F), (0x2070, 0x209F), (0x20A0, 0x20BF), (0x2100, 0x214F), (0x2150, 0x218F)]
# What pages use as pictures: arrows, mathematics, boxes, shapes, stars, ticks, hearts, faces.
SYMBOLS = [(0x2190, 0x21FF), (0x2200, 0x22FF), (0x2300, 0x23FF), (0x2500, 0x25FF), (0x2600, 0x26FF), (0x2700, 0x27BF)]
SYMBOLS += [(0x27F0, 0x27FF), (0x2B00, 0x2B5F), (0x1F600, 0x1F64F), (0xFFFD, 0xFFFD)]


def characters(ranges: list[tuple[int, int]]) -> list[int]:
    return [code for first, last in ranges for code in range(first, last + 1)]


def cut(source: Path, codes: list[int], family: str, style: str) -> None:
    """Writes the subset of `source` as `family` `style`."""
    options = subset.Options(
        hinting=False,
        desubroutinize=True,
        layout_features=["kern", "liga", "mark", "mkmk", "ccmp", "locl"],
        name_IDs=[0, 13, 14],
        notdef_outline=True,
        recalc_timestamp=False,
    )
    font = TTFont(source, recalcTimestamp=False)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=codes)
    cutter.subset(font)
    names = font["name"]
    for number, text in (
        (1, family),
        (2, style),
        (3, f"{family} {style}"),
        (4, f"{family} {style}"),
        (6, f"{family.replace(' ', '')}-{style.replace(' ', '')}"),
    ):
        names.setName(text, number, 3, 1, 0x409)  # type: ignore[attr-defined]
    path = TARGET / f"{family.replace(' ', '')}-{style.replace(' ', '')}.ttf"
    font.save(path)


def main(folder: Path) -> None:
    for kind, original in FONTS.items():
        for suffix, style in STYLES.items():
            cut(folder / f"{original}-{suffix}.ttf", characters(TEXT), f"ColBench {kind}", style)
    cut(folder / "DejaVuSans.ttf", characters(SYMBOLS), "ColBench Symbols", "Regular")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
