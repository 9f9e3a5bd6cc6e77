"""Tables are written whole and checked when read."""

import pandas as pd
import pytest

from adaptive_sampling.errors import InputError
from adaptive_sampling.tables import read_table, write_table, written_whole

COLUMNS = {"name": "text", "n": "integer", "x": "number", "maybe": "integer?", "yes": "flag"}
GOOD = "name,n,x,maybe,yes\na,1,0.5,,True\nb,2,1e-05,7,False\n"


def test_written_tables_come_back(tmp_path):
    table = pd.DataFrame(
        {
            "name": ["a", "é"],
            "n": [1, 2],
            "x": [1 / 3, 1e-5],
            "maybe": pd.array([None, 7], "Int64"),
            "yes": [True, False],
        }
    )
    write_table(table, tmp_path / "new" / "t.csv")
    assert (
        (tmp_path / "new" / "t.csv").read_bytes().startswith(b"name,n,x,maybe,yes\na,1,0.3333333333,,True\n")
    )
    back = read_table(tmp_path / "new" / "t.csv", COLUMNS, rows=2)
    assert back["name"].tolist() == ["a", "é"]
    assert back["x"].tolist() == [0.3333333333, 1e-5]
    assert back["maybe"].isna().tolist() == [True, False]
    assert back["yes"].tolist() == [True, False]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD.replace("name,n", "name,m"), "columns are name,m,x,maybe,yes, expected name,n,x,maybe,yes"),
        (GOOD.replace("b,2,", "b,2.5,"), "column n, row 3: found '2.5', expected integer"),
        (GOOD.replace("1e-05", "one"), "column x, row 3: found 'one', expected number"),
        (GOOD.replace("a,1,", "a,,"), "column n, row 2: empty, expected integer"),
        (GOOD.replace("False", "no"), "column yes, row 3: found 'no', expected flag"),
        (GOOD.rpartition("b,2")[0], "1 rows, expected 2: the file is cut short or mixed up"),
        (GOOD + "c,1,2,3,True,9\n", "row 4: 6 cells, expected 5"),
        ("", "not a readable CSV table"),
    ],
)
def test_a_table_off_its_contract_is_refused(tmp_path, text, message):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_table(path, COLUMNS, rows=2)
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


def test_a_missing_table_is_named(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_table(tmp_path / "none.csv", COLUMNS)


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("old")

    def fail_half_way():
        with written_whole(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_half_way()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
