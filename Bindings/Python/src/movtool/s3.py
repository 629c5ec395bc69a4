"""Reads and edits movies in Amazon S3 and stores with its protocol.

    from movtool import s3

    s3.add_subtitles("s3://bucket/film.mov", "film.en.srt")

The store copies the media itself, and only the new bytes are sent. The old object is replaced as a whole or remains.
This module needs boto3: `pip install movtool[s3]`. `client` is a client of `boto3.client("s3")`, and `endpoint_url` the
address of another store. Errors of the store are exceptions of botocore.
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import io
from typing import Any, Dict, List, Optional, Tuple

from ._calls import Word, command_words, run_command
from ._edits import MEBIBYTE, OpenEdit, Part, Plan
from ._movie import Edit, Movie
from ._objects import Client, Location, StoredObject, error_of
from ._sources import Inputs, ObjectChanged, Readable, each

__all__ = ["Client", "ObjectChanged", "StoredEdit", "StoredObject", "add_subtitles", "edit", "inspect", "open"]

#: The number of parts that are copied or sent at once.
WORKER_COUNT = 8
#: Larger parts are read while they are sent.
LARGEST_IN_MEMORY = 16 * MEBIBYTE


def make_client(endpoint_url: Optional[str] = None) -> Client:
    """Returns a client of the store at an address, or of Amazon S3."""
    import boto3
    from botocore.config import Config

    config = Config(
        retries={"mode": "standard", "total_max_attempts": 6}, max_pool_connections=2 * WORKER_COUNT,
        # A copy of 5 GiB takes longer than the default of a minute.
        read_timeout=900)
    client: Client = boto3.client("s3", endpoint_url=endpoint_url, config=config)
    return client


def open(url: str, *, client: Optional[Client] = None, endpoint_url: Optional[str] = None) -> StoredObject:  # noqa: A001
    """Opens an object as an input of every function of this package. It is read in ranges through a cache."""
    return StoredObject(client or make_client(endpoint_url), Location.of(url))


def inspect(
    url: str, *, client: Optional[Client] = None, endpoint_url: Optional[str] = None, **values: object,
) -> Movie:
    """Returns the tracks, menus, metadata and findings of a movie in a store."""
    movie = open(url, client=client, endpoint_url=endpoint_url)
    return Movie({**run_command("inspect", [movie], values).answer["files"][0], "file": url})


def add_subtitles(
    url: str, *files: Inputs, output: Optional[str] = None, overwrite: bool = False, dry_run: bool = False,
    strict: bool = False, client: Optional[Client] = None, endpoint_url: Optional[str] = None, **values: object,
) -> Edit:
    """Adds subtitle files to a movie in a store: to the object itself, or as a new object with the URL `output`.

    `files` are files, objects with `read_at`, or `s3://` URLs. `values` are the options of `movtool.add_subtitles`. An
    existing `output` is replaced only with `overwrite`. With `if_absent`, nothing is written if the movie has all of
    the subtitles.
    """
    if not files:
        raise ValueError("name at least one subtitle file")
    with edit(url, client=client, endpoint_url=endpoint_url) as stored:
        opened = tuple(stored.opened(file) for file in each(files))
        report = stored.apply_words(command_words("add-subtitle", [stored.name, *opened], values), strict)
        if dry_run or values.get("if_absent") and not report["tracks"] and output is None:
            return report
        return stored.save(output, overwrite=overwrite)


def edit(url: str, *, client: Optional[Client] = None, endpoint_url: Optional[str] = None) -> "StoredEdit":
    """Begins an edit of a movie in a store. Nothing is written until `save`."""
    return StoredEdit(client or make_client(endpoint_url), Location.of(url))


class StoredEdit(OpenEdit):
    """An edit of a movie in a store, which several commands prepare."""

    def __init__(self, client: Client, location: Location) -> None:
        self._client = client
        #: The old version of the movie.
        self.object = StoredObject(client, location)
        super().__init__(self.object)
        self._layout = ["--layout=store"]
        self._report: Optional[Edit] = None
        # Whether the old version has been replaced.
        self._is_saved = False

    @property
    def name(self) -> str:
        """The name of the movie in command lines."""
        return self._name

    def opened(self, file: Readable) -> Readable:
        """Returns the object for an `s3://` URL, and other inputs unchanged."""
        if isinstance(file, str) and file.startswith("s3://"):
            return StoredObject(self._client, Location.of(file))
        return file

    def apply_words(self, words: List[Word], strict: bool) -> Edit:
        """Adds the changes of a command line whose movie is `name`."""
        report = self._apply(words, strict, 5)
        self._report = Edit({**report, "file": str(self.object.location), "output": str(self.object.location)})
        return self._report

    def apply(self, command: str, *words: Word, strict: bool = False) -> Edit:
        """Adds the changes of a command that edits, like `movtool.OpenEdit.apply`."""
        return self.apply_words([command, self._name, *words], strict)

    def add_subtitles(self, *files: Inputs, strict: bool = False, **values: object) -> Edit:
        """Adds subtitles, like the function of this name."""
        if not files:
            raise ValueError("name at least one subtitle file")
        opened = tuple(self.opened(file) for file in each(files))
        return self.apply_words(command_words("add-subtitle", [self._name, *opened], values), strict)

    def save(
        self, output: Optional[str] = None, *, overwrite: bool = False, part_size: int = 5 * MEBIBYTE,
        part_count: int = 10_000,
    ) -> Edit:
        """Replaces the object, or writes a new object with the URL `output`. Returns the report of the last command.

        Raises `ObjectChanged` if the movie, or an object at `output`, has changed in the meantime. `FileExistsError` is
        raised if there is an object at `output` and `overwrite` is false. After an exception, the old object is
        unchanged, and no parts are left. An edit can replace the object only once. `part_size` and `part_count` are
        limits of the store.
        """
        plan = self.plan()
        if self._is_saved:
            raise ValueError(f"the edit of {self.object.location} has been saved; begin a new edit")
        target = Location.of(output) if output else self.object.location
        upload = Upload(self._client, self.object, plan, target, overwrite)
        sent = upload.carry_out(plan.parts(smallest=part_size, count=part_count))
        self._is_saved = target == self.object.location
        members = dict(self._report or {})
        members.update(output=str(target), isDryRun=False, isWritten=True, bytesWritten=sent)
        return Edit(members)


class _PartBody(io.RawIOBase):
    """The bytes of a part, which are read while they are sent."""

    def __init__(self, plan: Plan, part: Part) -> None:
        self._plan, self._part, self._position = plan, part, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._part.size}[whence]
        self._position = max(0, start + offset)
        return self._position

    def tell(self) -> int:
        return self._position

    def read(self, size: Optional[int] = -1) -> bytes:
        rest = max(0, self._part.size - self._position)
        count = rest if size is None or size < 0 else min(size, rest)
        block = self._plan.read(self._part.offset + self._position, count) if count else b""
        self._position += len(block)
        return block


#: The headers of the old object that the new object gets, by the names of the client's arguments.
_KEPT_HEADERS = (
    "CacheControl", "ContentDisposition", "ContentEncoding", "ContentLanguage", "ContentType", "Expires", "Metadata",
    "SSEKMSKeyId", "ServerSideEncryption", "StorageClass", "WebsiteRedirectLocation",
)


class Upload:
    """A multipart upload of a planned movie."""

    def __init__(
        self, client: Client, source: StoredObject, plan: Plan, target: Location, overwrites: bool,
    ) -> None:
        self._client, self._source, self._plan, self._target = client, source, plan, target
        self._size = plan.size
        # The tag of the object that the upload replaces, or `None` if there must be no object.
        self._old_tag: Optional[str] = source.tag
        if target != source.location:
            self._old_tag = self._tag_of_target()
            if self._old_tag is not None and not overwrites:
                raise FileExistsError(f"{target} exists")
        self._knows_copy_condition = True

    def carry_out(self, parts: List[Part]) -> int:
        """Uploads the movie and replaces the target. Returns the number of bytes that were sent."""
        created = self._client.create_multipart_upload(**self._target.words, **self._kept_headers())
        upload = {**self._target.words, "UploadId": created["UploadId"]}
        try:
            tags = self._transfer(parts, upload)
            self._check_parts(parts, upload)
            self._require_unchanged()
            tag = self._complete(tags, upload)
        except BaseException as error:
            try:
                self._client.abort_multipart_upload(**upload)
            except Exception as failure:
                if error_of(failure)[0] != 404 and hasattr(error, "add_note"):
                    error.add_note(f"the parts of the upload {upload['UploadId']} of {self._target} remain: {failure}")
            raise
        self._check_result(tag)
        return sum(part.size for part in parts if part.source != 0)

    def _kept_headers(self) -> Dict[str, Any]:
        headers = {name: self._source.headers[name] for name in _KEPT_HEADERS if self._source.headers.get(name)}
        if self._source.headers.get("TagCount"):
            from urllib.parse import urlencode

            found = self._client.get_object_tagging(**self._source.location.words)
            headers["Tagging"] = urlencode([(tag["Key"], tag["Value"]) for tag in found["TagSet"]])
        return headers

    # Parts

    def _transfer(self, parts: List[Part], upload: Dict[str, str]) -> List[str]:
        """Copies and sends all parts, several at once, and returns their tags. After an exception, none is in transfer."""
        with concurrent.futures.ThreadPoolExecutor(WORKER_COUNT) as pool:
            futures = [
                pool.submit(self._transfer_part, part, {**upload, "PartNumber": number})
                for number, part in enumerate(parts, 1)
            ]
            try:
                return [future.result() for future in futures]
            except BaseException:
                for future in futures:
                    future.cancel()
                raise

    def _transfer_part(self, part: Part, words: Dict[str, Any]) -> str:
        if part.source != 0 or part.source_offset is None:
            body = self._plan.read(part.offset, part.size) if part.size <= LARGEST_IN_MEMORY else \
                _PartBody(self._plan, part)
            return str(self._client.upload_part(**words, Body=body, ContentLength=part.size)["ETag"])
        words.update(
            CopySource=self._source.location.words,
            CopySourceRange=f"bytes={part.source_offset}-{part.source_offset + part.size - 1}")
        if self._knows_copy_condition:
            try:
                return self._copy(words, CopySourceIfMatch=self._source.tag)
            except Exception as error:
                if error_of(error)[0] != 412:
                    raise
                # Some stores reject the right tag. The tag is compared again before the upload is completed.
                self._require_source(error)
                self._knows_copy_condition = False
        return self._copy(words)

    def _copy(self, words: Dict[str, Any], **condition: str) -> str:
        return str(self._client.upload_part_copy(**words, **condition)["CopyPartResult"]["ETag"])

    def _check_parts(self, parts: List[Part], upload: Dict[str, str]) -> None:
        """Compares the sizes of the parts in the store with the plan. Some stores shorten a copy without an error."""
        found: Dict[int, int] = {}
        marker: Dict[str, Any] = {}
        while True:
            try:
                listed = self._client.list_parts(**upload, **marker)
            except Exception as error:
                if error_of(error)[0] in (400, 405, 501):
                    return  # The store cannot list parts. The size of the new object is compared.
                raise
            found.update({part["PartNumber"]: part["Size"] for part in listed.get("Parts", [])})
            if not listed.get("IsTruncated"):
                break
            marker = {"PartNumberMarker": listed["NextPartNumberMarker"]}
        for number, part in enumerate(parts, 1):
            if found.get(number) != part.size:
                raise OSError(f"part {number} of {self._target} has {found.get(number)} bytes instead of {part.size}")

    # Conditions

    def _tag_of(self, location: Location) -> Optional[Tuple[str, int]]:
        """Returns the tag and the size of an object, or `None` if there is no object."""
        try:
            head = self._client.head_object(**location.words)
        except Exception as error:
            if error_of(error)[0] == 404:
                return None
            raise
        return str(head["ETag"]), int(head["ContentLength"])

    def _tag_of_target(self) -> Optional[str]:
        found = self._tag_of(self._target)
        return found[0] if found else None

    def _require_source(self, cause: Optional[Exception] = None) -> None:
        if self._tag_of(self._source.location) != (self._source.tag, self._source.size):
            raise ObjectChanged(f"{self._source.location} has changed") from cause

    def _require_unchanged(self, cause: Optional[Exception] = None) -> None:
        """Compares the tags of the source and the target. Stores that know no conditions need this."""
        if self._target == self._source.location or not self._knows_copy_condition:
            self._require_source(cause)
        if self._target != self._source.location and self._tag_of_target() != self._old_tag:
            raise ObjectChanged(f"{self._target} has changed") from cause

    def _complete(self, tags: List[str], upload: Dict[str, str]) -> Optional[str]:
        """Replaces the target, and returns its new tag if it is known."""
        parts = {"Parts": [{"PartNumber": number, "ETag": tag} for number, tag in enumerate(tags, 1)]}

        def complete(**condition: str) -> str:
            return str(self._client.complete_multipart_upload(**upload, MultipartUpload=parts, **condition)["ETag"])

        try:
            return complete(**({"IfMatch": self._old_tag} if self._old_tag else {"IfNoneMatch": "*"}))
        except Exception as error:
            if self._is_completed(tags):
                return None  # The store completed the upload, but its answer was lost.
            status, code = error_of(error)
            if status == 409:
                raise ObjectChanged(f"{self._target} has changed") from error
            if status not in (412, 501) and code not in ("InvalidArgument", "InvalidRequest"):
                raise
            # The condition is not met, or the store does not know it.
            self._require_unchanged(error)
            return complete()

    def _is_completed(self, tags: List[str]) -> bool:
        """Whether the target has the tag that S3 computes from the tags of the parts."""
        try:
            digests = b"".join(bytes.fromhex(tag.strip('"')) for tag in tags)
        except ValueError:
            return False
        try:
            found = self._tag_of(self._target)
        except Exception:
            return False
        return found == (f'"{hashlib.md5(digests).hexdigest()}-{len(tags)}"', self._size)

    def _check_result(self, tag: Optional[str]) -> None:
        found = self._tag_of(self._target)
        if found is None or tag is not None and found[0].strip('"') != tag.strip('"'):
            return  # Another program has replaced or deleted the new object.
        if found[1] != self._size:
            raise OSError(f"{self._target} has {found[1]} bytes instead of {self._size}")
