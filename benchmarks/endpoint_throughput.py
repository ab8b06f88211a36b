"""How fast `Endpoint` asks, beside a bare aiohttp loop that posts the same bodies.

    python benchmarks/endpoint_throughput.py [--samples 1000] [--rounds 5]

A server in a process of its own answers after 50 ms. All sides ask it the same samples (a JPEG of
about 20 kB each, read from a file), in turns, at several concurrencies; medians of the rounds are
printed. `bare` posts bodies that were made before its clock starts, `making` is the same loop
reading and encoding as it goes; the endpoint reads, encodes, parses and hands on replies while its
clock runs, and sends its first request alone.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import io
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp
from aiohttp import web
from PIL import Image as Pillow

from eyechart.io.images import LazyPicture
from eyechart.models.openai import Endpoint
from eyechart.models.openai.body import body
from eyechart.models.openai.pictures import untouched
from eyechart.values import Image, Message, Reply, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DELAY_S = 0.05
ANSWER = (
    b'{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,'
    b'"message":{"role":"assistant","content":"[12, 34, 56, 78]"},"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":300,"completion_tokens":12,"total_tokens":312}}'
)


def serve() -> None:
    """The server's process: prints its port, answers until it is ended."""

    async def answer(request: web.Request) -> web.Response:
        await request.read()
        await asyncio.sleep(DELAY_S)
        return web.Response(body=ANSWER, content_type="application/json")

    async def run() -> None:
        app = web.Application(client_max_size=2**28)
        app.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
        print(runner.addresses[0][1], flush=True)
        await asyncio.Event().wait()

    asyncio.run(run())


def pictures(folder: Path, n: int) -> Iterator[Request]:
    """Samples whose pictures are files of about 20 kB."""
    noise = random.Random(0)
    small = Pillow.frombytes("RGB", (64, 48), noise.randbytes(64 * 48 * 3))
    buffer = io.BytesIO()
    small.resize((640, 480), Pillow.Resampling.BICUBIC).save(buffer, "JPEG", quality=14)
    for k in range(n):
        path = folder / f"{k}.jpg"
        path.write_bytes(buffer.getvalue())
        image = Image(path.name, 640, 480, str(path))
        yield Request(
            str(k),
            (Message("user", f"Where is thing {k}?", with_image=True),),
            LazyPicture(image, lambda image: Path(image.source).read_bytes()),
        )


def made(requests: list[Request]) -> Iterator[bytes]:
    """The bodies as anybody would make them."""
    for request in requests:
        data = request.image.read() if request.image else b""
        url = "data:image/jpeg;base64," + base64.b64encode(data).decode()
        picture = {"type": "image_url", "image_url": {"url": url}}
        content = [picture, {"type": "text", "text": request.prompt}]
        messages = [{"role": "user", "content": content}]
        yield json.dumps({"model": "m", "messages": messages, "temperature": 0}).encode()


async def bare(url: str, waiting: Iterator[bytes], concurrency: int) -> None:
    """What anybody would write: workers over one session, replies read as JSON."""
    headers = {"Content-Type": "application/json"}

    async def work(session: aiohttp.ClientSession) -> None:
        for each in waiting:
            async with session.post(f"{url}/chat/completions", data=each, headers=headers) as got:
                await got.json()

    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(connector=connector) as session:
        await asyncio.gather(*(work(session) for _ in range(concurrency)))


def ask(url: str, requests: list[Request], concurrency: int) -> None:
    """The same through `Endpoint`."""
    answered = 0

    def keep(reply: Reply) -> None:
        nonlocal answered
        answered += reply.state == "ok"

    endpoint = Endpoint("m", url, api_key="sk-benchmark", concurrency=concurrency)
    endpoint.answer(iter(requests), keep)
    if answered != len(requests):
        raise SystemExit(f"only {answered} of {len(requests)} samples were answered")


def timed(call: Callable[[], None]) -> tuple[float, float]:
    """Wall and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - cpu


def compare(
    url: str, requests: list[Request], bodies: list[bytes], concurrency: int, rounds: int
) -> None:
    """One line of the table."""
    sides: list[Callable[[], None]] = [
        lambda: asyncio.run(bare(url, iter(bodies), concurrency)),
        lambda: asyncio.run(bare(url, made(requests), concurrency)),
        lambda: ask(url, requests, concurrency),
    ]
    runs: list[list[tuple[float, float]]] = [[], [], []]
    for _ in range(rounds):
        for side, times in zip(sides, runs, strict=True):
            times.append(timed(side))
    n = len(requests)
    walls = [statistics.median(wall for wall, _ in times) for times in runs]
    cpus = [statistics.median(cpu for _, cpu in times) * 1000 / n for times in runs]
    rates = " ".join(f"{n / wall:>7.0f}/s" for wall in walls)
    print(
        f"{concurrency:>11} {n:>7} {rates} {walls[0] / walls[2]:>8.2f} {walls[1] / walls[2]:>10.2f}"
        f" {cpus[0]:>9.2f} s {cpus[2]:>8.2f} s",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return
    server = subprocess.Popen(
        [sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        with tempfile.TemporaryDirectory() as folder:
            requests = list(pictures(Path(folder), options.samples))
            datas = [request.image.read() for request in requests if request.image]
            print(f"picture: {len(datas[0]):,} bytes; server: {DELAY_S * 1000:.0f} ms")
            wires = [untouched(data, (640, 480), 20_000_000) for data in datas]
            bodies = [body("m", *pair) for pair in zip(requests, wires, strict=True)]
            print(
                "concurrency samples      bare    making  endpoint  of bare  of making "
                "bare CPU/1000 endpoint"
            )
            for concurrency in (1, 16, 64, 256):
                # one at a time takes 50 s for a thousand
                n = min(options.samples, 100) if concurrency == 1 else options.samples
                compare(url, requests[:n], bodies[:n], concurrency, options.rounds)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
