from kernelect.report.listing import tables_of


def tables(facts):
    return {table["key"]: table for table in tables_of(facts)}


def test_every_table_that_the_facts_fill_is_there(hostile_facts):
    found = tables(hostile_facts)
    assert list(found) == ["scores", "parameters", "relevance", "confusion", "worst", "stages", "setting"]
    for table in found.values():
        assert {len(row) for row in table["rows"]} == {len(table["columns"])}


def test_words_are_those_of_the_facts(hostile_facts):
    found = tables(hostile_facts)
    shares = hostile_facts["relevance"]["shares"]
    assert [row[:2] for row in found["relevance"]["rows"]] == [[one["name"], one["words"]] for one in shares]
    held_out = [{"name": shares[0]["name"], "rise": 0.1, "standard_error": 0.01, "words": "0.100 ± 0.010"}]
    beside = tables(hostile_facts | {"relevance": hostile_facts["relevance"] | {"held_out": held_out}})["relevance"]
    assert beside["rows"][0][:3] == [shares[0]["name"], "0.100 ± 0.010", shares[0]["words"]]
    score = hostile_facts["quality"]["estimates"][0]["scores"][0]
    assert found["scores"]["columns"][:2] == ["measured by", hostile_facts["quality"]["estimates"][0]["name"]]
    assert found["scores"]["rows"][0][:2] == [score["name"], score["words"]]
    parameters = hostile_facts["machine"]["parameters"]
    assert [row[:2] for row in found["parameters"]["rows"]] == [[one["name"], one["words"]] for one in parameters]


def test_inputs_of_a_column_are_listed_where_there_are_several(hostile_facts):
    rows = {row[0]: row[2] for row in tables(hostile_facts)["relevance"]["rows"]}
    assert "名前 = a & b: " in rows["名前"]
    assert rows["=1+1"] == ""
    alone = [{**one, "inputs": []} for one in hostile_facts["relevance"]["shares"]]
    plain = hostile_facts | {"relevance": hostile_facts["relevance"] | {"shares": alone}}
    assert tables(plain)["relevance"]["columns"] == ["column", "share inside the model"]


def test_what_is_not_listed_is_counted(hostile_facts):
    machine = hostile_facts["machine"] | {"parameters_not_listed": 280, "vectors": 25}
    functions = [{"name": f"f{j}", "coefficient": 1.0} for j in range(20)]
    shares = hostile_facts["relevance"]["shares"] * 10
    relevance = {"columns": 60, "carrying": 1, "shares": shares}
    found = tables(hostile_facts | {"machine": machine, "functions": functions, "relevance": relevance})
    assert found["parameters"]["note"].endswith("Not listed: 280 further widths of less relevant inputs.")
    assert found["functions"]["note"] == "Not listed: 5 further functions with smaller coefficients."
    assert found["relevance"]["note"] == "Not listed: 30 further columns with smaller shares."


def test_rows_of_the_confusion_say_how_many_of_a_class_are_found(hostile_facts):
    record = next(one["record"] for one in hostile_facts["pictures"] if one["kind"] == "confusion")
    for place, row in enumerate(tables(hostile_facts)["confusion"]["rows"]):
        counts = record["counts"][place]
        assert row[-1] == f"{100 * counts[place] / sum(counts):.1f} %"


def test_candidates_of_a_mixture_are_listed_with_what_the_best_would_lose(hostile_facts):
    one = {"name": "gp, ard, warped", "weight_words": "100.0 %", "words": "0.31 ± 0.02", "seconds": 3.0, "status": "s"}
    loss = {"sentence": "Alone it would lose 0.01."}
    mixture = {"score": "log-loss", "candidates": [one], "loss": loss}
    table = tables(hostile_facts | {"mixture": mixture})["candidates"]
    assert table["columns"][2] == "leave-one-out log-loss"
    assert table["rows"] == [["gp, ard, warped", "100.0 %", "0.31 ± 0.02", "3.0 s", "s"]]
    assert table["note"] == "Alone it would lose 0.01."
