import io
import os
import pathlib
import struct
import threading
from typing import Any, Dict, Iterator, List, Tuple

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ClientError, EndpointConnectionError, ResponseStreamingError

import movtool
from conftest import MEDIA
from movtool import _objects, s3
from stores import BUCKET, STORES, Requests, Store, running

URL = f"s3://{BUCKET}/film.mov"


@pytest.fixture(scope="module", params=sorted(STORES))
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with running(request.param, tmp_path_factory.mktemp(request.param)) as found:
        yield found


@pytest.fixture
def client(store: Store) -> Iterator[Any]:
    """A client of a store with a film that is long enough for copies. At the end, no parts may be left."""
    client = store.client()
    client.put_object(Bucket=BUCKET, Key="film.mov", Body=long_film(), ContentType="video/quicktime")
    yield client
    for item in client.list_objects_v2(Bucket=BUCKET).get("Contents", []):
        client.delete_object(Bucket=BUCKET, Key=item["Key"])
    assert left_parts(store) == []


def left_parts(store: Store) -> List[str]:
    """Returns the uploads that are neither completed nor aborted."""
    if store.name == "localbucket":
        return os.listdir(store.folder / "data" / ".localbucket-uploads")
    found = store.client().list_multipart_uploads(Bucket=BUCKET)
    return [upload["Key"] for upload in found.get("Uploads", [])]


