"""Makes a movie with a location track like those of phones: timed metadata (`mebx`) with a location per second."""

import math
import struct


def atom(kind, *parts):
    body = b"".join(parts)
    return struct.pack(">I", 8 + len(body)) + kind + body


def numbers(layout, *values):
    return struct.pack(">" + layout, *values)


def track(track_id, movie_scale, samples, offset):
    """A `trak` whose samples are contiguous, begin at `offset` and last one second each."""
    count = len(samples)
    matrix = numbers("9I", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
    header = atom(b"tkhd", numbers("6I8x4H", 0xF, 0, 0, track_id, 0, count * movie_scale, 0, 0, 0, 0), matrix, numbers("II", 0, 0))
    key = atom(b"keyd", b"mdta" + b"com.apple.quicktime.location.ISO6709") + atom(b"dtyp", numbers("II", 0, 1))
    entry = atom(b"mebx", bytes(6) + numbers("H", 1), atom(b"keys", atom(numbers("I", 1), key)))
    table = atom(b"stbl", atom(b"stsd", numbers("II", 0, 1), entry), atom(b"stts", numbers("4I", 0, 1, count, 600)),
                 atom(b"stsc", numbers("5I", 0, 1, 1, count, 1)),
                 atom(b"stsz", numbers("3I", 0, 0, count), b"".join(numbers("I", len(sample)) for sample in samples)),
                 atom(b"stco", numbers("3I", 0, 1, offset)))
    handlers = [atom(b"hdlr", numbers("I", 0), kind, bytes(12), b"\0") for kind in (b"mhlrmeta", b"dhlralis")]
    general = atom(b"gmhd", atom(b"gmin", numbers("I6Hxx", 0, 0x40, 0x8000, 0x8000, 0x8000, 0, 0)))
    data = atom(b"dinf", atom(b"dref", numbers("II", 0, 1), atom(b"alis", numbers("I", 1))))
    media = atom(b"mdhd", numbers("5IHH", 0, 0, 0, 600, count * 600, 0x55C4, 0))
    return atom(b"trak", header, atom(b"mdia", media, handlers[0], atom(b"minf", general, handlers[1], data, table)))


def walk(count):
    """The locations of a walk in Munich that turns a corner."""
    for second in range(count):
        part = second / (count - 1)
        yield 48.1370 + 0.004 * part + 0.0008 * math.sin(7 * part), 11.5750 + 0.006 * math.sin(2.2 * part), 515 + 10 * part


def add_route(source, target, count=10, gap=None):
    """Copies a movie whose movie atom comes last, and adds a location track. In the second `gap`, the location is unknown."""
    data = source.read_bytes()
    start, position = None, 0
    while position < len(data):
        size = int.from_bytes(data[position:position + 4], "big")
        if data[position + 4:position + 8] == b"moov":
            start, end = position, position + size
        position += size
    assert start is not None and end == len(data), "the movie atom does not come last"
    movie = data[start + 8:end]
    header = movie.index(b"mvhd") + 4
    scale = int.from_bytes(movie[header + 12:header + 16], "big")
    texts = [("%+08.4f%+09.4f%+08.3f/" % place).encode() for place in walk(count)]
    samples = [numbers("II", 8 + len(text), 1) + text for text in texts]
    if gap is not None:
        samples[gap] = numbers("II", 8, 0)
    media = b"".join(samples)
    added = track(99, scale, samples, start + 8)
    movie = movie[:header + 96] + numbers("I", 100) + movie[header + 100:]
    target.write_bytes(data[:start] + atom(b"mdat", media) + atom(b"moov", movie, added))
    return target
