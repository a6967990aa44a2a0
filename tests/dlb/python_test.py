#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""python_test.py - libdlb.so as DLB's Python module uses it: four names, masks from and to text, lists of processes."""

import ctypes
import os
import sys
import unittest
from pathlib import Path

LIBRARIES = Path(sys.argv.pop(1))
SIZE_OF_A_MASK = 128
NO_SYNC = 1 << 4


def load(name: str) -> ctypes.CDLL:
    library = ctypes.CDLL(str(LIBRARIES / name))
    library.DLB_Strerror.restype = ctypes.c_char_p
    library.mu_to_str.restype = ctypes.c_char_p
    library.mu_parse_mask.restype = None
    return library


class Masks(unittest.TestCase):
    def setUp(self) -> None:
        self.dlb = load("libdlb.so")

    def parsed(self, text: str) -> ctypes.Array:
        mask = ctypes.create_string_buffer(b"\xff" * SIZE_OF_A_MASK, SIZE_OF_A_MASK)
        self.dlb.mu_parse_mask(text.encode(), ctypes.byref(mask))
        return mask

    def test_texts_come_back_as_dlb_writes_them(self) -> None:
        for text, written in (("2,4", "2,4"), ("0-1", "0,1"), ("0,1,2,3", "0-3"), ("5", "5"), ("0,1023", "0,1023"), ("0-1023", "0-1023"),
                              ("0-1,3-5,7,9-10", "0,1,3-5,7,9,10"), ("0x11", "0,4"), ("0b0110", "1,2")):
            self.assertEqual(self.dlb.mu_to_str(ctypes.byref(self.parsed(text))).decode(), f"[{written}]", text)

    def test_what_is_no_mask_is_empty(self) -> None:
        for text in ("", "abc", "1-", "1-0", "3,abc", "99999", "-1"):
            self.assertEqual(self.parsed(text).raw, bytes(SIZE_OF_A_MASK), text)

    def test_the_longest_text_fits(self) -> None:
        # Two of every three CPUs, so that the text has no long range.
        cpus = [cpu for cpu in range(1024) if cpu % 3 != 2]
        text = ",".join(map(str, cpus))
        self.assertEqual(self.dlb.mu_to_str(ctypes.byref(self.parsed(text))).decode(), f"[{text}]")


class Calls(unittest.TestCase):
    def test_every_name_is_the_same_library(self) -> None:
        first = load("libdlb.so")
        for name in ("libdlb_dbg.so", "libdlb_mpi.so", "libdlb_mpi_dbg.so"):
            self.assertEqual(load(name).DLB_Strerror(-8), first.DLB_Strerror(-8))
            self.assertEqual(ctypes.cast(load(name).DLB_Init, ctypes.c_void_p).value, ctypes.cast(first.DLB_Init, ctypes.c_void_p).value)

    def test_a_process_and_its_administrator(self) -> None:
        dlb, pid = load("libdlb.so"), os.getpid()
        nothing, wanted, found = (ctypes.create_string_buffer(SIZE_OF_A_MASK) for _ in range(3))
        dlb.mu_parse_mask(b"", ctypes.byref(nothing))
        dlb.mu_parse_mask(b"0-1", ctypes.byref(wanted))
        self.assertEqual(dlb.DLB_Init(0, ctypes.byref(nothing), b"--drom"), 0)
        self.assertEqual(dlb.DLB_DROM_Attach(), 0)
        self.assertEqual(dlb.DLB_DROM_SetProcessMask(pid, ctypes.byref(wanted), 0), 0)
        self.assertEqual(dlb.DLB_DROM_GetProcessMask(pid, ctypes.byref(found), 0), 0)
        self.assertEqual(dlb.mu_to_str(ctypes.byref(found)), b"[0,1]")
        pids, count = (ctypes.c_int * 8)(), ctypes.c_int()
        self.assertEqual(dlb.DROM_GetPidList(pids, ctypes.byref(count), 8), 0)
        self.assertEqual(list(pids[:count.value]), [pid])
        self.assertEqual(dlb.DLB_DROM_SetProcessMaskStr(pid, b"1", NO_SYNC), 0)
        number = ctypes.c_int()
        self.assertEqual(dlb.DLB_PollDROM(ctypes.byref(number), ctypes.byref(found)), 0)
        self.assertEqual((number.value, dlb.mu_to_str(ctypes.byref(found))), (1, b"[1]"))
        self.assertEqual(dlb.DLB_DROM_Detach(), 0)
        self.assertEqual(dlb.DLB_Finalize(), 0)


if __name__ == "__main__":
    unittest.main()
