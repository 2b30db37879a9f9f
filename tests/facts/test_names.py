from types import SimpleNamespace

import pytest

from kernelect.facts.names import parameter_kind, selection_words, short_name, told_apart, with_input_names


def test_names_are_cut_in_the_middle_and_cleaned():
    assert short_name("a\nb\x00") == "a b�"
    assert short_name("x" * 30 + "end", 12) == "xxxxxxx…xend"


@pytest.mark.parametrize(
    ("words", "spelled"),
    [
        ("gamma[1]", "gamma of b"),
        ("part2.gamma[0]", "part2.gamma of a"),
        ("gamma[2]", "gamma[2]"),  # there is no such input
        ("C", "C"),
        ("at the bound of the search: gamma[0], C, gamma[1]", "at the bound of the search: gamma of a, C, gamma of b"),
    ],
)
def test_widths_are_called_by_the_name_of_their_input(words, spelled):
    assert with_input_names(words, ["a", "b"]) == spelled


def test_kinds_of_parameters():
    assert [parameter_kind(name) for name in ("gamma[3]", "part1.gamma[0]", "gamma", "part0.amplitude", "C")] == [
        "width",
        "width",
        "gamma",
        "amplitude",
        "C",
    ]


def test_names_that_occur_twice_are_told_apart():
    assert told_apart(["a", "b", "a"]) == ["a", "b", "a (2)"]


def test_what_was_minimised():
    assert selection_words(SimpleNamespace(criterion="press", prior="none")) == "press"
    assert selection_words(SimpleNamespace(criterion="press", prior="shrinkage")) == "press with shrinkage prior"
