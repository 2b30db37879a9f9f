import numpy as np
import pytest

from kernelect import KernelRegressor
from kernelect.export import onnx_inputs, to_c, to_onnx
from kernelect.export.evaluate import coded_rows, evaluate
from kernelect.export.inputs import warped
from kernelect.export.models import program_of
from kernelect.model import BoxPart
from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table
from oracles.compiled import compiler, run_c
from oracles.exported import answers, mixture, new_rows, table

runtime = pytest.importorskip("onnxruntime")


def rows_of(program):
    frame, plain = new_rows()
    names = [column.name for column in program.columns]
    return frame, coded_rows(program, plain[names].to_numpy(dtype=object).tolist())


@pytest.mark.parametrize("labels", [True, False])
def test_a_mixture_takes_the_cells_of_a_table(labels):
    fitted = mixture(labels)
    program = program_of(fitted)
    frame, coded = rows_of(program)
    np.testing.assert_allclose(evaluate(program, coded)[-1], answers(fitted, frame), rtol=1e-9, atol=1e-9)
    kinds = {column.name: column.kind for column in program.columns}
    assert kinds == {"year": "number", "price": "number", "colour": "category", "day": "date", "grade": "category"}


def test_limits_of_members_are_inside():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 2))
    y = np.column_stack([X[:, 0] ** 2, 5.0 - np.sin(2.0 * X[:, 1])])  # no straight line goes beyond the limits
    model = KernelRegressor("balanced", target="identity").fit(X, y)
    rows = np.vstack([X[:5], [[1e3, 0.0], [0.0, -1e3], [1e4, 1e4]]])
    found = evaluate(program_of(model), rows)[-1]
    np.testing.assert_allclose(found, model.predict(rows), rtol=1e-9, atol=1e-9)
    assert np.abs(found).max() < 30.0


def test_inputs_are_coded_and_warped_as_in_python():
    fitted = mixture(True)
    program = program_of(fitted)
    frame, coded = rows_of(program)
    names = fitted.coding.names
    assert "day (season, April)" in names
    assert "day (weekday)" in names
    assert "price is missing" in names
    expected = fitted.model_.inputs(frame)
    warp = next(each.view.warp for each in fitted.model_.components if each.view.warp is not None)
    both = evaluate(program.with_outputs([program.inputs]), coded)[-1]
    np.testing.assert_allclose(both, expected, atol=1e-12)
    bent = warped(warp, program.inputs)
    far = np.vstack([coded, coded[:1] + 1e4])  # beyond the last knots
    found = evaluate(program.with_outputs([bent]), far)[-1]
    np.testing.assert_allclose(found[:-1], warp(expected), atol=1e-10)
    assert np.abs(found[-1]).max() < 10.0


@pytest.mark.skipif(compiler() is None, reason="there is no gcc")
@pytest.mark.parametrize(("real", "tolerance"), [("double", 1e-9), ("float", 1e-4)])
def test_in_c(real, tolerance, tmp_path):
    frame, coded = rows_of(program_of(mixture(True)))
    found = run_c(to_c(mixture(True), real=real), coded, tmp_path, real)
    np.testing.assert_allclose(found, answers(mixture(True), frame), atol=tolerance)


@pytest.mark.parametrize(("real", "tolerance"), [("double", 1e-9), ("float32", 1e-4)])
def test_in_onnx(real, tolerance):
    frame, plain = new_rows()
    written = to_onnx(mixture(False), real=real)
    session = runtime.InferenceSession(written.SerializeToString(), providers=["CPUExecutionProvider"])
    used = {name for node in written.graph.node for name in node.input}
    assert {one.name for one in written.graph.initializer} <= used
    (found,) = session.run(None, onnx_inputs(written, plain.assign(day=frame["day"])))
    np.testing.assert_allclose(found, answers(mixture(False), frame), rtol=tolerance, atol=tolerance)


def test_a_table_model_of_a_mixture():
    frame, labels, _ = table()
    schema, rows, _ = describe_table(frame.assign(target=labels), "target", keep=["day"])
    fitted = fit_table(rows, schema, MachineOptions(effort="fast"), FoldOptions(folds=0))
    program = program_of(fitted)
    assert {column.name: column.kind for column in program.columns}["day"] == "date"
    cells = schema.inputs(new_rows()[0])
    coded = coded_rows(program, cells[[column.name for column in program.columns]].to_numpy(dtype=object).tolist())
    np.testing.assert_allclose(evaluate(program, coded)[-1], fitted.predict_proba(cells), atol=1e-9)
    assert "probabilities of the classes" in to_c(fitted)


def test_members_share_their_vectors():
    fitted = mixture(True)
    components = fitted.model_.components
    n, d = components[0].kernel_part.vectors.shape
    views = len({member.candidate.view for member in fitted.members})
    latent = sum(member.candidate.machine == "gp" for member in fitted.members)
    warp = next(each.view.warp for each in components if each.view.warp is not None)
    knots = 3 * sum(len(each) for each in warp.knots)
    trees = sum(each.parts[0].trees.feature.size * 4 for each in components if isinstance(each.parts[0], BoxPart))
    shared = views * n * d + latent * n * n + len(components) * (n + d + 50) + 2 * knots
    assert program_of(fitted).count() < shared + trees


def test_rows_to_try_are_made_up_or_given_with_dates_and_categories():
    assert "a date in days since 1970-01-01" in to_c(mixture(False))
    assert "expected[3][1]" in to_c(mixture(False), rows=table()[0][:3])
