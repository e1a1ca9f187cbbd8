"""Docstrings: the description for the model, and what is said about each parameter."""

from longrein.tools.docstring import read_docstring


def test_a_google_section_gives_descriptions_of_parameters() -> None:
    docs = read_docstring(
        """Move a file.

        It keeps the mode.

        Args:
            source (str): Where it is,
                in full.
            target: Where it goes: a path.

        Returns:
            What happened.
        """
    )
    assert docs.parameters == {
        "source": "Where it is, in full.",
        "target": "Where it goes: a path.",
    }
    assert docs.description == "Move a file.\n\nIt keeps the mode.\n\nReturns:\n    What happened."


def test_sphinx_fields_give_descriptions_of_parameters() -> None:
    docs = read_docstring(
        """Move a file.

        :param source: Where it is,
            in full.
        :param str target: Where it goes.
        :type source: str
        """
    )
    assert docs.parameters == {"source": "Where it is, in full.", "target": "Where it goes."}
    assert docs.description == "Move a file."


def test_no_docstring_says_nothing() -> None:
    assert read_docstring("") == ("", {})
