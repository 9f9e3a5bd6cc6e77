"""Files come from a mirror or from a real server on this machine, whole and checked, or not at all."""

import contextlib
import hashlib
import threading
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from adaptive_sampling.cases import read_cases
from adaptive_sampling.errors import InputError
from adaptive_sampling.recordings.fetch import (
    Patience,
    RecordedFile,
    case_files,
    fetch,
    fetch_all,
    files_of_folder,
    main,
    read_versions,
    sha256_of,
)

BODY = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(BODY).hexdigest()
QUICK = Patience(attempts=3, pause=0.01, silence=0.3)


class Server(ThreadingHTTPServer):
    """Answers each request by the next step of its script, the last one again and again."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.script, self.asked = ["whole"], []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/file.txt"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.asked.append(self.headers.get("Range"))
        step = server.script.pop(0) if len(server.script) > 1 else server.script[0]
        with contextlib.suppress(ConnectionError):
            getattr(self, step)()

    def log_message(self, *_):
        """Print nothing."""

    def head(self, status, length=None, **headers):
        self.send_response(status)
        if length is not None:
            self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def begins(self):
        return int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").removesuffix("-"))

    def whole(self):
        begin = self.begins()
        if begin:
            self.head(206, len(BODY) - begin, Content_Range=f"bytes {begin}-{len(BODY) - 1}/{len(BODY)}")
        else:
            self.head(200, len(BODY))
        self.wfile.write(BODY[begin:])

    def deaf_to_ranges(self):
        self.head(200, len(BODY))
        self.wfile.write(BODY)

    def cut(self):
        """Promise everything, send half of what is left, close."""
        begin = self.begins()
        left = BODY[begin:]
        self.head(
            206 if begin else 200, len(left), Content_Range=f"bytes {begin}-{len(BODY) - 1}/{len(BODY)}"
        )
        self.wfile.write(left[: len(left) // 2])

    def truncated(self):
        """Send half without ever having said how long it would be."""
        self.head(200)
        self.wfile.write(BODY[: len(BODY) // 2])

    def slow(self):
        """Send a little, then nothing for longer than anybody waits."""
        self.head(200, len(BODY))
        self.wfile.write(BODY[:70_000])
        self.wfile.flush()
        time.sleep(1)

    def trickle(self):
        """Send all, with pauses that are long but not too long."""
        self.head(200, len(BODY))
        for begin in range(0, len(BODY), len(BODY) // 4):
            self.wfile.write(BODY[begin : begin + len(BODY) // 4])
            self.wfile.flush()
            time.sleep(0.1)

    def wrong(self):
        self.head(200, len(BODY))
        self.wfile.write(BODY[::-1])

    def page(self):
        self.head(200, 12)
        self.wfile.write(b"<html></html"[:12])

    def endless(self):
        self.head(200)
        for _ in range(20):
            self.wfile.write(BODY)

    def missing(self):
        self.head(404, 0)

    def busy(self):
        self.head(503, 0)

    def no_more(self):
        self.head(416, 0)


@pytest.fixture
def server():
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def file(server):
    return RecordedFile("set/file.txt", "set", "1", server.url, "CC0", SHA256, len(BODY))


def left_behind(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("script", "resumed"),
    [
        (["whole"], [False]),
        (["busy", "whole"], [False, False]),
        (["cut", "whole"], [False, True]),
        (["cut", "cut", "whole"], [False, True, True]),
        (["cut", "deaf_to_ranges"], [False, True]),
        (["truncated", "whole"], [False, True]),
        (["slow", "whole"], [False, True]),
        (["cut", "no_more", "whole"], [False, True, False]),
        (["trickle"], [False]),
    ],
)
def test_a_file_arrives_whole_whatever_happens_on_the_way(server, file, tmp_path, script, resumed):
    server.script = script
    assert fetch(file, tmp_path, [], QUICK).read_bytes() == BODY
    begins = [int((asked or "bytes=0-")[6:-1]) for asked in server.asked]
    assert [begin > 0 for begin in begins] == resumed
    if begins[-1]:
        # A resumed download goes on from about where the last one stopped, not from the start.
        assert begins == sorted(begins)
        assert begins[-1] >= 60_000
    assert left_behind(tmp_path) == ["set/file.txt"]


@pytest.mark.parametrize(
    ("script", "requests", "messages"),
    [
        (["missing"], 1, ["answers 404 Not Found", "data.mirrors", "data.source: embedded"]),
        (["busy"], 3, ["503 Service Unavailable after 3 attempts", "data.source: embedded"]),
        (["slow"], 3, ["after 3 attempts"]),
        (["wrong"], 1, [SHA256, hashlib.sha256(BODY[::-1]).hexdigest(), "it was removed"]),
        (["page"], 1, [SHA256, hashlib.sha256(b"<html></html").hexdigest()]),
        (["endless"], 1, [f"gives more than {len(BODY)} bytes"]),
    ],
)
def test_what_cannot_be_had_is_said_in_one_sentence_and_leaves_no_file(
    server, file, tmp_path, script, requests, messages
):
    server.script = script
    with pytest.raises(InputError) as caught:
        fetch(file, tmp_path, [], QUICK)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("set/file.txt: ")
    for message in (*messages, server.url):
        assert message in str(caught.value)
    assert len(server.asked) == requests
    assert not (tmp_path / "set/file.txt").exists()


def test_a_server_that_is_not_there_is_named_with_what_to_do(file, tmp_path):
    nowhere = replace(file, url="http://127.0.0.1:9/file.txt")
    with pytest.raises(InputError) as caught:
        fetch(nowhere, tmp_path, [tmp_path / "no such mirror"], QUICK)
    assert str(caught.value) == (
        "set/file.txt: in none of the folders of data.mirrors, and http://127.0.0.1:9/file.txt cannot be read "
        "(ConnectionError) after 3 attempts: download it on a machine with a network and put it as set/file.txt "
        "into a folder named in data.mirrors, or set data.source: embedded, which needs no recordings"
    )
    with pytest.raises(InputError, match="nowhere online: put it as set/file"):
        fetch(replace(file, url=""), tmp_path, [], QUICK)


def test_a_second_fetch_asks_nobody(server, file, tmp_path):
    fetch_all([file], tmp_path, [], QUICK)
    server.script = ["missing"]
    fetch_all([file], tmp_path, [], QUICK)
    assert server.asked == [None]


def test_a_later_run_goes_on_where_an_earlier_one_gave_up(server, file, tmp_path):
    server.script = ["cut"]
    with pytest.raises(InputError):
        fetch(file, tmp_path, [], replace(QUICK, attempts=1))
    server.script = ["whole"]
    assert fetch(file, tmp_path, [], QUICK).read_bytes() == BODY
    assert server.asked[0] is None
    assert server.asked[1].startswith("bytes=1")


def test_a_damaged_file_is_fetched_again(server, file, tmp_path):
    target = tmp_path / "set/file.txt"
    target.parent.mkdir()
    target.write_bytes(BODY[:-1])
    assert fetch(file, tmp_path, [], QUICK).read_bytes() == BODY


def test_the_first_mirror_that_has_it_comes_before_the_network(server, file, tmp_path):
    mirrors = [tmp_path / "absent", tmp_path / "empty", tmp_path / "full"]
    (mirrors[1] / "set").mkdir(parents=True)
    (mirrors[2] / "set").mkdir(parents=True)
    (mirrors[2] / "set/file.txt").write_bytes(BODY)
    assert fetch(file, tmp_path / "to", mirrors, QUICK).read_bytes() == BODY
    assert server.asked == []
    assert left_behind(tmp_path / "to") == ["set/file.txt"]


def test_a_wrong_file_in_a_mirror_is_named_and_stays_there(server, file, tmp_path):
    wrong = tmp_path / "mirror/set/file.txt"
    wrong.parent.mkdir(parents=True)
    wrong.write_bytes(b"something else")
    with pytest.raises(InputError) as caught:
        fetch(file, tmp_path / "to", [tmp_path / "mirror"], QUICK)
    for part in (str(wrong), SHA256, hashlib.sha256(b"something else").hexdigest()):
        assert part in str(caught.value)
    assert wrong.exists()
    assert left_behind(tmp_path / "to") == []


def test_a_file_of_unknown_hash_is_pinned_by_its_first_download(server, file, tmp_path):
    unpinned = replace(file, sha256="", bytes=None)
    target = fetch(unpinned, tmp_path, [], QUICK)
    assert target.with_name("file.txt.sha256").read_text() == SHA256 + "\n"
    target.unlink()
    server.script = ["wrong"]
    with pytest.raises(InputError, match=SHA256):
        fetch(unpinned, tmp_path, [], QUICK)


def test_every_file_of_the_cases_is_listed_with_its_hash():
    versions = read_versions("data/versions.csv")
    for case in read_cases("config/cases.csv").values():
        if case.source != "published":
            assert all(versions[path].sha256 and versions[path].url for path in case_files(case)), case.case
    assert all(file.licence for file in versions.values())


def test_the_folder_of_digits_lists_2000_recordings():
    folder = read_versions("data/versions.csv")["free-spoken-digit-dataset/recordings/"]
    files = files_of_folder(folder, "data/digit_recordings.csv")
    assert len({file.path for file in files}) == 2000
    assert sum(file.bytes for file in files) == folder.bytes
    assert files[0].path.startswith("free-spoken-digit-dataset/recordings/0_")
    assert files[0].url == folder.url + files[0].path.rpartition("/")[2]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda t: t.replace("sha256", "hash"), "columns are path"),
        (lambda t: t.replace("set/file.txt", "../file.txt"), "column path: found '../file.txt'"),
        (lambda t: t.replace("set/file.txt", "/file.txt"), "column path"),
        (lambda t: t.replace(SHA256, SHA256[:-1]), "column sha256"),
        (lambda t: t.replace(",5\n", ",five\n"), "column bytes: found 'five'"),
        (lambda t: t.replace(",5\n", "\n"), "found 6 cells, expected 7"),
    ],
)
def test_a_bad_list_of_files_is_refused(tmp_path, edit, message):
    listing = tmp_path / "versions.csv"
    text = f"path,name,version,url,licence,sha256,bytes\nset/file.txt,set,1,,CC0,{SHA256},5\n"
    listing.write_text(text)
    assert read_versions(listing)["set/file.txt"].bytes == 5
    listing.write_text(edit(text))
    with pytest.raises(InputError, match=message):
        read_versions(listing)


def test_a_changed_listing_of_a_folder_is_refused(tmp_path):
    folder = read_versions("data/versions.csv")["free-spoken-digit-dataset/recordings/"]
    (tmp_path / "digits.csv").write_text("path,sha256,bytes\n")
    with pytest.raises(InputError, match=folder.sha256):
        files_of_folder(folder, tmp_path / "digits.csv")


def test_the_command_brings_what_was_asked_for(tmp_path, capsys):
    source = tmp_path / "mirror/a/b.txt"
    source.parent.mkdir(parents=True)
    source.write_bytes(BODY)
    listing = tmp_path / "versions.csv"
    listing.write_text(f"path,name,version,url,licence,sha256,bytes\na/b.txt,a,1,,CC0,{SHA256},{len(BODY)}\n")
    command = ["--versions", str(listing), "--to", str(tmp_path / "to"), "--mirror", str(tmp_path / "mirror")]
    assert main(command) == 0
    assert sha256_of(tmp_path / "to/a/b.txt") == SHA256
    assert main([*command, "--only", "z"]) == 2
    assert "begins with 'z'" in capsys.readouterr().err
