"""What campaigns have found, each made as small as it gets: these cases stay mended."""

import json

import pytest

from fuzz.files import model_bytes
from fuzz.mutations import archive_of, members_of
from kernelect.exceptions import UnusableModel
from kernelect.tabular import load_model


def test_a_model_file_with_a_document_where_a_class_name_stands_is_refused_in_one_short_sentence(tmp_path):
    members = members_of(model_bytes(0))
    description = json.loads(members["schema.json"])
    description["__class__"] = {"content": ["x" * 5000]}
    members["schema.json"] = json.dumps(description).encode()
    (tmp_path / "m.skops").write_bytes(archive_of(members))
    with pytest.raises(UnusableModel, match="asks for types that do not belong to a model") as refused:
        load_model(tmp_path / "m.skops")
    assert len(str(refused.value)) < 500
