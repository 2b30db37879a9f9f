"""What is chosen about a table: how it is looked at, and which options of a command it becomes."""

import numpy as np
import pandas as pd
import pytest

from app.test_pages import CSV, table_of
from kernelect.app.looking import look_at
from kernelect.app.settings import ROLES, Settings, settings_from
from kernelect.app.wording import facts_in_page_words, in_page_words
from kernelect.cli._guard import columns as column_options
from kernelect.exceptions import KernelectError


def test_roles_change_what_is_found(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(CSV)
    roles = {"place": "leave out", "a": "category", "name": "names rows"}
    found = {one["name"]: one["found"] for one in look_at(path, Settings(target="y", roles=roles))["columns"]}
    assert found == {"a": "category", "place": "unused", "name": "names rows", "y": "target"}
    assert {one["found"] for one in look_at(path, Settings())["columns"]} == {"number", "category", "unused"}
    shown = {one["name"]: one["words"] for one in look_at(path, Settings(target="a"))["columns"]}
    ends = pd.read_csv(path)["a"]
    assert shown["a"] == f"{ends.min():g} to {ends.max():g}".replace("-", "\N{MINUS SIGN}")
    for one in look_at(path, Settings())["columns"]:
        assert max(one["bars"]) == 1.0
    with pytest.raises(KernelectError, match="no column 'z'"):
        look_at(path, Settings(target="z"))


#: Role -> what a column of 0 and 1 among dates, texts and numbers is found as with it.
FOUND_AS = {**{role: role for role in ROLES}, "use": "number", "leave out": "unused", "date": ""}


@pytest.mark.parametrize("role", ROLES)
def test_every_column_can_have_every_role_or_gets_a_sentence(tmp_path, role):
    path, frame = tmp_path / "table.csv", table_of()
    frame.assign(day=pd.date_range("2024-01-01", periods=60).astype(str), bit=np.arange(60) % 2).to_csv(
        path, index=False
    )
    for target in ("y", "a"):
        for column in {"a", "place", "name", "day", "bit", "y"} - {target}:
            settings = Settings(target=target, roles={column: role})
            refused = None
            try:
                found = {one["name"]: one["found"] for one in look_at(path, settings)["columns"]}
            except KernelectError as error:
                refused = str(error)
            if refused is not None:
                assert column in refused or target in refused
                assert column != "bit" or role in ("date", "event")
                continue
            if column == "bit":
                assert found["bit"] == FOUND_AS[role]
            if role in ("leave out", "names rows", "group", "time", "weight", "date", "category"):
                assert found[column] == {"leave out": "unused"}.get(role, role)


def test_every_role_is_an_option_of_fit_and_a_word_of_the_page():
    options = {spelling for parameter in column_options(lambda: None).__click_params__ for spelling in parameter.opts}
    assert {option for option, _ in ROLES.values()} <= options
    assert in_page_words("say so with --categorical 'a,b'.") == "say so with the role “category” for 'a,b'."
    assert in_page_words("keep it with --keep or --id") == "keep it with the role “use” or the role “names rows”"
    wanted = "leave the option out, or give their form under “Forms of dates” ('n=%d.%m.%Y')"
    assert in_page_words("leave the option out, or give their form (--date 'n=%d.%m.%Y')") == wanted
    assert in_page_words("--time-limit, --time 'seit'") == "“Seconds at most”, the role “time” for 'seit'"
    assert facts_in_page_words({"doubts": ["--drop 'a,b'", 1.0]}) == {"doubts": ["the role “leave out” for 'a,b'", 1.0]}
    names = {"columns": ["--time", "--drop"], "doubts": ["Column '--time' is read as dates."]}
    assert facts_in_page_words(names) == names  # columns of the table may be called like options
    lists = {"costs": ("yes:no=5",), "missing_codes": ("a=99",)}
    settings = Settings(table="t.csv", target="y", time_limit=60, roles={"-a b": "group"}, ordered="no<yes", **lists)
    words = ["fit", "t.csv", "--target=y", "--ordered=no<yes", "--time-limit=60"]
    assert settings.command() == [*words, "--cost=yes:no=5", "--missing-code=a=99", "--group=-a b"]


def test_events_and_orders_are_looked_at_as_they_are_fitted(tmp_path):
    path, frame = tmp_path / "table.csv", table_of()
    frame.assign(days=np.arange(1, 61) * 1.5, status=np.arange(60) % 2).to_csv(path, index=False)
    remarks = look_at(path, Settings(target="days"))["remarks"]
    assert any("use the role “event” for 'status'" in remark for remark in remarks)
    found = look_at(path, Settings(target="days", roles={"status": "event"}))
    assert (found["task"], {one["name"]: one["found"] for one in found["columns"]}["status"]) == ("survival", "event")
    found = look_at(path, Settings(target="y", ordered="yes<no"))
    assert (found["task"], found["classes"]) == ("ordered classification", ["yes", "no"])
    found = look_at(path, Settings(target="y", missing_codes=("place=x",)))
    assert {one["name"]: one["missing"] for one in found["columns"]}["place"] == (frame["place"] == "x").mean()


def test_dates_have_a_form_and_are_kept(tmp_path):
    path = tmp_path / "table.csv"
    days = pd.date_range("2024-01-01", periods=60)
    frame = table_of().assign(seen=days.strftime("%Y week %W day %w"), day=days.strftime("%d.%m.%Y"))
    frame.to_csv(path, index=False)
    found = {one["name"]: one["found"] for one in look_at(path, Settings(target="y"))["columns"]}
    assert (found["seen"], found["day"]) == ("unused", "unused")
    form = "seen=%Y week %W day %w"
    for dates in ((), ("day=%d.%m.%Y",)):
        settings = Settings(table="t.csv", target="y", dates=(form, *dates), roles={"day": "date", "seen": "date"})
        columns = {one["name"]: one for one in look_at(path, settings)["columns"]}
        for name in ("seen", "day"):
            assert (columns[name]["found"], columns[name]["words"]) == ("date", "2024-01-01 to 2024-02-29")
        said = [word.partition("=")[2] for word in settings.command() if word.startswith("--date")]
        assert sorted(said) == sorted([form, *(dates or ["day"])])
        assert {"--keep=day", "--keep=seen"} <= set(settings.command())


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"table": "/etc/passwd"}, "no setting 'table'"),
        ({"task": "magic"}, "task is 'magic'"),
        ({"target": 3}, "target is 3"),
        ({"time_limit": -1}, "time_limit is -1"),
        ({"costs": "a"}, "costs is 'a'"),
        ({"missing_codes": [9]}, "missing_codes is .9.: give a list such as .'age=99'"),
        ({"roles": {"a": "--engine"}}, "A role is none of"),
        ({"roles": {"a": "group", "b": "group"}}, "One column can be the group"),
    ],
)
def test_settings_that_make_no_sense_are_refused(given, words):
    with pytest.raises(KernelectError, match=words):
        settings_from(given, "t.csv")
