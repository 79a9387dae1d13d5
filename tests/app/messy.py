"""Messy text tables as people have them, and how the program must end on each.

A case is the bytes of a file and, where no model can come of it, what the one sentence of refusal
says.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass

N = 40


@dataclass(frozen=True)
class Case:
    content: bytes
    refusal: str | None = None
    options: tuple[str, ...] = ()  # of every command
    fit_options: tuple[str, ...] = ()  # of fit alone
    said: str = ""  # part of what fit says
    suffix: str = "csv"


def table(
    *columns: Sequence[object],
    header: Sequence[str] = ("a", "b", "y"),
    separator: str = ",",
    end: str = "\n",
) -> str:
    """The text of a table of columns; y alternates between two classes if it is not given."""
    given = list(columns)
    while len(given) < len(header):
        given.append([k % 7 for k in range(N)] if len(given) < len(header) - 1 else LABELS)
    lines = [separator.join(header)]
    lines += [separator.join(str(value) for value in row) for row in zip(*given, strict=True)]
    return end.join(lines) + end


LABELS = ["yes" if k % 2 else "no" for k in range(N)]
NUMBERS = [round(0.37 * k, 2) for k in range(N)]
WORDS = ["red", "green", "blue"]


def replaced(values: Sequence[object], k: int, value: object) -> list[object]:
    return [*values[:k], value, *values[k + 1 :]]


def quoted(values: Sequence[object]) -> list[str]:
    return [f'"{value}"' for value in values]


PLAIN = table(NUMBERS)
CASES: dict[str, Case] = {
    # Encodings and line ends.
    "utf-8 with a byte order mark": Case(codecs.BOM_UTF8 + PLAIN.encode()),
    "umlauts in utf-8": Case(table(NUMBERS, header=("größe", "b", "y")).encode()),
    "latin-1 header": Case(
        table(NUMBERS, header=("größe", "b", "y")).encode("latin-1"), said="read as Windows-1252"
    ),
    "latin-1 values": Case(
        table(["süß" if k % 3 else "sauer" for k in range(N)]).encode("latin-1"),
        said="read as Windows-1252",
    ),
    "utf-16": Case(table(NUMBERS, header=("größe", "b", "y")).encode("utf-16")),
    "utf-16 without a byte order mark": Case(PLAIN.encode("utf-16-le"), "has NUL bytes"),
    "NUL bytes": Case(PLAIN.replace("yes", "y\0s").encode(), "save it as CSV in UTF-8"),
    "windows line ends": Case(table(NUMBERS, end="\r\n").encode()),
    "old mac line ends": Case(table(NUMBERS, end="\r").encode()),
    "blank lines": Case(("\n\n" + PLAIN.replace("\n", "\n\n")).encode()),
    "no line end at the end": Case(PLAIN.rstrip().encode()),
    # Quotes.
    "quoted fields": Case(table(quoted(NUMBERS), header=('"a"', '"b"', "y")).encode()),
    "quotes within quotes": Case(
        table(['"5"" pipe"' if k % 3 else "rod" for k in range(N)]).encode()
    ),
    "line ends within quotes": Case(
        table(['"two\nlines"' if k % 3 else "one" for k in range(N)]).encode()
    ),
    "line ends within the header": Case(table(NUMBERS, header=('"a\n(cm)"', "b", "y")).encode()),
    "separators within quotes": Case(
        table(['"x, y"' if k % 3 else "z" for k in range(N)]).encode()
    ),
    "a quote that is never closed": Case(
        table(replaced(NUMBERS, 5, '"1')).encode(), "separators and quotes"
    ),
    # Headers.
    "no header": Case(
        "\n".join(f"{k % 7},{0.5 * k},{k % 2}" for k in range(N)).encode(),
        fit_options=("--target", "c3"),
        said="no header: columns are c1 to c3",
    ),
    "duplicate headers": Case(
        table(header=("a", "a", "y")).encode(), "several columns named 'a'; rename them"
    ),
    "an index without a name": Case(
        table(list(range(N)), header=("", "b", "y")).encode(),
        said="columns without a name are called c1",
    ),
    "a trailing separator": Case(
        table(NUMBERS, header=("a", "y", "")).replace("yes", "").replace("no", "").encode(),
        fit_options=("--target", "y"),
        said="columns without a name are called c3",
    ),
    "a trailing separator in rows alone": Case(
        PLAIN.replace("yes", "yes,").replace("no", "no,").encode(),
        "has 4 fields, but the first has 3",
    ),
    "spaces in names": Case(table(NUMBERS, header=("my column", "b", "y")).encode()),
    # Separators and spellings of numbers.
    "semicolons": Case(table(NUMBERS, separator=";").encode()),
    "tabs": Case(table(NUMBERS, separator="\t").encode(), suffix="tsv"),
    "bars": Case(table(NUMBERS, separator="|").encode()),
    "decimal commas": Case(
        table([str(x).replace(".", ",") for x in NUMBERS], separator=";").encode(),
        "column 'a' of messy.csv holds numbers in a format that is not read, such as '0,0'; "
        "write plain numbers, pass --decimal ,",
    ),
    "decimal commas that were said": Case(
        table([str(x).replace(".", ",") for x in NUMBERS], separator=";").encode(),
        options=("--decimal", ","),
    ),
    "money": Case(
        table([f"${x}" for x in NUMBERS]).encode(), "in a format that is not read, such as '$0.0'"
    ),
    "percent signs and commas": Case(
        table([f"{x} %".replace(".", ",") for x in NUMBERS], separator=";").encode(),
        options=("--decimal", ","),
        said="percentages in 'a'",
    ),
    "a percent sign among numbers": Case(
        table(replaced(NUMBERS, 5, "7 %")).encode(), said="percentages in 'a'"
    ),
    "percent signs and a word": Case(
        table(replaced([f"{x}%" for x in NUMBERS], 5, "much")).encode(),
        "format that is not read, such as '0.0%'",
    ),
    "spaces around names": Case(
        table(NUMBERS, header=(" a", "b ", " y ")).encode(), fit_options=("--drop", "b")
    ),
    "dates with dots": Case(
        table([f"{1 + k % 28}.{1 + k % 12}.2024 12:30" for k in range(N)]).encode(),
        said="column 'a' is read as a date: day of year, day of month, day of week",
    ),
    "dates with slashes": Case(
        table([f"{1 + k % 28}/{1 + k % 12}/2024" for k in range(N)]).encode(),
        "holds dates in a format that is not read, such as '1/1/2024'; write them as 2024-12-31",
    ),
    "numbers of rows": Case(
        table([100 + 3 * k for k in range(N)]).encode(), said="'a' may only name the rows"
    ),
    "named encoding": Case(
        table(["ľud" if k % 3 else "žena" for k in range(N)]).encode("cp1250"),
        options=("--encoding", "cp1250"),
        said="categories in 'a' (2)",
    ),
    "wrong encoding": Case(
        table(NUMBERS, header=("größe", "b", "y")).encode("latin-1"),
        "is not in the encoding utf-8",
        options=("--encoding", "utf-8"),
    ),
    "encoding without its mark": Case(
        PLAIN.encode(), "is not in the encoding utf-16", options=("--encoding", "utf-16")
    ),
    "unknown encoding": Case(
        PLAIN.encode(), "is not an encoding that Python knows", options=("--encoding", "klingon")
    ),
    "percent signs": Case(
        table([f"{x}%" if k % 2 else f"{x} %" for k, x in enumerate(NUMBERS)]).encode(),
        said="percentages in 'a': 12.5 % is 12.5",
    ),
    "thousands separators": Case(
        table([f'"{1000 * x + 1000:,.0f}"' for x in NUMBERS]).encode(),
        "in a format that is not read, such as '1,000'",
    ),
    "spaces after commas": Case(
        table(replaced(NUMBERS, 3, "NA"), separator=", ").encode(), fit_options=("--target", "y")
    ),
    "inf and nan": Case(
        table(replaced(replaced(NUMBERS, 3, "inf"), 4, "nan")).encode(),
        "its largest magnitude is inf (in column 'a'); rescale the features",
    ),
    "huge integers": Case(table([10**25 + k for k in range(N)]).encode()),
    # Types.
    "booleans": Case(table([str(k % 3 == 0) for k in range(N)]).encode()),
    "yes and no": Case(table(["yes" if k % 3 else "no" for k in range(N)]).encode()),
    "dates": Case(
        table([f"2026-01-{1 + k % 28:02d}" for k in range(N)]).encode(),
        said="column 'a' is read as a date: day of year, day of month, day of week",
    ),
    "times": Case(
        table([f"12:{k:02d}:00" for k in range(N)]).encode(),
        said="column 'a' is read as a time: hour",
    ),
    "a date as the target": Case(
        table(header=("a", "b", "y"))
        .replace("yes", "2026-01-01")
        .replace("no", "2026-01-02")
        .encode(),
        "the target 'y' holds dates or times",
    ),
    "ids": Case(table([f"user{k}" for k in range(N)]).encode(), said="'a' may only name the rows"),
    "one word among numbers": Case(
        table(replaced(NUMBERS, 5, "oops")).encode(),
        "column 'a' holds numbers in 39 rows and words in 1: 'oops' (1); read the words of "
        "messy.csv as missing values (--missing oops)",
    ),
    "one word among numbers that is missing": Case(
        table(replaced(NUMBERS, 5, "oops")).encode(), options=("--missing", "oops")
    ),
    "a word among ratings": Case(
        table(replaced([k % 5 for k in range(N)], 5, "none yet")).encode(),
        said="column 'a' holds numbers in 39 rows and words in 1: 'none yet' (1); pass --missing "
        "'none yet' to take it for numbers",
    ),
    "more texts than categories": Case(
        ("a,b,y\n" + "".join(f"name {k},1,{k % 2}\n" for k in range(1500))).encode(),
        "column 'a' of messy.csv has 1,500 different texts in 1,500 rows",
    ),
    "many categories that were named": Case(
        ("a,b,y\n" + "".join(f"name {k},1,{k % 2}\n" for k in range(1500))).encode(),
        fit_options=("--categorical", "a"),
    ),
    # Shapes.
    "an empty file": Case(b"", "messy.csv is empty; pass a file with rows"),
    "blank lines alone": Case(b"\n \n\n", "messy.csv is empty"),
    "a header alone": Case(b"a,b,y\n", "messy.csv has no rows; pass a file with some"),
    "one row": Case(b"a,b,y\n1,2,yes\n", said="one row is too few to estimate"),
    "two rows": Case(b"a,b,y\n1,2,yes\n3,4,no\n"),
    "one column": Case(b"y\nyes\nno\n", "no column of messy.csv is left as a feature"),
    "a class with one row": Case(table(NUMBERS, [1] * N, replaced(LABELS, 3, "rare")).encode()),
    "an empty column": Case(table([""] * N).encode()),
    "empty fields": Case(table(replaced(NUMBERS, 5, "")).encode()),
    "a target with a gap": Case(
        table(NUMBERS, NUMBERS, replaced(LABELS, 5, "")).encode(),
        "the target 'y' is missing in 1 of 40 rows; remove these rows",
    ),
    "a target of one class": Case(table(NUMBERS, NUMBERS, ["yes"] * N).encode()),
    "a row too short": Case(
        table(NUMBERS, NUMBERS, replaced(LABELS, 5, "no\n1,2")).encode(),
        "row 8 of messy.csv has 2 fields, but the first has 3",
    ),
    "a row too long": Case(
        table(NUMBERS, NUMBERS, replaced(LABELS, 5, "no,3")).encode(),
        "row 7 of messy.csv has 4 fields, but the first has 3",
    ),
    "a very long first field": Case(
        table(NUMBERS, header=("a" * 140_000, "b", "y")).encode(), "more than 131,072 characters"
    ),
    "a very long value": Case(table(replaced(["x", "y"] * 20, 3, "z" * 200_000)).encode()),
    "a value longer than a block": Case(
        table(replaced(["x", "y"] * 20, 3, "z" * 9_000_000)).encode(), "longer than 4 MiB"
    ),
    "values near the limit of float32": Case(table([3.4e38] * N).encode()),
    "values beyond float32": Case(
        table(replaced(NUMBERS, 3, "1e300")).encode(), "is inf (in column 'a'); rescale"
    ),
    "binary": Case(bytes(range(256)) * 20, "has NUL bytes"),
}
