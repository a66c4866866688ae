"""What texts and numbers mean in JavaScript, where scores have to equal those computed in it."""

from decimal import ROUND_HALF_UP, Decimal

# white space and line ends as ECMAScript knows them; Python's `strip` takes others away
_SPACE = (
    "\t\n\x0b\x0c\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def trim(text: str) -> str:
    """`String.prototype.trim`."""
    return text.strip(_SPACE)


def to_fixed(number: float, digits: int) -> str:
    """`Number.prototype.toFixed`: a tie is rounded away from zero."""
    step = Decimal(1).scaleb(-digits)
    return str(Decimal(number).quantize(step, rounding=ROUND_HALF_UP))
