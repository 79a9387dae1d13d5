"""Numbers as people write them."""

from __future__ import annotations

import math


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
