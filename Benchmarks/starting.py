"""Measures the start of a program and its size."""

import os

from measure import Work, alone


def add_rows(bench):
    add(bench, bench.tool, "start-up (movtool --version)", "size of the program")
    if bench.plain:
        add(bench, bench.plain, "start-up, plain release build", "size of the plain release build, symbols included")


def add(bench, program, start, size):
    with bench.row(start, "≤ 5 ms") as row:
        row.absolute(alone(Work([program, "--version"]), bench.count), 0.005)
    with bench.row(size, "—") as row:
        row.bytes(os.path.getsize(program))