def long_film(size: int = 12 << 20) -> bytes:
    """Returns a movie of this size. Its movie atom is between media and unused media."""
    movie = (MEDIA / "interview.mov").read_bytes()
    padding = size - len(movie)
    block = bytes(range(251)) * 4177
    return movie + struct.pack(">I4s", padding, b"mdat") + (block * (padding // len(block) + 1))[:padding - 8]


def contents(client: Any, key: str = "film.mov") -> bytes:
    body: bytes = client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
    return body


def locally_edited(tmp_path: pathlib.Path, old: bytes, english: str) -> bytes:
    """Returns the movie that the tool writes to a file for the same edit."""
    (tmp_path / "old").mkdir()
    path = tmp_path / "old" / "film.mov"
    path.write_bytes(old)
    movtool.add_subtitles(path, english, output=tmp_path / "local.mov", layout="store")
    return (tmp_path / "local.mov").read_bytes()


def test_edits_the_object(client: Any, english: str, tmp_path: pathlib.Path) -> None:
    old = contents(client)
    requests = Requests(client)
    report = s3.add_subtitles(URL, english, client=client)
    assert [track.language for track in report.tracks] == ["en"] and report.is_written and report["output"] == URL
    assert requests.counts["UploadPartCopy"] >= 1 and requests.sent == report.bytes_written < 11 << 20
    assert contents(client) == locally_edited(tmp_path, old, english)
    head = client.head_object(Bucket=BUCKET, Key="film.mov")
    assert head["ContentType"] == "video/quicktime"
    movie = s3.inspect(URL, client=client)
    assert movie["file"] == URL and movie.tracks[-1].language == "en"
    again = s3.add_subtitles(URL, english, client=client, if_absent=True)
    assert not again.is_written and client.head_object(Bucket=BUCKET, Key="film.mov")["ETag"] == head["ETag"]


def test_edits_an_object_of_a_multipart_upload(client: Any, english: str) -> None:
    """The tag of the object is no MD5 sum. OpenStack Swift rejects it as a condition of copies."""
    for number in range(2):
        s3.add_subtitles(URL, english, client=client, title=f"Take {number}")
    titles = [track.title for track in s3.inspect(URL, client=client).tracks]
    assert titles[-2:] == ["Take 0", "Take 1"]


def test_writes_a_new_object(client: Any, english: str) -> None:
    old = contents(client)
    client.put_object(Bucket=BUCKET, Key="subtitles/film.es.srt", Body=pathlib.Path(english).read_bytes())
    target = f"s3://{BUCKET}/new/film.mov"
    with s3.edit(URL, client=client) as edit:
        edit.apply("set", "--track", "audio:1", "--title", "Original")
        edit.add_subtitles(f"s3://{BUCKET}/subtitles/film.es.srt")
        edit.save(target)
    movie = s3.inspect(target, client=client)
    assert movie.tracks[-1].language == "es" and "Original" in [track.title for track in movie.tracks]
    assert contents(client) == old
    with pytest.raises(FileExistsError):
        s3.add_subtitles(URL, english, client=client, output=target)
    s3.add_subtitles(URL, english, client=client, output=target, overwrite=True)
    assert s3.inspect(target, client=client).tracks[-1].language == "en"


def test_warns_at_the_line_of_the_caller(client: Any, tmp_path: pathlib.Path) -> None:
    late = tmp_path / "late.en.srt"
    late.write_text("1\n00:00:01,000 --> 00:00:02,000\nHello\n\n2\n09:00:00,000 --> 09:00:01,000\nLate\n")
    with pytest.warns(movtool.MovtoolWarning) as found, s3.edit(URL, client=client) as edit:
        s3.add_subtitles(URL, str(late), client=client, dry_run=True)
        edit.add_subtitles(str(late))
    assert [warning.filename for warning in found] == [__file__, __file__]
    old = client.head_object(Bucket=BUCKET, Key="film.mov")["ETag"]
    with pytest.raises(movtool.StrictError):
        s3.add_subtitles(URL, str(late), client=client, strict=True)
    assert client.head_object(Bucket=BUCKET, Key="film.mov")["ETag"] == old


def test_plans_without_writing(client: Any, english: str) -> None:
    requests = Requests(client)
    report = s3.add_subtitles(URL, english, client=client, dry_run=True)
    assert not report.is_written and set(requests.counts) == {"GetObject"} and requests.counts["GetObject"] <= 5


def test_notices_another_version_while_reading(client: Any) -> None:
    film = s3.open(URL, client=client)
    client.put_object(Bucket=BUCKET, Key="film.mov", Body=long_film()[:-1] + b"?")
    assert film.read_at(0, 16)[4:8] == b"ftyp"  # From the cache.
    with pytest.raises(movtool.ObjectChanged):
        film.read_at(8 << 20, 16)


@pytest.mark.parametrize("moment", ["UploadPartCopy", "CompleteMultipartUpload", "HeadObject"])
def test_keeps_an_object_that_another_program_replaced(
    store: Store, client: Any, english: str, moment: str,
) -> None:
    """The object is replaced between plan and copy, after the comparison of tags, and before it."""
    new = long_film()[:-1] + b"?"
    requests, other, lock = Requests(client), store.client(), threading.Lock()
    done: List[str] = []

    def replace(operation: str, request: Any) -> None:
        with lock:
            if operation == moment and not done:
                other.put_object(Bucket=BUCKET, Key="film.mov", Body=new)
                done.append(operation)

    requests.before = replace
    if moment == "CompleteMultipartUpload" and store.name == "localbucket":
        # This store ignores `If-Match` at completion, so the last moment is not protected.
        s3.add_subtitles(URL, english, client=client)
        assert contents(client) != new
        return
    with pytest.raises(movtool.ObjectChanged):
        s3.add_subtitles(URL, english, client=client)
    assert done == [moment] and contents(client) == new


def test_new_objects_do_not_replace_others(store: Store, client: Any, english: str) -> None:
    """Another program writes the target after it was found to be absent."""
    requests, other = Requests(client), store.client()

    def write(operation: str, request: Any) -> None:
        if operation == "CompleteMultipartUpload" and requests.counts[operation] == 1:
            other.put_object(Bucket=BUCKET, Key="new.mov", Body=b"other")

    requests.before = write
    with pytest.raises(movtool.ObjectChanged):
        s3.add_subtitles(URL, english, client=client, output=f"s3://{BUCKET}/new.mov")
    assert contents(client, "new.mov") == b"other"


def answer(status: int, code: str) -> AWSResponse:
    """Returns an error as the store would send it."""
    body = f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode()

    class Raw(io.BytesIO):
        def stream(self, **_: object) -> Iterator[bytes]:
            yield self.read()

    return AWSResponse("http://127.0.0.1/", status, {"Content-Type": "application/xml"}, Raw(body))


@pytest.mark.parametrize("operation", [
    "GetObject", "CreateMultipartUpload", "UploadPart", "UploadPartCopy", "HeadObject", "CompleteMultipartUpload",
])
def test_repeats_requests_of_a_busy_store(
    client: Any, english: str, operation: str, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    requests = Requests(client)
    requests.before = lambda name, request: \
        answer(503, "SlowDown") if name == operation and requests.counts[name] <= 2 else None
    s3.add_subtitles(URL, english, client=client)
    requests.before = lambda name, request: None
    assert s3.inspect(URL, client=client).tracks[-1].language == "en"


@pytest.mark.parametrize("operation", ["UploadPart", "UploadPartCopy", "HeadObject", "CompleteMultipartUpload"])
def test_leaves_nothing_after_a_failure(
    client: Any, english: str, operation: str, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    old = contents(client)
    requests = Requests(client)
    requests.before = lambda name, request: answer(500, "InternalError") if name == operation else None
    with pytest.raises(ClientError):
        s3.add_subtitles(URL, english, client=client)
    requests.before = lambda name, request: None
    assert requests.counts["AbortMultipartUpload"] == 1 and contents(client) == old


def test_repeats_a_part_that_was_stored(client: Any, english: str) -> None:
    """The store receives each part twice, as after a lost answer."""
    sent: List[Dict[str, Any]] = []

    class Twice:
        def __getattr__(self, name: str) -> Any:
            method = getattr(client, name)
            if name not in ("upload_part", "upload_part_copy"):
                return method

            def repeated(**words: Any) -> Any:
                sent.append(words)
                method(**words)
                return method(**words)

            return repeated

    s3.add_subtitles(URL, english, client=Twice())
    assert sent and s3.inspect(URL, client=client).tracks[-1].language == "en"


def test_notices_a_lost_answer_to_the_completion(store: Store, client: Any, english: str) -> None:
    class Lossy:
        def __getattr__(self, name: str) -> Any:
            method = getattr(client, name)
            if name != "complete_multipart_upload":
                return method

            def lost(**words: Any) -> Any:
                words.pop("IfMatch", None)
                method(**words)
                raise EndpointConnectionError(endpoint_url=store.url)

            return lost

    if store.name == "localbucket":  # Its tags of multipart objects are not the tags of S3, so they are no evidence.
        with pytest.raises(EndpointConnectionError):
            s3.add_subtitles(URL, english, client=Lossy())
    else:
        s3.add_subtitles(URL, english, client=Lossy())
    assert s3.inspect(URL, client=client).tracks[-1].language == "en"


def test_repeats_a_read_that_breaks_off(client: Any) -> None:
    from botocore.exceptions import IncompleteReadError

    broken: List[int] = []

    class Body(io.BytesIO):
        def read(self, size: "int | None" = -1) -> bytes:
            broken.append(1)
            raise IncompleteReadError(actual_bytes=1, expected_bytes=2)

    class Broken:
        def __getattr__(self, name: str) -> Any:
            method = getattr(client, name)

            def get(**words: Any) -> Any:
                response = method(**words)
                return response if len(broken) % 3 == 2 else {**response, "Body": Body()}

            return get if name == "get_object" else method

    film = s3.open(URL, client=Broken())
    assert film.size == 12 << 20 and len(broken) == 2


def test_ranges_of_the_cache(client: Any) -> None:
    data, block = long_film(), _objects.BLOCK_SIZE
    film = s3.open(URL, client=client)
    assert (film.size, film.request_count, film.byte_count) == (len(data), 1, block)
    for offset, count in [(0, 8), (block - 4, 8), (3 * block, block), (block, 5 * block), (len(data) - 3, 10),
                          (len(data), 4), (len(data) + 9, 4), (5, 0)]:
        assert film.read_at(offset, count) == data[offset:offset + count]
    # Blocks 1, 3, 2 to 5, and the last block.
    assert film.request_count == 5
    before = film.request_count
    assert film.read_at(block // 2, 4 * block) == data[block // 2:block // 2 + 4 * block]
    assert film.request_count == before


def test_ends_with_its_server(english: str, tmp_path: pathlib.Path) -> None:
    """The server ends between two parts."""
    with running("localbucket", tmp_path / "store") as store:
        client = store.client(attempts=1)
        client.put_object(Bucket=BUCKET, Key="film.mov", Body=long_film())
        requests = Requests(client)

        def end(operation: str, request: Any) -> None:
            if operation in ("UploadPart", "UploadPartCopy"):
                store.processes[0].kill()
                store.processes[0].wait()

        requests.before = end
        # Other parts may be read while the server ends.
        with pytest.raises((EndpointConnectionError, ResponseStreamingError)) as failure:
            s3.add_subtitles(URL, english, client=client)
        assert (store.folder / "data" / BUCKET / "film.mov").read_bytes() == long_film()
        # The parts that the tool could not remove are named, where Python has notes.
        notes = getattr(failure.value, "__notes__", None)
        assert notes is None or "remain" in notes[0]


def test_refuses_wrong_credentials(store: Store, client: Any, english: str) -> None:
    wrong = store.client(secret="wrong")
    if store.name == "localbucket":  # It checks no credentials, so the answer is made.
        Requests(wrong).before = lambda name, request: answer(403, "SignatureDoesNotMatch")
    with pytest.raises(ClientError) as failure:
        s3.add_subtitles(URL, english, client=wrong)
    assert failure.value.response["Error"]["Code"] == "SignatureDoesNotMatch"


def test_a_wrong_clock_is_an_error_of_the_store(client: Any, english: str) -> None:
    old = contents(client)
    requests = Requests(client)
    requests.before = lambda name, request: \
        answer(403, "RequestTimeTooSkewed") if name == "CompleteMultipartUpload" else None
    with pytest.raises(ClientError) as failure:
        s3.add_subtitles(URL, english, client=client)
    requests.before = lambda name, request: None
    assert failure.value.response["Error"]["Code"] == "RequestTimeTooSkewed" and contents(client) == old


def test_an_edit_replaces_its_object_once(client: Any, english: str) -> None:
    with s3.edit(URL, client=client) as edit:
        edit.add_subtitles([english])
        edit.save(f"s3://{BUCKET}/new.mov")
        edit.save()
        with pytest.raises(ValueError, match="has been saved"):
            edit.save()
    with pytest.raises(ValueError, match="closed"):
        edit.save()
    assert s3.inspect(URL, client=client).tracks[-1].language == "en"


def test_keys_that_begin_with_hyphens(client: Any, english: str) -> None:
    client.put_object(Bucket=BUCKET, Key="--help.mov", Body=long_film())
    url = f"s3://{BUCKET}/--help.mov"
    s3.add_subtitles(url, english, client=client)
    assert s3.inspect(url, client=client).tracks[-1].language == "en"


def test_refuses_what_is_no_movie(client: Any, english: str) -> None:
    client.put_object(Bucket=BUCKET, Key="film.mov", Body=b"")
    with pytest.raises(movtool.BadDataError, match="empty"):
        s3.inspect(URL, client=client)
    client.put_object(Bucket=BUCKET, Key="film.mov", Body=b"not a movie" * 99)
    with pytest.raises(movtool.BadDataError):
        s3.add_subtitles(URL, english, client=client)
    with pytest.raises(ClientError):
        s3.inspect(f"s3://{BUCKET}/missing.mov", client=client)
    with pytest.raises(ValueError):
        s3.add_subtitles(URL, client=client)
    for url in ["film.mov", "s3://films", "s3://films/", "https://films/film.mov"]:
        with pytest.raises(ValueError):
            s3.inspect(url, client=client)


def test_conditions_of_a_store_that_knows_them(english: str, tmp_path: pathlib.Path) -> None:
    """moto rejects a new object whose key is taken at the moment of the completion."""
    with running("moto", tmp_path / "store") as store:
        client = store.client()
        client.put_object(Bucket=BUCKET, Key="film.mov", Body=long_film(6 << 20))
        conditions: List[str] = []
        requests, other = Requests(client), store.client()

        def write(operation: str, request: Any) -> None:
            if operation == "CompleteMultipartUpload":
                conditions.append(str(request.headers.get("If-None-Match")))
                other.put_object(Bucket=BUCKET, Key="new.mov", Body=b"other")

        requests.before = write
        with pytest.raises(movtool.ObjectChanged):
            s3.add_subtitles(URL, english, client=client, output=f"s3://{BUCKET}/new.mov")
        assert contents(client, "new.mov") == b"other" and len(conditions) == 1 and "*" in conditions[0]


def condition_results(store: Store, client: Any) -> Dict[str, Tuple[int, int]]:
    """Returns the HTTP status for each condition if it is met and if it is not met."""
    place = {"Bucket": BUCKET, "Key": "film.mov"}
    tag, other = client.head_object(**place)["ETag"], '"0123456789abcdef0123456789abcdef"'

    def status(method: str, **words: Any) -> int:
        try:
            return int(getattr(client, method)(**words)["ResponseMetadata"]["HTTPStatusCode"])
        except ClientError as error:
            return int(error.response["ResponseMetadata"]["HTTPStatusCode"])

    def completed(key: str, **condition: str) -> int:
        upload = {"Bucket": BUCKET, "Key": key}
        upload["UploadId"] = client.create_multipart_upload(**upload)["UploadId"]
        part = client.upload_part(**upload, PartNumber=1, Body=b"new")["ETag"]
        parts = {"Parts": [{"PartNumber": 1, "ETag": part}]}
        found = status("complete_multipart_upload", **upload, MultipartUpload=parts, **condition)
        status("abort_multipart_upload", **upload)
        return found

    def copied(source: Dict[str, str], tag: str) -> int:
        upload = {"Bucket": BUCKET, "Key": "copy.mov"}
        upload["UploadId"] = client.create_multipart_upload(**upload)["UploadId"]
        found = status("upload_part_copy", **upload, PartNumber=1, CopySource=source, CopySourceIfMatch=tag)
        client.abort_multipart_upload(**upload)
        return found

    joined = {"Bucket": BUCKET, "Key": "joined.mov"}
    completed("joined.mov")
    replaced = completed("replaced.mov"), client.head_object(Bucket=BUCKET, Key="replaced.mov")["ETag"]
    results = {
        "read": (status("get_object", **place, IfMatch=tag), status("get_object", **place, IfMatch=other)),
        "copy": (copied(place, tag), copied(place, other)),
        "copy of parts": (
            copied(joined, client.head_object(**joined)["ETag"]), copied(joined, other)),
        "new": (completed("first.mov", IfNoneMatch="*"), completed("joined.mov", IfNoneMatch="*")),
        "replaced": (completed("replaced.mov", IfMatch=replaced[1]), completed("replaced.mov", IfMatch=other)),
    }
    for item in client.list_objects_v2(Bucket=BUCKET)["Contents"]:
        client.delete_object(Bucket=BUCKET, Key=item["Key"])
    return results


#: The table in Docs/object-stores.md.
CONDITIONS = {
    "localbucket": {
        "read": (200, 200), "copy": (200, 412), "copy of parts": (200, 412), "new": (200, 412), "replaced": (200, 200)},
    "moto": {
        "read": (200, 412), "copy": (200, 200), "copy of parts": (200, 200), "new": (200, 412), "replaced": (200, 200)},
    "swift": {
        "read": (200, 412), "copy": (200, 412), "copy of parts": (412, 412), "new": (200, 412), "replaced": (412, 412)},
}


@pytest.mark.parametrize("name", sorted([*STORES, "moto"]))
def test_conditions_of_the_stores(name: str, tmp_path: pathlib.Path) -> None:
    with running(name, tmp_path / "store") as store:
        client = store.client()
        client.put_object(Bucket=BUCKET, Key="film.mov", Body=b"film" * 9)
        assert condition_results(store, client) == CONDITIONS[name]


def sparse_film(path: pathlib.Path, size: int, is_fast_start: bool) -> None:
    """Writes a film of `size` bytes with a hole: after all, or before the movie atom."""
    if is_fast_start:
        movtool.run("remux", MEDIA / "interview.mov", "--fast-start", output=path)
        movie, end = path.read_bytes(), b""
    else:
        movie = (MEDIA / "interview.mov").read_bytes()
        start = movie.index(b"moov") - 4
        movie, end = movie[:start], movie[start:]
    hole = size - len(movie) - len(end)
    with path.open("wb") as file:
        file.write(movie + struct.pack(">I4s", hole, b"mdat"))
        file.seek(size - len(end))
        file.write(end)
        file.truncate(size)


@pytest.mark.parametrize("is_fast_start", [False, True])
def test_requests_and_bytes_of_a_large_film(is_fast_start: bool, english: str, tmp_path: pathlib.Path) -> None:
    size = 1 << 30
    with running("localbucket", tmp_path / "store") as store:
        sparse_film(store.folder / "data" / BUCKET / "film.mov", size, is_fast_start)
        client = store.client()
        requests = Requests(client)
        s3.add_subtitles(URL, english, client=client)
        counts = dict(requests.counts)
        print(f"fast start {is_fast_start}: {counts}, {requests.read} bytes read, {requests.sent} bytes sent")
        # The first part has at least 5 MiB. It contains the new movie atom, and media that has to be read.
        assert counts["GetObject"] <= 5 and requests.read <= (6 << 20 if is_fast_start else 0.003 * size)
        assert requests.sent <= max(0.003 * size, 11 << 20)
        assert counts["UploadPartCopy"] == 8 and sum(counts.values()) <= 20
        assert s3.inspect(URL, client=client).tracks[-1].language == "en"
