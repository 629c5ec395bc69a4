"""Makes the movies of the benchmark, with any number of samples, realistic sample tables, and samples that ffmpeg can copy.

ffmpeg encodes a template of two seconds. Only the sample tables, the durations and the media differ from the template. Video
samples are slices of the template, padded with filler NAL units. Audio samples are frames of silence, padded with zeros. With
equal versions of ffmpeg, a recipe always results in the same bytes.
"""

import array
import hashlib
import json
import os
import random
import struct
import subprocess
import sys
from dataclasses import dataclass

from atoms import atom, child, children, top_level

VIDEO_SCALE = 90_000
AUDIO_SCALE = 44_100
AUDIO_FRAME = 1024
KEY_INTERVAL = 250  # one key frame, then 83 groups of a P frame and the two B frames shown before it
REORDERING = 2  # number of frames between decoding and presentation
KEY_WEIGHT = 6  # size of key frames relative to other frames


@dataclass(frozen=True)
class Recipe:
    name: str
    video_samples: int
    audio_samples: int
    media_bytes: int
    chunk_seconds: float = 0.5
    audio_share: float = 0.2
    frame_jitter: int = 0  # maximum change of frame durations in video ticks, as in recordings of phones and screens
    is_sparse: bool = False  # whether the media is a hole, for programs that do not read media

    @property
    def is_quicktime(self):
        return self.name.endswith(".mov")

    @property
    def seconds(self):
        return self.audio_samples * AUDIO_FRAME / AUDIO_SCALE


class Template:
    """A movie of two seconds that ffmpeg encodes. It provides the atoms, and the samples from which others are made."""

    def __init__(self, folder, extension):
        path = os.path.join(folder, f"template.{extension}")
        subprocess.run(
            ["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", "color=black:s=640x360:r=30"]
            + ["-f", "lavfi", "-i", f"anullsrc=r={AUDIO_SCALE}:cl=stereo", "-t", "2"]
            + ["-c:v", "libx264", "-bf", "2", "-pix_fmt", "yuv420p", "-bsf:v", "filter_units=remove_types=6"]
            + ["-c:a", "aac", "-b:a", "64k", "-video_track_timescale", str(VIDEO_SCALE), "-fflags", "+bitexact"]
            + ["-flags:v", "+bitexact", "-flags:a", "+bitexact", path],
            check=True,
        )
        with open(path, "rb") as file:
            data = file.read()
        atoms = {kind: data[at : at + size] for kind, at, size in top_level(path)}
        self.ftyp, self.moov = atoms[b"ftyp"], atoms[b"moov"][8:]
        probe = ["ffprobe", "-v", "error", "-show_entries", "packet=stream_index,pos,size,flags", "-of", "json", path]
        packets = json.loads(subprocess.run(probe, check=True, capture_output=True).stdout)["packets"]
        os.remove(path)

        def samples(stream, is_key):
            for packet in packets:
                if packet["stream_index"] == stream and packet["flags"].startswith("K") == is_key:
                    yield data[int(packet["pos"]) : int(packet["pos"]) + int(packet["size"])]

        self.key_frame = next(samples(0, True))
        self.frame = min(samples(0, False), key=len)
        self.audio_frame = min(samples(1, True), key=len)


@dataclass
class Track:
    """The contents of a track's sample tables."""

    time_scale: int
    starts: list  # decode times, followed by the end
    sizes: list
    chunks: list  # number of samples in each chunk
    shift: int  # media time at which the edit begins
    composition: list = None
    key_frames: list = None
    dependencies: bytes = None

    def edit_list(self, movie_scale):
        return struct.pack(">IIIiI", 0, 1, self.duration_in(movie_scale), self.shift, 0x10000)

    def duration_in(self, scale):
        return (self.starts[-1] - self.shift) * scale // self.time_scale


def words(values):
    table = array.array("I", values)
    if sys.byteorder == "little":
        table.byteswap()
    return table.tobytes()


def table(kind, count, values):
    return atom(kind, struct.pack(">II", 0, count), words(values))


def runs(values):
    """Returns run lengths as in `stts` and `ctts`: count, value, count, value …"""
    packed, last, count = [], None, 0
    for value in values:
        if value == last:
            count += 1
            continue
        if count:
            packed += (count, last)
        last, count = value, 1
    return packed + [count, last]


def spread(noise, weights, total, least):
    """Returns sizes that vary by a factor of three around `weights`. Their sum is about `total`."""
    drawn = [weight * (0.5 + noise.random()) for weight in weights]
    scale = total / sum(drawn)
    return [max(floor, int(size * scale)) for size, floor in zip(drawn, least)]


