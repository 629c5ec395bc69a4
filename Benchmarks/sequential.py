"""Makes a movie in which the tracks are stored one after the other, from a movie whose chunks alternate between tracks.

Only the chunk offsets and the order of the media change, so every chunk must move if the movie is interleaved again.
"""

import struct

from atoms import top_level

HEADER = 8


def make(source, path):
    """Writes the movie. The source has one `mdat` and 32-bit chunk offsets, as ffmpeg writes short movies."""
    with open(source, "rb") as file:
        data = bytearray(file.read())
    atoms = {kind: (at, size) for kind, at, size in top_level(source)}
    movie, (media, media_size) = atoms[b"moov"], atoms[b"mdat"]
    output = bytearray()
    for tables in sample_tables(data, *movie):
        offsets = numbers_of(data, tables[b"stco"])
        moved = []
        for offset, size in zip(offsets, chunk_sizes(data, tables, len(offsets))):
            moved.append(media + HEADER + len(output))
            output += data[offset : offset + size]
        struct.pack_into(f">{len(moved)}I", data, tables[b"stco"] + 8, *moved)
    if len(output) > media_size - HEADER:
        raise ValueError(f"{source}: the chunks have {len(output)} bytes, but its mdat has only {media_size - HEADER}")
    data[media + HEADER : media + HEADER + len(output)] = output
    with open(path, "wb") as file:
        file.write(data)


def sample_tables(data, at, size):
    """Yields the offsets of the payloads of each track's sample tables, by type."""
    for kind, place, length in inside(data, at + HEADER, at + size):
        if kind == b"trak":
            path = (place, length)
            for name in (b"mdia", b"minf", b"stbl"):
                path = next((start, count) for found, start, count in inside(data, path[0] + HEADER, sum(path))
                            if found == name)
            yield {found: start + HEADER for found, start, _ in inside(data, path[0] + HEADER, sum(path))}


def inside(data, start, end):
    """Yields the type, offset and size of the atoms in a range."""
    while start + HEADER <= end:
        size, kind = struct.unpack_from(">I4s", data, start)
        yield kind, start, size
        start += size


def numbers_of(data, payload, count_at=4, width=1):
    """Returns the 32-bit numbers of a table: `width` numbers for each of the entries that it counts at `count_at`."""
    (count,) = struct.unpack_from(">I", data, payload + count_at)
    return struct.unpack_from(f">{count * width}I", data, payload + count_at + 4)


def chunk_sizes(data, tables, chunk_count):
    """Yields the number of bytes of each chunk."""
    sizes = numbers_of(data, tables[b"stsz"], count_at=8)
    numbers = numbers_of(data, tables[b"stsc"], width=3)
    count = len(numbers) // 3
    sample = 0
    for index in range(count):
        first, each = numbers[3 * index], numbers[3 * index + 1]
        end = numbers[3 * index + 3] if index + 1 < count else chunk_count + 1
        for _ in range(first, end):
            yield sum(sizes[sample : sample + each])
            sample += each
