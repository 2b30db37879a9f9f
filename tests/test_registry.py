"""Parts are declared once, and what is not declared is refused in words."""

import pytest

from kernelect.exceptions import InvalidArgument
from kernelect.registry import REGISTRIES, Registry


class Shape:
    pass


class Square(Shape):
    pass


class Circle(Shape):
    pass


@pytest.fixture
def shapes():
    registry = Registry("shape", Shape)
    registry.register(Square, "square")
    yield registry
    del REGISTRIES["shape"]


def test_a_name_stands_for_a_new_part(shapes):
    assert shapes.names == ("square",)
    assert isinstance(shapes.make("square"), Square)
    assert shapes.make("square") is not shapes.make("square")


def test_a_part_stands_for_itself(shapes):
    circle = Circle()
    assert shapes.resolve(circle) is circle


def test_an_unknown_name_is_answered_with_the_known_ones(shapes):
    with pytest.raises(InvalidArgument, match=r"shape='sqare' is not known. Did you mean 'square'\?"):
        shapes.resolve("sqare")


def test_a_name_cannot_be_taken_twice(shapes):
    shapes.register(Square, "square")  # the same declaration again changes nothing
    assert len(list(shapes)) == 1
    with pytest.raises(InvalidArgument, match="name='square' already stands for the shape Square"):
        shapes.register(Circle, "square")


def test_strangers_are_refused(shapes):
    with pytest.raises(InvalidArgument, match="must be a class derived from Shape"):
        shapes.register(int, "int")
