"""What the evaluator types that look for texts in the answer have in common."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import Field

from agentevals.graders.assertions import Assertion

Text = Annotated[str, Field(min_length=1)]


class OneText(Assertion):
    """Is about one text, after which it is called where nobody gave it a name."""

    value: Text = Field(description="The text")

    # how many characters of the text belong to the name; None is all of them
    in_name: ClassVar[int | None] = None

    @classmethod
    def usual_name(cls, settings: Mapping[str, Any]) -> str:
        usual = super().usual_name(settings)
        value = settings.get("value")
        return f"{usual}-{value[: cls.in_name]}" if isinstance(value, str) else usual


class SomeTexts(Assertion):
    """Is about several texts, and is called after their number."""

    value: tuple[Text, ...] = Field(min_length=1, description="The texts")

    @classmethod
    def usual_name(cls, settings: Mapping[str, Any]) -> str:
        usual = super().usual_name(settings)
        value = settings.get("value")
        return f"{usual}-{len(value)}" if isinstance(value, list) else usual


def listed(texts: Sequence[str]) -> str:
    """Texts as a sentence names them."""
    return ", ".join(f'"{text}"' for text in texts)
