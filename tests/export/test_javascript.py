from shutil import which

import numpy as np
import pytest

from kernelect import LSSVR, KernelRegressor
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.explain import Explainer
from kernelect.export import reduce, to_c, to_javascript
from kernelect.export.javascript import _PIECES, _packed
from kernelect.export.models import program_of
from kernelect.kernels import ProductLaplace
from oracles.compiled import compiler, run_c
from oracles.exported import GAUSSIAN, MODELS, answers, hostile_pipeline, mixture, model, new_rows, rows_for, table
from oracles.scripts import run_script

needs_node = pytest.mark.skipif(which("node") is None, reason="there is no node")

_EXPLAIN = """
const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
let left = 1; // what is prepared in pieces is what explain() needs
while (model.prepare()) left += 1;
console.log(JSON.stringify(rows.map((row) => ({ why: model.explain(row), ...model.predict(row), left }))));
"""


@needs_node
@pytest.mark.parametrize("name", MODELS)
def test_every_estimator(name):
    rows, expected = rows_for(name), answers(model(name), rows_for(name))
    found = run_script(to_javascript(model(name)), rows.tolist())
    values = [each.get("values") or each["probabilities"] for each in found]
    np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-9)
    if hasattr(model(name), "classes_"):
        assert [each["label"] for each in found] == model(name).classes_[expected.argmax(axis=1)].tolist()
        decision = model(name).decision_function(rows).reshape(len(rows), -1)
        np.testing.assert_allclose([each["decision"] for each in found], decision, rtol=1e-7, atol=1e-7)


@needs_node
@pytest.mark.parametrize(
    "values",
    [
        np.linspace(0.1, 0.9, 50),
        np.arange(40.0),
        np.tile([0.1, -0.0, 0.0, np.nan, 1 / 3], 90),
        np.repeat(np.linspace(0.1, 0.9, 300), 9),
        np.array([1e300, 0.1] * 9),
    ],
)
def test_packed_numbers_keep_all_digits_in_little_room(values):
    source = f"{_PIECES['unpack']}\nconst model = {{ predict: () => Array.from({_packed(values)}, String) }};"
    (found,) = run_script(source, [[0.0]])
    back = np.array([float(each) for each in found])
    np.testing.assert_array_equal(back, values)
    few = len(np.unique(values)) < len(values) / 4 or np.array_equal(values, values.astype(np.float32))
    assert (len(_packed(values)) < 6 * len(values) + 60) == few


@needs_node
def test_hostile_names_missing_cells_and_unseen_levels():
    pipeline, rows = hostile_pipeline()
    source = to_javascript(pipeline)
    assert source.isascii()
    assert "</script" not in source
    found = run_script(source, rows.to_numpy(dtype=object).tolist())
    np.testing.assert_allclose([each["probabilities"] for each in found], answers(pipeline, rows), atol=1e-9)


@needs_node
def test_cells_of_a_form_are_texts():
    source, names = to_javascript(mixture(False)), [column.name for column in program_of(mixture(False)).columns]
    cells = plain(new_rows()[1][names])
    texts = [["" if cell is None or cell != cell else str(cell) for cell in row] for row in cells]
    grade = names.index("grade")
    numbers = [[int(cell) if j == grade else cell for j, cell in enumerate(row)] for row in cells]
    expected = run_script(source, cells)
    assert run_script(source, texts) == expected
    assert run_script(source, numbers) == expected


def explained(fitted, rows, background):
    """Return Shapley values (m, n_columns, k) by JavaScript, and the explanation by Python."""
    explainer = Explainer.of(fitted, background)
    found = run_script(to_javascript(fitted, explainer=explainer, packed=True), plain(rows), _EXPLAIN)
    return found, explainer.explain(rows)


def plain(rows):
    return rows.to_numpy(dtype=object).tolist() if hasattr(rows, "to_numpy") else rows.tolist()


