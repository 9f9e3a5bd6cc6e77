"""Long work shows a bar on a terminal, and plain lines in a log."""

import os
import pty
import re
import subprocess
import sys
import termios
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

TRIALS = """
import time
from adaptive_sampling.montecarlo import run_blocks
run_blocks(lambda block: time.sleep(0.04), 1500, jobs=1, backend="threading", title="trials of a case")
"""
DOWNLOAD = """
import sys
from adaptive_sampling.recordings.fetch import RecordedFile, fetch_all
_, url, folder, size = sys.argv
fetch_all([RecordedFile("large.bin", "a name", "", url, "", "", int(size))], folder, [])
"""
PIECE, PIECES = bytes(1_000_000), 12


class Slow(BaseHTTPRequestHandler):
    """Sends 12 MB, a piece at a time."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(PIECE) * PIECES))
        self.end_headers()
        for _ in range(PIECES):
            self.wfile.write(PIECE)
            time.sleep(0.1)

    def log_message(self, *_):
        """Print nothing."""


@pytest.fixture
def download(tmp_path):
    """Return the arguments of a script that downloads from a server on this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/large.bin"
        yield [url, str(tmp_path), str(len(PIECE) * PIECES)]
        server.shutdown()


def on_a_terminal(script, *arguments):
    """Return what a script writes to a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 100))
    command = [sys.executable, "-c", script, *arguments]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        written = b""
        try:
            while piece := os.read(ours, 65536):
                written += piece
        except OSError:  # how a terminal ends when the last that held it is gone
            pass
    os.close(ours)
    assert process.returncode == 0, written.decode()
    return written.decode()


def in_a_log(script, path, *arguments):
    """Return the lines that a script writes to a file."""
    with path.open("w") as log:
        subprocess.run(
            [sys.executable, "-c", script, *arguments], stdin=subprocess.DEVNULL, stderr=log, check=True
        )
    return path.read_bytes().decode().split("\n")


def states(written, title):
    """Return the percentages that the bar of a title went through, in place on its line."""
    return [int(share) for share in re.findall(rf"\r{title}: +(\d+)%\|", written)]


def test_trials_move_a_bar_on_a_terminal():
    written = on_a_terminal(TRIALS)
    seen = states(written, "trials of a case")
    assert len(seen) >= 3
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == (0, 100)
    assert "30/30" in written
    assert written.count("\n") == 1


def test_trials_write_plain_lines_to_a_log(tmp_path):
    first, *between, last, end = in_a_log(TRIALS, tmp_path / "log")
    assert re.fullmatch(r"trials of a case: 0 of 30 blocks, \d\d:\d\d", first)
    assert re.fullmatch(r"trials of a case: 30 of 30 blocks, \d\d:\d\d", last)
    assert all(re.fullmatch(r"trials of a case: \d+ of 30 blocks, \d\d:\d\d", line) for line in between)
    assert end == ""


def test_a_download_moves_a_bar_on_a_terminal(download):
    written = on_a_terminal(DOWNLOAD, *download)
    seen = states(written, "large.bin")
    assert len(seen) >= 2
    assert seen == sorted(seen)
    assert seen[0] == 0
    assert seen[-1] > 10
    assert "1/1" in written


def test_a_long_download_writes_plain_lines_to_a_log(download, tmp_path):
    lines = in_a_log(DOWNLOAD, tmp_path / "log", *download)
    assert lines[-1] == ""
    assert all(
        re.fullmatch(r"large\.bin: \S+ of 12\.0MB, \d\d:\d\d|fetch: \d of 1 files, \d\d:\d\d", line)
        for line in lines[:-1]
    )
    counts = [line.partition(",")[0] for line in lines[:-1]]
    assert counts[:2] == ["fetch: 0 of 1 files", "large.bin: 0.00 of 12.0MB"]
    assert counts[-2:] == ["large.bin: 12.0M of 12.0MB", "fetch: 1 of 1 files"]
