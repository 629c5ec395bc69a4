"""Functions for atoms: the parts of the format that the benchmark needs to make movies and to examine edited movies."""

import os
import struct

CONTAINERS = {b"moov", b"trak", b"mdia", b"minf", b"stbl", b"edts"}


def atom(kind, *parts):
    body = b"".join(parts)
    return struct.pack(">I4s", len(body) + 8, kind) + body


def children(body):
    """Returns the (type, body) pairs of the atoms in `body`. Only 32-bit sizes are supported."""
    found, at = [], 0
    while at + 8 <= len(body):
        size, kind = struct.unpack_from(">I4s", body, at)
        if size < 8 or at + size > len(body):
            raise ValueError(f"{kind!r} claims {size} bytes, room for {len(body) - at}")
        found.append((kind, body[at + 8 : at + size]))
        at += size
    return found


def child(body, *path):
    """Returns the body of the first atom at `path`."""
    for kind in path:
        body = next(inner for name, inner in children(body) if name == kind)
    return body


def top_level(path):
    """Returns the (type, offset, size) of a file's atoms. 64-bit sizes and the size 0 are supported."""
    found, at = [], 0
    with open(path, "rb") as file:
        length = os.fstat(file.fileno()).st_size
        while at + 8 <= length:
            file.seek(at)
            header = file.read(16)
            size, kind = struct.unpack_from(">I4s", header)
            if size == 1:
                (size,) = struct.unpack_from(">Q", header, 8)
            elif size == 0:
                size = length - at
            if size < 8:
                raise ValueError(f"{path}: {kind!r} at byte {at} claims {size} bytes")
            found.append((kind, at, size))
            at += size
    return found


def chunk_count(path):
    """Returns the largest number of chunks in a track of the movie."""
    _, at, size = next(entry for entry in top_level(path) if entry[0] == b"moov")
    with open(path, "rb") as file:
        file.seek(at + 8)
        movie = file.read(size - 8)
    counts = []
    for kind, track in children(movie):
        if kind == b"trak":
            tables = dict(children(child(track, b"mdia", b"minf", b"stbl")))
            counts.append(struct.unpack_from(">I", tables.get(b"stco", tables.get(b"co64")), 4)[0])
    return max(counts)


def movie_size(path):
    """Returns the size of the file's `moov`, including its header."""
    return next(size for kind, _, size in top_level(path) if kind == b"moov")