@needs_node
@pytest.mark.parametrize(
    "name", ["LSSVC", "LSSVC, two classes", "LSSVR, two targets", "GPC", "SVC, ensemble", "RVC", "RVR"]
)
def test_reasons_are_those_of_python(name):
    rows = rows_for(name)
    found, expected = explained(model(name), rows, rows[::3])
    values = np.array([each["why"]["values"] for each in found]).reshape(expected.values.shape)
    np.testing.assert_allclose(values, expected.values, rtol=1e-9, atol=1e-11)
    bases = np.array([each["why"]["base"] for each in found]).reshape(expected.base_values.shape)
    np.testing.assert_allclose(bases, expected.base_values, rtol=1e-9, atol=1e-11)


@needs_node
def test_reasons_of_a_mixture_with_views_categories_and_missing_cells():
    fitted, X = mixture(True), table()[0]
    frame, cells = new_rows()
    explainer = Explainer.of(fitted, X.iloc[:30])
    names = [column.name for column in program_of(fitted).columns]
    rows = cells[names].to_numpy(dtype=object).tolist()
    found = run_script(to_javascript(fitted, explainer=explainer, packed=True), rows, _EXPLAIN)
    expected = explainer.explain(frame)
    values = np.array([each["why"]["values"] for each in found]).reshape(expected.values.shape)
    np.testing.assert_allclose(values, expected.values, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose([each["probabilities"] for each in found], answers(fitted, frame), atol=1e-9)
    assert found[0]["left"] == sum(len(part) for part in explainer.prepared)


@needs_node
@pytest.mark.parametrize("shape", [(60, 1), (1, 2)])
def test_one_warped_column_and_one_vector(shape, rng, tmp_path):
    X = np.exp(rng.normal(size=(60, shape[1])))
    if shape[0] == 1:
        fitted = reduce(LSSVR(GAUSSIAN, regularization=0.1).fit(X, X[:, 0]), 1).model
    else:
        fitted = KernelRegressor(effort="fast", random_state=0).fit(X, np.log(X[:, 0]))
    found = run_script(to_javascript(fitted), X.tolist())
    np.testing.assert_allclose([each["values"] for each in found], answers(fitted, X), rtol=1e-9, atol=1e-9)
    if compiler() is not None:
        np.testing.assert_allclose(run_c(to_c(fitted), X, tmp_path), answers(fitted, X), rtol=1e-9, atol=1e-9)


@needs_node
def test_many_players_need_no_more_nodes_than_in_python(rng):
    X = rng.normal(size=(25, 40))
    fitted = LSSVR(ProductLaplace(np.full(40, 0.01)), regularization=0.1).fit(X, X[:, 0])
    found, expected = explained(fitted, X[:3], X)
    values = np.array([each["why"]["values"] for each in found])[..., 0]
    np.testing.assert_allclose(values, expected.values, rtol=1e-9, atol=1e-12)


def test_reasons_without_a_form_are_refused():
    rows = rows_for("GPC, three classes")
    with pytest.raises(
        MissingCapability, match="Polynomials of degree 2 have no explanation in JavaScript: use kernelect"
    ):
        to_javascript(model("GPC, three classes"), explainer=Explainer.of(model("GPC, three classes"), rows))
    with pytest.raises(MissingCapability, match="Monomial functions have no explanation in JavaScript: use"):
        to_javascript(model("RVC, dictionary"), explainer=Explainer.of(model("RVC, dictionary"), rows))
    with pytest.raises(MissingCapability, match="must have an exact form and absent='marginals'"):
        to_javascript(model("LSSVC"), explainer=Explainer.of(model("LSSVC"), absent="neutral"))
    with pytest.raises(InvalidArgument, match="max_vectors=5 of a smaller one: reduce the model first"):
        to_javascript(model("LSSVC"), explainer=Explainer.of(model("LSSVC")), max_vectors=5)


def test_bad_names():
    with pytest.raises(InvalidArgument, match="name='1st' must be a valid name in JavaScript"):
        to_javascript(model("LSSVR"), name="1st")
