"""Plays movies from the service with ffmpeg, and compares them with files that movtool writes: service.py SERVICE MOVTOOL.

The tests do not use Swift, so they check the service as other programs use it.
"""

import concurrent.futures
import contextlib
import http.client
import os
import random
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

SERVICE, MOVTOOL = (os.path.abspath(path) for path in sys.argv[1:3])
MEDIA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../TestMedia")
SUBTITLES = ["interview.en.sdh.srt", "interview.es.srt"]
# The requests, each with the options with which movtool writes the same movie.
MOVIES = [("interview.mov", []), ("interview.mov?fast-start", ["--fast-start"]), ("interview.mp4", [])]


class Service:
    """A process that serves a folder on a port that the system chose."""

    def __init__(self, folder):
        self.process = subprocess.Popen([SERVICE, folder, "0", "movies.example.com"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        line = self.process.stdout.readline().decode()
        self.url = line.split()[0]
        self.port = int(self.url.rstrip("/").rsplit(":", 1)[1])

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=10)
        self.process.stdout.close()

    def ask(self, target, method="GET", **headers):
        """Sends a request, and returns the status, the headers in lower case, and the body. The target is not escaped."""
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.putrequest(method, target, skip_host="Host" in headers, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name.replace("_", "-"), value)
            connection.endheaders()
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()

    def status_field(self, name):
        """Returns a size from /proc/PID/status in bytes."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name + ":"))

    def open_files(self):
        """Returns the movies that the process has opened."""
        folder, found = f"/proc/{self.process.pid}/fd", []
        for name in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError):  # The file was closed in the meantime.
                found.append(os.readlink(os.path.join(folder, name)))
        return [path for path in found if "/movies/" in path]


class ServiceTests(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = os.path.join(self.scratch.name, "movies")
        os.mkdir(self.folder)
        for name, source in [("interview.mov", "interview.mov"), ("interview.mp4", "interview.mp4"),
                             (SUBTITLES[0], "en.srt"), (SUBTITLES[1], "es.srt")]:
            shutil.copy(os.path.join(MEDIA, source), self.path(name))
        with open(os.path.join(self.scratch.name, "secret.mov"), "wb") as file:
            file.write(b"secret")
        self.before = self.contents()
        self.service = Service(self.folder)
        self.addCleanup(self.service.stop)

    def path(self, name):
        return os.path.join(self.folder, name)

    def contents(self):
        return {name: (os.stat(self.path(name)).st_size, os.stat(self.path(name)).st_mtime_ns) for name in os.listdir(self.folder)}

    def written(self, name, options):
        """Returns the bytes that movtool writes."""
        argv = [MOVTOOL, "add-subtitle", self.path(name)] + [self.path(file) for file in SUBTITLES]
        return subprocess.run(argv + options + ["-o", "-"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    # Whole movies.

    def test_bytes_are_those_that_movtool_writes(self):
        for target, options in MOVIES:
            status, headers, body = self.service.ask("/" + target)
            self.assertEqual(status, 200, target)
            self.assertEqual(headers["content-length"], str(len(body)))
            self.assertEqual(headers["accept-ranges"], "bytes")
            self.assertEqual(headers["content-type"], "video/mp4" if "mp4" in target else "video/quicktime")
            self.assertTrue(body == self.written(target.split("?")[0], options), target)
        self.assertEqual(self.contents(), self.before)

    def test_players_see_the_packets_of_the_file_wherever_they_begin(self):
        for target, options in MOVIES:
            file = os.path.join(self.scratch.name, "file.mov")
            with open(file, "wb") as output:
                output.write(self.written(target.split("?")[0], options))
            for seek in [[], ["-ss", "3.1"], ["-ss", "7.5"], ["-ss", "9.9"]]:
                packets = [self.packets(movie, seek) for movie in (self.service.url + target, file)]
                self.assertEqual(packets[0], packets[1], f"{target} {seek}")
                self.assertGreater(len(packets[0]), 700 if not seek else 4)

    def packets(self, movie, seek):
        argv = ["ffmpeg", "-v", "error", "-nostdin"] + seek + ["-i", movie, "-map", "0:v", "-map", "0:a", "-map", "0:s"]
        done = subprocess.run(argv + ["-c", "copy", "-f", "framemd5", "-"], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""), movie)
        return done.stdout.splitlines()

    def test_languages_are_chosen(self):
        def tracks(target):
            argv = ["ffprobe", "-v", "error", "-select_streams", "s", "-show_entries", "stream_tags=language", "-of", "csv=p=0"]
            return subprocess.run(argv + [self.service.url + target], capture_output=True, text=True, timeout=60).stdout.split()

        self.assertEqual(tracks("interview.mov"), ["eng", "spa"])
        self.assertEqual(tracks("interview.mov?subtitles=es"), ["spa"])
        with open(self.path("interview.mov"), "rb") as file:
            self.assertTrue(self.service.ask("/interview.mov?subtitles=")[2] == file.read())

    # The page, and HTTP Live Streaming.

    def test_the_page_plays_the_movie_and_its_presentation(self):
        status, headers, page = self.service.ask("/interview.mov/")
        self.assertEqual((status, headers["content-type"]), (200, "text/html; charset=utf-8"))
        self.assertIn("default-src 'none'", headers["content-security-policy"])
        text = page.decode()
        for part in ['src="../interview.mov"', '"url":"hls/main.m3u8"', 'label="English SDH"', 'label="Spanish"']:
            self.assertIn(part, text)
        self.assertEqual(self.service.ask("/interview.mov/", "HEAD")[2], b"")
        self.assertEqual(self.service.ask("/interview.mov/", If_None_Match=headers["etag"])[0], 304)
        self.assertNotEqual(headers["etag"], self.service.ask("/interview.mov", "HEAD")[1]["etag"])
        self.assertEqual(self.contents(), self.before)

    def test_the_presentation_is_that_which_movtool_writes(self):
        film, folder = os.path.join(self.scratch.name, "film.mov"), os.path.join(self.scratch.name, "film-hls")
        with open(film, "wb") as file:
            file.write(self.written("interview.mov", []))
        subprocess.run([MOVTOOL, "hls", film, "-o", folder], check=True, stdout=subprocess.DEVNULL)
        paths = [os.path.relpath(os.path.join(place, name), folder) for place, _, names in os.walk(folder) for name in names]
        self.assertGreater(len(paths), 10)
        for path in paths:
            with open(os.path.join(folder, path), "rb") as file:
                wanted = file.read()
            status, headers, body = self.service.ask("/interview.mov/hls/" + path)
            self.assertEqual((status, body), (200, wanted), path)
            status, _, body = self.service.ask("/interview.mov/hls/" + path, Range="bytes=1-40")
            self.assertEqual((status, body), (206, wanted[1:41]), path)
        types = {path: self.service.ask("/interview.mov/hls/" + path, "HEAD")[1]["content-type"] for path in paths}
        self.assertEqual(types["main.m3u8"], "application/vnd.apple.mpegurl")
        self.assertEqual(self.contents(), self.before)

    # Ranges.

    def test_ranges_are_those_bytes(self):
        noise = random.Random(1)
        for target, _ in MOVIES:
            whole = self.service.ask("/" + target)[2]
            size = len(whole)
            cases = [("0-0", 0, 1), ("10-19", 10, 20), ("-5", size - 5, size), (f"{size - 1}-", size - 1, size), ("0-", 0, size),
                     (f"5-{size + 7}", 5, size), (f"-{size + 7}", 0, size), ("7-99999999999999999999", 7, size),
                     (f"7-{(1 << 64) - 1}", 7, size)]
            for _ in range(40):
                start = noise.randrange(size)
                end = noise.randrange(start, size)
                cases.append((f"{start}-{end}", start, end + 1))
            for text, start, end in cases:
                status, headers, body = self.service.ask("/" + target, Range="bytes=" + text)
                self.assertEqual(status, 206, text)
                self.assertEqual(headers["content-range"], f"bytes {start}-{end - 1}/{size}")
                self.assertEqual(headers["content-length"], str(end - start))
                self.assertTrue(body == whole[start:end], text)

    def test_ranges_that_make_no_sense_give_the_whole(self):
        size = len(self.service.ask("/interview.mp4")[2])
        for value in ["bytes=5-4", "bytes=", "bytes", "bytes=-", "bytes=a-b", "bytes=1-2,4-5", "seconds=1-2", "bytes=+1-2", "bytes=--1"]:
            status, headers, body = self.service.ask("/interview.mp4", Range=value)
            self.assertEqual((status, len(body)), (200, size), value)
            self.assertNotIn("content-range", headers)

    def test_ranges_behind_the_end_are_refused(self):
        size = len(self.service.ask("/interview.mp4")[2])
        for value in [f"bytes={size}-", f"bytes={size}-{size}", "bytes=-0", "bytes=99999999999999999999-"]:
            status, headers, body = self.service.ask("/interview.mp4", Range=value)
            self.assertEqual((status, headers["content-range"], body), (416, f"bytes */{size}", b""), value)

    def test_head_tells_the_same_without_a_body(self):
        _, whole, _ = self.service.ask("/interview.mov")
        status, headers, body = self.service.ask("/interview.mov", "HEAD", Range="bytes=0-5")
        self.assertEqual((status, body), (200, b""))
        for name in ["content-length", "etag", "accept-ranges", "content-type"]:
            self.assertEqual(headers[name], whole[name])
        # The connection remains usable.
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=30)) as connection:
            for method in ["HEAD", "GET", "HEAD", "GET"]:
                connection.request(method, "/interview.mov", headers={"Range": "bytes=4-7"})
                answer = connection.getresponse()
                self.assertEqual(answer.read(), b"" if method == "HEAD" else b"ftyp")

    # Conditions.

    def test_conditions(self):
        tag = self.service.ask("/interview.mov", "HEAD")[1]["etag"]
        for headers, status in [
            ({"If_Range": tag}, 206), ({"If_Range": '"other"'}, 200), ({"If_Range": "W/" + tag}, 200),
            ({"If_Range": "Sat, 21 Nov 2026 22:00:00 GMT"}, 200), ({"If_None_Match": tag}, 304),
            ({"If_None_Match": f'"other", W/{tag}'}, 304), ({"If_None_Match": "*"}, 304), ({"If_None_Match": '"other"'}, 206),
            ({"If_Match": tag}, 206), ({"If_Match": '"other"'}, 412), ({"If_Match": "*"}, 206),
        ]:
            found, answer, body = self.service.ask("/interview.mov", Range="bytes=0-9", **headers)
            self.assertEqual(found, status, headers)
            self.assertEqual(answer["etag"], tag)
            self.assertEqual(len(body), {206: 10, 200: int(answer.get("content-length", 0))}.get(status, 0))

    def test_the_tag_changes_with_the_movie_its_subtitles_and_the_wishes(self):
        def tag(target="/interview.mov", service=self.service):
            return service.ask(target, "HEAD")[1]["etag"]

        tags = [tag(), tag("/interview.mov?fast-start"), tag("/interview.mov?subtitles=es"), tag("/interview.mp4")]
        with open(self.path(SUBTITLES[0]), "a", encoding="utf-8") as file:
            file.write("\n100\n00:00:09,900 --> 00:00:09,950\nOne more\n")
        tags.append(tag())
        os.rename(self.path(SUBTITLES[1]), self.path("interview.fr.srt"))
        tags.append(tag())
        os.utime(self.path("interview.mov"), (1, 1))
        tags.append(tag())
        self.assertEqual(len(set(tags)), len(tags))
        again = Service(self.folder)
        self.addCleanup(again.stop)
        self.assertEqual(tag(service=again), tags[-1])

    # Invalid requests.

    def test_nothing_outside_the_folder_is_served(self):
        os.mkdir(self.path("sub"))
        os.mkdir(self.path("folder.mov"))
        shutil.copy(self.path("interview.mov"), self.path("sub/inner.mov"))
        shutil.copy(self.path("interview.mov"), self.path(".hidden.mov"))
        os.symlink("../secret.mov", self.path("link.mov"))
        os.symlink("interview.mov", self.path("inside.mov"))
        secret = os.path.join(self.scratch.name, "secret.mov")
        for target in [
            "/../secret.mov", "/%2e%2e/secret.mov", "/..%2fsecret.mov", "/%2e%2e%2fsecret.mov", "/..%5csecret.mov", "/sub/../../secret.mov",
            "/./interview.mov/../../secret.mov", secret, "/" + secret, "//etc/passwd", "/%2fetc%2fpasswd", "/link.mov", "/inside.mov",
            "/sub/inner.mov", "/sub%2finner.mov", "/folder.mov", "/.hidden.mov", "/", "/.", "/..", "/interview.mov%00.mp4", "/interview.mov%00",
            "/interview.mov/x", "/interview.mov/hls", "/interview.mov/hls/", "/interview.mov/hls/../page", "/interview.mov/hls//main.m3u8",
            "/secret.mov/", "/interview.es.srt/", "/interview.es.srt", "/interview", "/INTERVIEW.MOV", "/nothing.mov", "/" + "a" * 5000 + ".mov", "/*.mov",
        ]:
            status, _, body = self.service.ask(target)
            self.assertEqual((status, body), (404, b""), target)
        for target in ["/%zz", "/%ff", "/%"]:
            status, _, body = self.service.ask(target)
            self.assertIn((status, body), [(400, b""), (404, b"")], target)

    def test_pages_whose_own_name_leads_here_read_nothing(self):
        port = self.service.port
        for host in [f"localhost:{port}", "LOCALHOST", f"127.0.0.1:{port}", "movies.example.com"]:
            self.assertEqual(self.service.ask("/interview.mov", "HEAD", Host=host)[0], 200, host)
        for host in [f"elsewhere.example:{port}", "example.com", "localhost.example.com", "127.0.0.1.example.com", "192.168.0.1"]:
            status, _, body = self.service.ask("/interview.mov", Host=host)
            self.assertEqual((status, body), (421, b""), host)

    def test_other_methods_are_refused(self):
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]:
            status, headers, body = self.service.ask("/interview.mov", method)
            self.assertEqual((status, headers["allow"], body), (405, "GET, HEAD", b""))
        self.assertEqual(self.contents(), self.before)

    def test_broken_files_are_the_servers_fault_and_stop_nobody(self):
        with open(self.path("broken.mov"), "wb") as file:
            file.write(struct.pack(">I4s", 16, b"ftyp") + b"qt  " + bytes(4) + struct.pack(">I4s", 100, b"moov"))
        shutil.copy(self.path("interview.mov"), self.path("silent.mov"))
        with open(self.path("silent.en.srt"), "w", encoding="utf-8") as file:
            file.write("no cues here\n")
        for target in ["/broken.mov", "/silent.mov"]:
            status, _, body = self.service.ask(target)
            self.assertEqual((status, body), (500, b""), target)
        self.assertEqual(self.service.ask("/interview.mov", "HEAD")[0], 200)

    # Large movies, and movies that change.

    def large(self, byte_count):
        """Creates a large movie whose end is a hole."""
        shutil.copy(self.path("interview.mp4"), self.path("large.mp4"))
        with open(self.path("large.mp4"), "ab") as file:
            file.write(struct.pack(">I4s", byte_count, b"free"))
            file.truncate(file.tell() + byte_count - 8)

    def require_closed_files(self):
        """Waits until all files are closed, because a client may receive the last byte before the service closes the file."""
        deadline = time.monotonic() + 20
        while self.service.open_files() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(self.service.open_files(), [])

    def test_memory_and_open_files_do_not_grow_with_the_movie(self):
        self.large(512 << 20)
        self.service.ask("/interview.mp4")
        base = self.service.status_field("VmHWM")
        received = 0
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=60)) as connection:
            connection.request("GET", "/large.mp4")
            answer = connection.getresponse()
            while block := answer.read(1 << 20):
                received += len(block)
        self.assertGreater(received, 512 << 20)
        grown = self.service.status_field("VmHWM") - base
        print(f"512 MiB served: peak memory grew by {grown / (1 << 20):.1f} MiB", file=sys.stderr)
        self.assertLess(grown, 48 << 20)
        self.require_closed_files()

    def test_a_movie_that_changes_is_never_served_to_its_end(self):
        self.large(64 << 20)
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=30)) as connection:
            connection.request("GET", "/large.mp4")
            answer = connection.getresponse()
            answer.read(100_000)
            with open(self.path("large.mp4"), "r+b") as file:
                file.seek(50_000)
                file.write(b"changed")
            with self.assertRaises((http.client.IncompleteRead, ConnectionError)):
                answer.read()
        self.assertEqual(self.service.ask("/large.mp4", Range="bytes=0-99")[0], 206)

    def test_a_client_that_goes_leaves_nothing_behind(self):
        self.large(64 << 20)
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", self.service.port)) as connection:
                connection.sendall(b"GET /large.mp4 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                connection.recv(1000)
        self.require_closed_files()

    def test_many_clients_at_once(self):
        whole = self.service.ask("/interview.mp4")[2]

        def ask(start):
            return self.service.ask("/interview.mp4", Range=f"bytes={start}-{start + 999}")[2] == whole[start : start + 1000]

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            self.assertTrue(all(pool.map(ask, range(0, len(whole) - 1000, 150))))


if __name__ == "__main__":
    for program in ("ffmpeg", "ffprobe", SERVICE, MOVTOOL):
        if shutil.which(program) is None:
            sys.exit(f"service.py: {program} is missing")
    unittest.main(argv=sys.argv[:1])
