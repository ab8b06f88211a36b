"""Runs against a server that fails: every fault its own state, kill -9 survived, no key written."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.fault_server import Act, Asked, FaultServer, cut, fail, hang, say, send
from tests.runs.conftest import write_counting

import eyechart
from eyechart.cli import main

if TYPE_CHECKING:
    from pathlib import Path

KEY = "sk-very-secret-key-0123456789"


def row(asked: Asked) -> int:
    return int(asked.text.split("row ")[1].split("?")[0])


def answers(asked: Asked) -> Act:
    return say(str(row(asked)), after_s=0.01)


def everything(path: Path) -> str:
    return "".join(one.read_text() for one in path.rglob("*") if one.is_file())


def test_every_fault_is_its_own_state(counting: Path, tmp_path: Path) -> None:
    acts = {
        1: fail(500),
        2: fail(429, Retry_After="0"),
        3: Act(b'{"choices": [{"mess'),
        4: hang(),
        5: cut(),
        6: say(""),
        7: say(None, "length", reasoning_content="I count 7 so far"),
        8: send({"choices": []}),
        9: say(None, refusal="I cannot help with that."),
        10: say("1000", "length"),
        11: fail(400, "the picture is too large"),
    }
    with FaultServer(lambda asked: acts.get(row(asked), answers(asked))) as server:
        report = eyechart.run(
            "openai:m", str(counting), base_url=server.url, out=tmp_path / "runs",
            timeout_s=0.5, retry_s=1.0, concurrency=12,
        ).report  # fmt: skip
    coverage, figure = report.coverage, report.metrics["accuracy"]
    assert coverage.statuses == {"ok": 2, "none": 0, "malformed": 2, "refused": 1, "error": 7}
    assert coverage.errors == {
        "connection": 1, "http": 1, "protocol": 2, "rate_limit": 1, "server": 1, "timeout": 1,
    }  # fmt: skip
    assert coverage.truncated == 2
    assert coverage.unread == {"empty reply": 2}
    assert (coverage.n, coverage.answered, coverage.read) == (12, 5, 2)
    # only row 0 is right; row 10 was cut after "1000"
    assert (figure.value, figure.over_answered, figure.over_read) == (1 / 12, 1 / 5, 1 / 2)
    assert not report.complete


def test_a_fault_that_passes_leaves_no_trace_in_the_score(counting: Path, tmp_path: Path) -> None:
    seen: dict[int, int] = {}

    def flaky(asked: Asked) -> Act:
        times = seen[row(asked)] = seen.get(row(asked), 0) + 1
        faults = [fail(503), fail(429, Retry_After="0"), Act(b"not json"), cut()]
        return faults[row(asked) % 4] if times == 1 else answers(asked)

    with FaultServer(flaky) as server:
        report = eyechart.run(
            "openai:m", str(counting), base_url=server.url, out=tmp_path / "runs"
        ).report
    assert report.complete
    assert report.metrics["accuracy"].value == 1.0
    assert report.effort.input_tokens == 12 * 7
    assert report.effort.latency_s is not None


def test_failed_ones_are_asked_again_and_nothing_else(counting: Path, tmp_path: Path) -> None:
    down = {3, 8}

    def behaviour(asked: Asked) -> Act:
        return fail(500) if row(asked) in down else answers(asked)

    options: dict[str, Any] = {"out": tmp_path / "runs", "retry_s": 0.2}
    with FaultServer(behaviour) as server:
        first = eyechart.run("openai:m", str(counting), base_url=server.url, **options)
        assert first.report.coverage.errors == {"server": 2}
        down.clear()
        before = len(server.asked)
        second = eyechart.run("openai:m", str(counting), base_url=server.url, **options)
        assert sorted(row(asked) for asked in server.asked[before:]) == [3, 8]
    assert second.path == first.path
    assert second.report.complete


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (fail(401, f"Incorrect API key provided: {KEY}"), "Incorrect API key provided: [key]"),
        (fail(404, "The model `m` does not exist."), "The model `m` does not exist"),
        (fail(400, "max_tokens is too large"), "max_tokens is too large"),
        (fail(403, "not your model"), "not your model"),
    ],
)
def test_a_refused_first_request_stops_the_run_in_one_line(
    counting: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    act: Act,
    expected: str,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with FaultServer(act, models=["other"]) as server:
        out = tmp_path / "runs"
        words = ["run", "openai:m", str(counting), "--base-url", server.url, "--out", str(out)]
        assert main(words) == 2
        # a 400 may be one sample's own: a plain request then tells
        assert len(server.asked) <= 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert expected in message
    assert KEY not in message


def test_nobody_listens(counting: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "openai:m", str(counting), "--base-url", "http://127.0.0.1:9/v1"]
    assert main([*words, "--out", str(tmp_path / "runs")]) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert "127.0.0.1:9" in message


def test_the_key_is_written_nowhere(
    counting: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def echoes(asked: Asked) -> Act:
        sent = asked.headers["Authorization"] + asked.headers["X-Team"]
        return fail(400, f"bad: {sent}") if row(asked) % 3 == 1 else say(f"{row(asked)} {sent}")

    with FaultServer(echoes) as server:
        url = server.url.replace("http://", "http://user:pass-word-1@")
        run = eyechart.run(
            "openai:m", str(counting), base_url=f"{url}?api_key={KEY}", api_key=KEY,
            headers={"X-Team": "team-secret-42"}, out=tmp_path / "runs",
        )  # fmt: skip
        assert any(KEY in asked.headers.get("Authorization", "") for asked in server.asked)
    written = everything(run.path) + str(run.path) + "".join(capfd.readouterr())
    for secret in (KEY, "team-secret-42", "pass-word-1"):
        assert secret not in written
    assert "[key]" in written


def _command(data: Path, url: str, out: Path) -> list[str]:
    return [
        sys.executable, "-m", "eyechart", "run", "openai:m", str(data), "--base-url", url,
        "--out", str(out), "--concurrency", "8", "--json",
    ]  # fmt: skip


def _worth(report: dict[str, object]) -> dict[str, object]:
    """All of a report but what asking took, which no two sittings have alike."""
    return {name: value for name, value in report.items() if name != "effort"}


def _killed_again_and_again(tmp_path: Path, kills: int, rows: int) -> None:
    data = write_counting(tmp_path / "data", rows)
    chance = random.Random(20261130)
    with FaultServer(answers) as server:
        whole = subprocess.run(
            _command(data, server.url, tmp_path / "whole"), capture_output=True, check=True
        )
        out = tmp_path / "killed"
        began = len(server.asked)
        for _ in range(kills):
            asked = len(server.asked)
            child = subprocess.Popen(
                _command(data, server.url, out), stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            # some die before they ask, most while they ask or write
            patience = time.monotonic() + 20
            while chance.random() < 0.9 and time.monotonic() < patience and child.poll() is None:
                if len(server.asked) > asked:
                    break
                time.sleep(0.01)
            time.sleep(chance.random() * 0.08)
            os.kill(child.pid, signal.SIGKILL)
            child.communicate()
        last = subprocess.run(_command(data, server.url, out), capture_output=True, check=True)
        again = len(server.asked) - began
    assert _worth(json.loads(last.stdout)) == _worth(json.loads(whole.stdout))
    # what was kept is not asked again: at most the requests in flight at each kill are
    assert rows <= again <= rows + kills * 9
    [folder] = out.iterdir()
    kept = (folder / "replies.jsonl").read_text().splitlines()
    ids = [json.loads(line)["sample_id"] for line in kept]
    assert len(ids) == len(set(ids)) == rows


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is a signal of POSIX systems")
def test_killed_and_resumed_the_report_is_the_same(tmp_path: Path) -> None:
    _killed_again_and_again(tmp_path, kills=3, rows=150)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="kill -9 is a signal of POSIX systems")
def test_killed_at_30_moments_the_report_is_the_same(tmp_path: Path) -> None:
    _killed_again_and_again(tmp_path, kills=30, rows=900)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX systems")
def test_interrupted_by_hand(tmp_path: Path) -> None:
    data = write_counting(tmp_path / "data", 200)
    with FaultServer(answers) as server:
        child = subprocess.Popen(
            _command(data, server.url, tmp_path / "runs"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        patience = time.monotonic() + 20
        while len(server.asked) < 20 and time.monotonic() < patience:
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=20)
    assert child.returncode == 130
    assert out == ""
    assert "Traceback" not in err
    assert "the same command goes on" in err


def test_a_dialect_that_needs_what_nobody_tells_is_refused_at_once(tmp_path: Path) -> None:
    with FaultServer(say("[1, 2, 3, 4]")) as server:
        with pytest.raises(eyechart.EyechartError, match="its size is not known here"):
            eyechart.run("openai:m", "chart/locate", base_url=server.url, dialect="json:seen")
        assert server.asked == []


def test_without_pictures_none_is_sent(counting: Path, tmp_path: Path) -> None:
    with FaultServer(answers) as server:
        run = eyechart.run(
            "openai:m", str(counting), base_url=server.url, out=tmp_path / "runs", no_images=True
        )
        assert run.report.complete
        assert all(b"image_url" not in asked.body for asked in server.asked)


def test_the_report_says_what_was_sent(counting: Path, tmp_path: Path) -> None:
    with FaultServer(answers) as server:
        run = eyechart.run("openai:m", str(counting), base_url=server.url, out=tmp_path / "runs")
        assert server.asked[0].json["temperature"] == 0
    assert run.report.asked.generation == {"temperature": 0}