def plan_chunks(starts, time_scale, seconds, count):
    """Returns the number of samples that begin in each period of `seconds`."""
    chunks = [0] * count
    for start in starts[:-1]:
        chunks[min(count - 1, int(start / time_scale / seconds))] += 1
    return chunks


def plan_tracks(recipe, template, noise):
    frame = recipe.seconds * VIDEO_SCALE / recipe.video_samples
    starts = [round(i * frame) + (noise.randint(-recipe.frame_jitter, recipe.frame_jitter) if i else 0)
              for i in range(recipe.video_samples + 1)]
    keys = list(range(0, recipe.video_samples, KEY_INTERVAL))
    shown, roles = [], bytearray()
    for index in range(recipe.video_samples):
        place = index % KEY_INTERVAL  # in decoding order: I P b b P b b …
        roles.append(0x20 if place == 0 else (0x10 if place % 3 == 1 else 0x18))
        ahead = 0 if place == 0 else (2 if place % 3 == 1 else -1)
        shown.append(starts[min(index + ahead + REORDERING, recipe.video_samples)] - starts[index])
    is_key = [index % KEY_INTERVAL == 0 for index in range(recipe.video_samples)]
    count = int(recipe.seconds / recipe.chunk_seconds) + 1
    video = Track(
        VIDEO_SCALE, starts,
        spread(noise, [KEY_WEIGHT if key else 1 for key in is_key], recipe.media_bytes * (1 - recipe.audio_share),
               [len(template.key_frame if key else template.frame) + 6 for key in is_key]),
        plan_chunks(starts, VIDEO_SCALE, recipe.chunk_seconds, count), starts[REORDERING], shown, keys, bytes(roles))
    audio_starts = [i * AUDIO_FRAME for i in range(recipe.audio_samples + 1)]
    audio = Track(
        AUDIO_SCALE, audio_starts,
        spread(noise, [1] * recipe.audio_samples, recipe.media_bytes * recipe.audio_share,
               [len(template.audio_frame)] * recipe.audio_samples),
        plan_chunks(audio_starts, AUDIO_SCALE, recipe.chunk_seconds, count), AUDIO_FRAME)
    # With this padding, the 8 bytes of the header of a `moov` after the media are in one sector, as an edit in place requires.
    video.sizes[-1] += -(sum(video.sizes) + sum(audio.sizes)) % 64
    return video, audio


def lay_out(tracks, start):
    """Returns the offsets of the non-empty chunks of each track. The chunks of the tracks alternate, from `start`."""
    offsets, positions, at = [[] for _ in tracks], [0] * len(tracks), start
    for counts in zip(*(track.chunks for track in tracks)):
        for index, count in enumerate(counts):
            if count:
                offsets[index].append(at)
                at += sum(tracks[index].sizes[positions[index] : positions[index] + count])
                positions[index] += count
    return offsets


def chunk_offsets(offsets, is_wide):
    if not is_wide:
        return table(b"stco", len(offsets), offsets)
    return atom(b"co64", struct.pack(">II", 0, len(offsets)), struct.pack(f">{len(offsets)}Q", *offsets))


