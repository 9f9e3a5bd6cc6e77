"""What a job's log holds, ended well or not."""

import sys

import pytest

from adaptive_sampling.errors import InputError
from adaptive_sampling.logs import COST, logged


def test_the_log_of_a_job_ends_with_its_processor_time(tmp_path):
    with logged(tmp_path / "job.log"):
        sys.stdout.write("a line\n")
        sum(range(20_000_000))
    first, last = (tmp_path / "job.log").read_text("utf-8").splitlines()
    assert first == "a line"
    assert last.startswith(COST)
    assert float(last.removeprefix(COST)) > 0.1


def test_bad_input_is_one_sentence_and_nothing_else(tmp_path):
    with pytest.raises(SystemExit) as end, logged(tmp_path / "job.log"):
        raise InputError("key K: found 7")
    assert end.value.code == 1
    assert (tmp_path / "job.log").read_text("utf-8") == "key K: found 7\n"
