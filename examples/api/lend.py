#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""lend.py - an administrator that takes half of a client's CPUs for a time, and gives them back.

  lend.py NAME SECONDS
"""

import sys
import time

import drom


def main() -> int:
    name, seconds = sys.argv[1], float(sys.argv[2])
    with drom.Table() as table:
        client = next((client for client in table.clients() if client.name == name), None)
        if client is None:
            sys.exit(f"lend: there is no client {name}")
        whole = set(client.owned)
        half = max(1, len(whole) // 2)
        table.shrink(client.pid, half, wait="resized", timeout=10)
        print(f"lend: {name} keeps {half} of {len(whole)} CPUs for {seconds:g} s", flush=True)
        time.sleep(seconds)
        table.set_mask(client.pid, whole, wait="resized", timeout=10)
        print(f"lend: {name} has {drom.format_cpus(whole)} again")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except drom.Error as error:
        sys.exit(str(error))
