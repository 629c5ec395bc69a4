"""Objects of a store with the protocol of Amazon S3, read in ranges through a cache."""

from __future__ import annotations

import collections
import re
import threading
from typing import Any, Dict, List, NamedTuple, Optional, Protocol, Tuple

from ._sources import ObjectChanged

#: Reads are extended to whole blocks of this size.
BLOCK_SIZE = 64 << 10
#: The size of the blocks that are kept. Most movie atoms are much smaller.
CACHE_SIZE = 128 << 20
#: The number of attempts to read a range whose transfer breaks off. The client itself repeats failed requests.
ATTEMPT_COUNT = 4


class Client(Protocol):
    """A client of `boto3.client("s3")`. Its methods are made at run time, so they have no types."""

    def __getattr__(self, name: str) -> Any:
        """Returns a method."""


class Location(NamedTuple):
    """The bucket and the key of an object."""

    bucket: str
    key: str

    @classmethod
    def of(cls, url: str) -> "Location":
        """Parses `s3://bucket/key`."""
        match = re.fullmatch(r"s3://([^/]+)/(.+)", url, re.DOTALL)
        if match is None:
            raise ValueError(f"{url} is not the URL of an object, such as s3://bucket/film.mov")
        return cls(match[1], match[2])

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.key}"

    @property
    def words(self) -> Dict[str, str]:
        """The arguments of the client's methods."""
        return {"Bucket": self.bucket, "Key": self.key}


def error_of(error: Exception) -> Tuple[int, str]:
    """Returns the HTTP status and the code of an error of the store, or 0 and an empty text for other exceptions."""
    response: Dict[str, Any] = getattr(error, "response", None) or {}
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return int(status or 0), str(response.get("Error", {}).get("Code", ""))


class StoredObject:
    """One version of an object. Every read requests this version by its ETag."""

    def __init__(self, client: Client, location: Location) -> None:
        self._client = client
        self.location = location
        self._lock = threading.Lock()
        self._blocks: "collections.OrderedDict[int, bytes]" = collections.OrderedDict()
        self._cached = 0
        #: The number of requests that read the object.
        self.request_count = 0
        #: The number of bytes that were read.
        self.byte_count = 0
        #: The answer to the first request, with the object's headers.
        self.headers: Dict[str, Any] = {}
        # The first request also returns the size and the tag, so no separate request is needed.
        self.size, self.tag = 0, ""
        block = self._get(0, BLOCK_SIZE)
        self._keep(0, block)

    @property
    def name(self) -> str:
        """The file name, which is the last component of the key."""
        return self.location.key.rstrip("/").rsplit("/", 1)[-1]

    def read_at(self, offset: int, count: int) -> bytes:
        """Returns at most `count` bytes from `offset`. Raises `ObjectChanged` if the object has another version."""
        end = min(offset + count, self.size)
        if offset >= end:
            return b""
        start = offset - offset % BLOCK_SIZE
        blocks: List[Optional[bytes]] = []
        with self._lock:
            for position in range(start, end, BLOCK_SIZE):
                if position in self._blocks:
                    self._blocks.move_to_end(position)
                blocks.append(self._blocks.get(position))
        # One request reads all blocks from the first missing block to the last one.
        missing = [index for index, block in enumerate(blocks) if block is None]
        if missing:
            first = start + missing[0] * BLOCK_SIZE
            size = min((missing[-1] - missing[0] + 1) * BLOCK_SIZE, self.size - first)
            found = self._get(first, size)
            for index in range(missing[0], missing[-1] + 1):
                begin = (index - missing[0]) * BLOCK_SIZE
                blocks[index] = found[begin:begin + BLOCK_SIZE]
            self._keep(first, found)
        joined = b"".join(block for block in blocks if block is not None)
        return joined[offset - start:end - start]

    def _keep(self, offset: int, found: bytes) -> None:
        """Adds bytes to the cache, unless they would replace all of it."""
        if len(found) > CACHE_SIZE // 2:
            return
        with self._lock:
            for begin in range(0, len(found), BLOCK_SIZE):
                block = found[begin:begin + BLOCK_SIZE]
                self._cached += len(block) - len(self._blocks.pop(offset + begin, b""))
                self._blocks[offset + begin] = block
            while self._cached > CACHE_SIZE:
                self._cached -= len(self._blocks.popitem(last=False)[1])

    def _get(self, offset: int, count: int) -> bytes:
        """Reads a range of this version with one request, and repeats the request if the transfer breaks off."""
        from botocore import exceptions

        attempt = 1
        while True:
            try:
                return self._request(offset, count)
            except (exceptions.HTTPClientError, exceptions.IncompleteReadError, OSError):
                # The client repeats requests only until it has the headers of the response.
                if attempt == ATTEMPT_COUNT:
                    raise
                attempt += 1

    def _request(self, offset: int, count: int) -> bytes:
        condition = {"IfMatch": self.tag} if self.tag else {}
        try:
            response = self._client.get_object(
                **self.location.words, **condition, Range=f"bytes={offset}-{offset + count - 1}")
        except Exception as error:
            status, _ = error_of(error)
            if self.tag and status in (404, 412, 416):
                raise ObjectChanged(f"{self.location} has changed") from error
            if status != 416:
                raise
            # An empty object has no range.
            self.headers = self._client.head_object(**self.location.words)
            self.tag = self.headers["ETag"]
            return b""
        body = response["Body"]
        try:
            # The context manager of `body` would give the stream below it, whose errors are not those of botocore.
            block: bytes = body.read()
        finally:
            body.close()
        size = int(response["ContentRange"].rsplit("/", 1)[1]) if "ContentRange" in response else len(block)
        self.request_count += 1
        self.byte_count += len(block)
        if not self.tag:
            self.headers, self.size, self.tag = response, size, response["ETag"]
        elif (size, response["ETag"]) != (self.size, self.tag):
            # Some stores ignore the condition.
            raise ObjectChanged(f"{self.location} has changed")
        if len(block) != min(count, self.size - offset):
            raise OSError(f"{self.location}: the store returned {len(block)} bytes instead of {count} from {offset}")
        return block
