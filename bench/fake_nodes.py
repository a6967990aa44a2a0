# SPDX-License-Identifier: BSD-3-Clause
"""fake_nodes.py - answers for all nodes of a Slurm 22.05 cluster on one port: slurmctld takes them for up, and no
slurmd runs.

Each request is carried out at once. A job that is launched runs until slurmctld ends it, and has then ended
everywhere. slurm.conf must have AuthType=auth/none and a TreeWidth of at least the number of nodes, since messages are
not passed on. The nodes end with the parent's `with`."""

import socketserver
import struct
import threading

VERSION = 38 << 8  # of 22.05
TERMINATE_JOB = 6011
RETURN_CODE = 8001
ALREADY_COMPLETE = 4002
AUTH_NONE = 100
HEADER = struct.Struct("!HHHIHHH")  # version, flags, type, length of the body, forwards, forwarded answers, no address


def answer(request: bytes) -> bytes:
    """A whole message, without its length."""
    # A node that never registered is spoken to as an old one, whose header has another word.
    version, _, first, second = struct.unpack_from("!HHHH", request)
    kind = first if version >= VERSION else second
    body = struct.pack("!I", ALREADY_COMPLETE if kind == TERMINATE_JOB else 0)
    host = b"localhost\0"
    credential = struct.pack("!IIII", AUTH_NONE, 0, 0, len(host)) + host
    return HEADER.pack(VERSION, 0, RETURN_CODE, len(body), 0, 0, 0) + credential + body


class Connection(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        length = self.rfile.read(4)
        if len(length) < 4:
            return
        reply = answer(self.rfile.read(int.from_bytes(length, "big")))
        self.wfile.write(len(reply).to_bytes(4, "big") + reply)


class FakeNodes(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 1024

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Connection)

    @property
    def port(self) -> int:
        return self.server_address[1]

    def __enter__(self) -> "FakeNodes":
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()
