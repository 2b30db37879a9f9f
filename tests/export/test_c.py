import re
from shutil import which

import numpy as np
import pytest

from kernelect import GPC, LSSVC, LSSVR
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.export import to_c
from kernelect.export.evaluate import coded_rows
from kernelect.export.models import program_of
from kernelect.kernels import RBF, Linear, Polynomial
from oracles.compiled import STRICT, checked, compiler, run_c, run_own_test, run_under_valgrind
from oracles.exported import HOSTILE, answers, hostile_pipeline, model, rows_for

needs_compiler = pytest.mark.skipif(compiler() is None, reason="there is no gcc")

#: Models whose operations cover all that there are.
COVERING = [
    "LSSVC, two classes",
    "LSSVR, two targets",
    "GPC, three classes",
    "GPC, hinge",
    "RVC",
    "BasisSearchRegressor",
]

#: An input, and the side on which it lies far.
SIDES = [(0, 1.0), (0, -1.0), (2, 1.0)]


@needs_compiler
@pytest.mark.parametrize("name", COVERING)
def test_double_equals_python(name, tmp_path):
    rows, expected = rows_for(name), answers(model(name), rows_for(name))
    found = run_c(to_c(model(name)), rows, tmp_path)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@needs_compiler
@pytest.mark.parametrize("name", ["LSSVC, two classes", "GPC, hinge", "RVC", "BasisSearchRegressor"])
def test_float_has_four_digits(name, tmp_path):
    rows, expected = rows_for(name), answers(model(name), rows_for(name))
    found = run_c(to_c(model(name), real="float"), rows, tmp_path, "float")
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@needs_compiler
@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize(
    "machine",
    [GPC(Linear()), LSSVC(Linear(), regularization=0.1), LSSVC(Polynomial(3, 0.1, 1.0), regularization=0.1)],
    ids=["GPC linear", "LSSVC linear", "LSSVC polynomial"],
)
def test_cells_far_beyond_all_rows_have_the_probabilities_of_python(machine, real, tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 3))
    fitted = machine.fit(X, np.sin(X[:, 0]) + X[:, 1] > 0.0)
    far = np.array([np.where(np.arange(3) == j, sign * 10.0**e, X[0]) for e in (6, 15, 20, 99) for j, sign in SIDES])
    found = run_c(to_c(fitted, real=real), far, tmp_path, real)
    np.testing.assert_allclose(found, fitted.predict_proba(far), atol={"double": 1e-9, "float": 1e-4}[real])


@needs_compiler
def test_hostile_names_missing_cells_and_unseen_levels(tmp_path):
    pipeline, rows = hostile_pipeline()
    program = program_of(pipeline)
    coded = coded_rows(program, rows.to_numpy(dtype=object).tolist())
    assert np.isnan(coded).any()
    assert np.any(coded == -1.0)
    for real, tolerance in (("double", 1e-9), ("float", 1e-4)):
        header = to_c(pipeline, real=real)
        assert header.isascii()
        np.testing.assert_allclose(run_c(header, coded, tmp_path, real), answers(pipeline, rows), atol=tolerance)


@needs_compiler
@pytest.mark.skipif(which("valgrind") is None, reason="there is no valgrind; the sanitizers run all the same")
@pytest.mark.parametrize("real", ["double", "float"])
def test_valgrind_finds_nothing(real, tmp_path):
    pipeline, rows = hostile_pipeline()
    coded = coded_rows(program_of(pipeline), rows.to_numpy(dtype=object).tolist())
    found = run_under_valgrind(to_c(pipeline, real=real), coded, tmp_path, real)
    np.testing.assert_allclose(found, answers(pipeline, rows), atol=1e-9 if real == "double" else 1e-4)


@needs_compiler
def test_levels_columns_and_classes_are_found_by_their_names(tmp_path):
    pipeline, _ = hostile_pipeline()
    header = to_c(pipeline, name="m7")
    column = program_of(pipeline).columns[2]
    texts = [*column.levels, "never seen"]
    asked = "\n".join(f'  printf("%d ", m7_level(2, {_literal(text)}));' for text in texts)
    named = "puts(m7_output(0)); puts(m7_column(2)); return 0;"
    program = f"#include <stdio.h>\nint main(void) {{\n{asked}\n{named}\n}}\n"
    (tmp_path / "model.h").write_text(header + program)
    checked(["gcc", *STRICT, "-x", "c", str(tmp_path / "model.h"), "-o", str(tmp_path / "main"), "-lm"])
    first, second, _ = checked([str(tmp_path / "main")]).split("\n")
    assert first.split() == [*map(str, range(len(column.levels))), "-1", "</script>"]
    assert second == HOSTILE[2]


