import pytest

from oracles import hostile


@pytest.fixture(scope="session")
def hostile_table():
    return hostile.hostile_table()


@pytest.fixture(scope="session")
def hostile_facts():
    return hostile.hostile_facts()
