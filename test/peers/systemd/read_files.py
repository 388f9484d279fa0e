"""Prints, as JSON, what systemd's own reader of EnvironmentFile= makes of each file of a folder."""

import ctypes
import glob
import json
import os
import sys

PLACES = ["/usr/lib/systemd", "/usr/lib/*/systemd"]
library = ctypes.CDLL(next(file for place in PLACES for file in glob.glob(f"{place}/libsystemd-shared-*.so")))
load = library.load_env_file
load.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.POINTER(ctypes.c_char_p))]


def read(file):
    found = ctypes.POINTER(ctypes.c_char_p)()
    if load(None, file.encode(), ctypes.byref(found)) < 0:
        return None
    lines = []
    while found and found[len(lines)] is not None:
        lines.append(found[len(lines)].decode())
    return lines


folder = sys.argv[1]
json.dump({name: read(os.path.join(folder, name)) for name in os.listdir(folder)}, sys.stdout)