def _literal(text):
    return '"' + "".join(f"\\{octet:03o}" for octet in text.encode()) + '"'


@needs_compiler
@pytest.mark.parametrize("real", ["double", "float"])
def test_the_test_inside_the_header(real, tmp_path):
    said = run_own_test(to_c(hostile_pipeline()[0], real=real, name="hostile"), tmp_path, "hostile")
    assert re.match(r"8 rows, largest difference [0-9.e-]+\n", said)


@needs_compiler
def test_the_test_inside_the_header_fails_where_a_number_is_wrong(tmp_path):
    header = to_c(model("LSSVC"))
    expected = re.search(r"expected\[8\]\[3\] = \{\n    \{([0-9.e-]+)", header)
    broken = header.replace(expected[1], "0.123", 1)
    with pytest.raises(AssertionError, match="largest difference"):
        run_own_test(broken, tmp_path)


@needs_compiler
def test_given_rows_are_the_test(tmp_path):
    rows = rows_for("LSSVR")[:3]
    assert run_own_test(to_c(model("LSSVR"), rows=rows), tmp_path).startswith("3 rows")


@needs_compiler
@pytest.mark.parametrize(("bits", "most"), [(16, 1e-3), (8, 0.2)])
def test_whole_numbers_and_the_error_that_they_make(bits, most, tmp_path):
    header, rows = to_c(model("SVC, plain"), bits=bits), rows_for("SVC, plain")
    assert f"static const int{bits}_t" in header
    told = float(re.search(rf"of {bits} bits, which moves probabilities by ([0-9.e-]+)\.", header)[1])
    error = np.abs(run_c(header, rows, tmp_path) - answers(model("SVC, plain"), rows)).max()
    assert 1e-9 < told < most
    assert error < 3.0 * told


def test_large_coefficients_are_kept_in_double():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    fitted = LSSVC(RBF(0.1), regularization=1e-9).fit(X, rng.integers(2, size=40))
    assert "In single precision the results would move by" in to_c(fitted, real="float")
    assert "In single precision" not in to_c(model("SVC, plain"), real="float")


@needs_compiler
@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_numbers_in_any_unit_have_four_digits_in_single_precision(unit, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    fitted = LSSVR(RBF(0.1), regularization=1e-9).fit(X, unit * rng.normal(size=40))
    header = to_c(fitted, real="float")
    assert "In single precision the results would move by" in header
    expected = answers(fitted, X)
    found = run_c(header, X, tmp_path, "float")
    np.testing.assert_allclose(found, expected, atol=1e-4 * np.abs(expected).max())
    assert float(re.search(r"worst <= ([0-9.e+-]+) ", header)[1]) < 0.1 * np.abs(expected).max()


def test_no_function_of_the_mathematical_library_but_exp():
    for name in COVERING:
        called = set(re.findall(r"(?<![\w.])([a-z]\w*)\(", to_c(model(name)).split("*/", 1)[1]))
        known = {each for each in called if each.startswith("model_")}
        assert called - known <= {"exp", "isnan", "printf", "for", "if", "while", "main"}


def test_bad_arguments():
    with pytest.raises(InvalidArgument, match="real='half' must be 'double' or 'float'"):
        to_c(model("LSSVR"), real="half")
    with pytest.raises(InvalidArgument, match="name='my model' must be a valid name in C"):
        to_c(model("LSSVR"), name="my model")
    with pytest.raises(InvalidArgument, match="bits=12 must be 16 or 8"):
        to_c(model("LSSVR"), bits=12)
    with pytest.raises(
        MissingCapability, match=r"The model holds \d+ numbers, more than max_numbers=50: reduce it with"
    ):
        to_c(model("LSSVR"), max_numbers=50)
    with pytest.raises(InvalidArgument, match=r"rows has shape \(3,\): give rows as the model takes them"):
        to_c(model("LSSVR"), rows=np.zeros(3))


def test_fewer_vectors_and_their_loss_in_the_header():
    header = to_c(model("LSSVR"), max_vectors=10)
    assert "10 of 40 vectors are kept: the leave-one-out unexplained variance is" in header
    assert len(header) < len(to_c(model("LSSVR")))
