"""Numbers as people write them."""

from __future__ import annotations

import math
from collections.abc import Sequence


def write_number(value: float, digits: int = 4) -> str:
    """A number with some significant digits, and commas between thousands; no exponents.

    Whole digits are never cut off.

    >>> write_number(12345.678), write_number(0.00012346), write_number(2.0), write_number(-1e6)
    ('12,346', '0.0001235', '2', '-1,000,000')
    >>> write_number(1e-9), write_number(3e15), write_number(float("nan"))
    ('1e-09', '3e+15', 'missing')
    """
    if math.isnan(value):
        return "missing"
    size = abs(value)
    if size and not 1e-6 <= size < 1e12:
        return f"{value:.{digits}g}"
    before = math.floor(math.log10(size)) + 1 if size else 1
    text = f"{value:,.{max(0, digits - before)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def write_count(n: int, what: str) -> str:
    """A number of things, in the plural where they are several.

    >>> write_count(1, "row"), write_count(1500, "row"), write_count(2, "class")
    ('1 row', '1,500 rows', '2 classes')
    """
    ending = "" if n == 1 else "es" if what.endswith("s") else "s"
    return f"{n:,} {what}{ending}"


def write_alike(values: Sequence[float], digits: int = 4) -> list[str]:
    """Numbers with as many decimals each, so that the largest has some significant digits.

    >>> write_alike([0.96, 0.915, 1.0]), write_alike([0.0123, 0.5]), write_alike([53712.4, 0.25])
    (['0.960', '0.915', '1.000'], ['0.0123', '0.5000'], ['53,712', '0'])
    >>> write_alike([2e-7, 1e-7]), write_alike([-1e-9, 0.5]), write_alike([-0.0])
    (['2e-07', '1e-07'], ['0.0000', '0.5000'], ['0.000'])
    """
    top = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if top and not 1e-4 <= top < 1e12:
        return [write_number(value, digits) for value in values]
    before = max(0, math.floor(math.log10(top)) + 1) if top else 1
    decimals = max(0, digits - before)
    # Zero without a sign, also where rounding makes it so.
    rounded = [round(value, decimals) + 0.0 for value in values]
    return ["missing" if math.isnan(value) else f"{value:,.{decimals}f}" for value in rounded]