def sample_tables(track, old, offsets, is_wide):
    durations = [end - start for start, end in zip(track.starts, track.starts[1:])]
    chunks = [count for count in track.chunks if count]
    chunk_runs = [(index + 1, count, 1) for index, count in enumerate(chunks) if not index or chunks[index - 1] != count]
    parts = [atom(b"stsd", child(old, b"stsd"))]
    times = runs(durations)
    parts.append(table(b"stts", len(times) // 2, times))
    if track.key_frames is not None:
        parts.append(table(b"stss", len(track.key_frames), [index + 1 for index in track.key_frames]))
    if track.composition is not None:
        shifts = runs(track.composition)
        parts.append(table(b"ctts", len(shifts) // 2, shifts))
    if track.dependencies is not None:
        parts.append(atom(b"sdtp", bytes(4), track.dependencies))
    parts.append(table(b"stsc", len(chunk_runs), [word for run in chunk_runs for word in run]))
    parts.append(atom(b"stsz", struct.pack(">III", 0, 0, len(track.sizes)), words(track.sizes)))
    parts.append(chunk_offsets(offsets, is_wide))
    for kind, body in children(old):
        if kind == b"sgpd":
            parts.append(atom(kind, body))
        if kind == b"sbgp":  # a single run of all samples, as in the template
            parts.append(atom(kind, body[:12], struct.pack(">I", len(track.sizes)), body[16:20]))
    return atom(b"stbl", *parts)


def with_word(body, at, value):
    return body[:at] + struct.pack(">I", value) + body[at + 4 :]


def movie_atom(template, tracks, offsets, is_wide=False):
    """Returns the `moov` of the template with new tables and durations. All its headers have version 0."""
    movie_scale = struct.unpack_from(">I", child(template.moov, b"mvhd"), 12)[0]

    def rebuild(kind, body, track, chunk_offsets):
        if kind == b"stbl":
            return sample_tables(track, body, chunk_offsets, is_wide)
        if kind == b"tkhd":
            return atom(kind, with_word(body, 20, track.duration_in(movie_scale)))
        if kind == b"mdhd":
            return atom(kind, with_word(body, 16, track.starts[-1]))
        if kind == b"elst":
            return atom(kind, track.edit_list(movie_scale))
        if kind in (b"mdia", b"minf", b"edts"):
            return atom(kind, *(rebuild(name, inner, track, chunk_offsets) for name, inner in children(body)))
        return atom(kind, body)

    parts, place = [], 0
    for kind, body in children(template.moov):
        if kind == b"trak":
            inner = (rebuild(name, content, tracks[place], offsets[place]) for name, content in children(body))
            parts.append(atom(kind, *inner))
            place += 1
        elif kind == b"mvhd":
            longest = max(track.duration_in(movie_scale) for track in tracks)
            parts.append(atom(kind, with_word(body, 16, longest)))
        else:
            parts.append(atom(kind, body))
    return atom(b"moov", *parts)


def media(tracks, template, noise):
    """Generates the bytes of the media by chunk."""
    pool = noise.randbytes(1 << 21)

    def padding(size):
        if size > len(pool):
            return (pool * (size // len(pool) + 1))[:size]
        at = noise.randrange(len(pool) - size + 1)
        return pool[at : at + size]

    def video_sample(index, size):
        slices = template.key_frame if index % KEY_INTERVAL == 0 else template.frame
        filler = size - len(slices) - 4  # a NAL unit of type 12 after the slice, preceded by its length
        return slices + struct.pack(">IB", filler, 12) + padding(filler - 2) + b"\x80"

    def audio_sample(_, size):
        return template.audio_frame.ljust(size, b"\0")  # decoders skip zeros after a frame

    makers, positions = (video_sample, audio_sample), [0, 0]
    for counts in zip(*(track.chunks for track in tracks)):
        for place, count in enumerate(counts):
            first = positions[place]
            sizes = tracks[place].sizes[first : first + count]
            yield b"".join(makers[place](first + index, size) for index, size in enumerate(sizes))
            positions[place] += count


def make(recipe, folder):
    """Returns the path of a movie. The movie is made unless an equal recipe and program have already made it."""
    path, note = os.path.join(folder, recipe.name), os.path.join(folder, recipe.name + ".recipe")
    with open(__file__, "rb") as program:
        made_by = f"{recipe} {hashlib.sha256(program.read()).hexdigest()}"
    if os.path.exists(path) and os.path.exists(note):
        with open(note, encoding="utf-8") as file:
            if file.read() == f"{made_by} {os.path.getsize(path)}":
                return path
    write(recipe, folder, path + ".part")
    with open(note, "w", encoding="utf-8") as file:
        file.write(f"{made_by} {os.path.getsize(path + '.part')}")
    os.replace(path + ".part", path)
    return path


def write(recipe, folder, path):
    template = Template(folder, "mov" if recipe.is_quicktime else "mp4")
    noise = random.Random(recipe.name)
    tracks = plan_tracks(recipe, template, noise)
    media_size = sum(sum(track.sizes) for track in tracks) + 8
    if media_size >= 1 << 32 and not recipe.is_sparse:
        raise ValueError("chunk offsets here are of 32 bits")
    is_wide = recipe.is_sparse
    header = struct.pack(">I4sQ", 1, b"mdat", media_size + 8) if is_wide else struct.pack(">I4s", media_size, b"mdat")
    with open(path, "wb", buffering=1 << 20) as file:
        file.write(template.ftyp)
        if recipe.is_sparse:  # moov last
            file.write(header)
            start = file.tell()
            file.truncate(start + media_size - 8)
            file.seek(start + media_size - 8)
            file.write(movie_atom(template, tracks, lay_out(tracks, start), is_wide))
        elif recipe.is_quicktime:  # moov last
            file.write(atom(b"wide") + header)
            moov = movie_atom(template, tracks, lay_out(tracks, file.tell()))
            file.writelines(media(tracks, template, noise))
            file.write(moov)
        else:  # moov first; its size does not depend on the chunk offsets
            size = len(movie_atom(template, tracks, lay_out(tracks, 0)))
            start = len(template.ftyp) + size + len(header)
            file.write(movie_atom(template, tracks, lay_out(tracks, start)) + header)
            file.writelines(media(tracks, template, noise))
