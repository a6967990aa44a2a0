# SPDX-License-Identifier: BSD-3-Clause
"""fake_nodes.py - answers for all nodes of a Slurm 22.05 cluster on one port: slurmctld takes them for up, and no
slurmd runs.

Each request is carried out at once. A job that is launched runs until slurmctld ends it, and has then ended
everywhere. slurm.conf must have AuthType=auth/none and a TreeWidth of at least the number of nodes, since messages are
not passed on. The nodes end with the parent's `with`."""

import asyncio
import contextlib
import struct
import threading

VERSION = 38 << 8  # of 22.05
TERMINATE_JOB = 6011
RETURN_CODE = 8001
ALREADY_COMPLETE = 4002
AUTH_NONE = 100
HEADER = struct.Struct("!HHHIHHH")  # version, flags, type, length of the body, forwards, forwarded answers, no address


def answer(request: bytes) -> bytes:
    """Returns a whole message, without its length."""
    # A node that never registered is spoken to as an old one, whose header has another word.
    version, _, first, second = struct.unpack_from("!HHHH", request)
    kind = first if version >= VERSION else second
    body = struct.pack("!I", ALREADY_COMPLETE if kind == TERMINATE_JOB else 0)
    host = b"localhost\0"
    credential = struct.pack("!IIII", AUTH_NONE, 0, 0, len(host)) + host
    return HEADER.pack(VERSION, 0, RETURN_CODE, len(body), 0, 0, 0) + credential + body


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        length = int.from_bytes(await reader.readexactly(4), "big")
        reply = answer(await reader.readexactly(length))
        writer.write(len(reply).to_bytes(4, "big") + reply)
        await writer.drain()
    writer.close()


class FakeNodes:
    """One thread for all nodes: slurmctld asks thousands of them at the same time."""

    def __enter__(self) -> "FakeNodes":
        self.loop = asyncio.new_event_loop()
        server = self.loop.run_until_complete(asyncio.start_server(serve, "127.0.0.1", 0, backlog=4096))
        self.port = server.sockets[0].getsockname()[1]
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
