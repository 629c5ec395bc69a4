#!/usr/bin/env python3
"""Tests the page of `movtool html` and `movtool serve` in the installed browsers.

  Tests/Browsers/page.py [--all | --only NAME …] [--step PART] [--pictures FOLDER]

Uses Chromium by default. Scripts operate every menu, chapter, position, transcript line and key, from a file and over
HTTP; axe-core checks accessibility; and the page of a hostile movie must be harmless. MOVTOOL names the program. Needs
selenium, websocket-client and axe-selenium-python. --pictures only takes the screenshots of Docs/page.md, in Chromium.
"""

import argparse
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from browser import Failure, available, wait  # noqa: E402
from route import add_route, walk as places_of_walk  # noqa: E402
import viewing  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
MEDIA = ROOT / "TestMedia"
MOVTOOL = os.environ.get("MOVTOOL") or str(ROOT / ".build/debug/movtool")
LOADED = "const v = document.getElementById('video'); return v.readyState >= 2 && v.duration > 0;"
checks = 0


def movtool(*words):
    result = subprocess.run([MOVTOOL, *map(str, words)], capture_output=True, text=True)
    if result.returncode != 0:
        raise Failure(f"movtool {' '.join(map(str, words))}: {result.stderr}")
    return result.stdout


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        raise Failure(what)


def equal(value, expected, what):
    check(value == expected, f"{what}: {value!r}, not {expected!r}")


def cues(path, lines, milliseconds=1000):
    """Writes a SubRip file that shows each line for this long. An empty line is a pause."""
    def stamp(number):
        time = number * milliseconds
        return "00:%02d:%02d,%03d" % (time // 60_000, time // 1000 % 60, time % 1000)
    path.write_text("".join(f"{n + 1}\n{stamp(n)} --> {stamp(n + 1)}\n{line}\n\n" for n, line in enumerate(lines) if line))
    return path


def movie(folder):
    """Makes a movie of ten seconds with English and Spanish sound, four subtitle tracks and chapters."""
    path = folder / "talk.mp4"
    movtool("add-track", MEDIA / "interview.mp4", MEDIA / "spanish.mov", "--track", "audio:es", "-o", path)
    sdh = cues(folder / "t.en.sdh.srt", ["Good evening.", "♪ Music ♪", "(door)", "<i>Quietly</i>", "Five & six < seven"])
    spanish = cues(folder / "t.es.srt", ["Buenas noches.", "♪ Música ♪", "(puerta)", "En voz baja", "Cinco"])
    arabic = cues(folder / "t.ar.srt", ["مساء الخير.", "♪ موسيقى ♪", "باب", "بهدوء", "خمسة"])
    forced = cues(folder / "t.en.forced.srt", ["[Closed]"])
    movtool("add-subtitle", path, sdh, spanish, arabic, forced)
    (folder / "chapters.txt").write_text("00:00:00.000 Arrival\n00:00:04.000 A <b>bold</b> title\n00:00:07.000 Departure\n")
    movtool("chapters", path, "--set", folder / "chapters.txt")
    movtool("metadata", path, "--set", "title=Talk & <i>more</i>")
    return path


def captioned(folder):
    """Makes a movie with a caption of one line, one of two lines, and two captions at the same time."""
    path = folder / "captioned.mp4"
    (folder / "c.en.srt").write_text("1\n00:00:00,000 --> 00:00:01,000\nGood evening, everybody\n\n2\n00:00:01,000 --> 00:00:02,000\nThe first of two lines,\n"
                                     "and the second one\n\n3\n00:00:02,000 --> 00:00:03,000\nThe first of two voices\n\n"
                                     "4\n00:00:02,000 --> 00:00:03,000\nThe second of two voices\n")
    movtool("add-subtitle", MEDIA / "interview.mp4", folder / "c.en.srt", "-o", path)
    return path


def hostile(folder):
    """Makes a movie with markup and control characters in titles and names, and ten thousand cues."""
    path = folder / "hostile \"<script>window.bad=1<\u200f!--.mp4"
    evil = "</script><script>window.bad=1</script><img src=x onerror=window.bad=1>\"'`${window.bad=1}{{data}}\u202e"
    lines = cues(folder / "h.en.srt", [f"{n} </script><script>window.bad=1</script>" for n in range(10_000)], 1)
    movtool("add-subtitle", MEDIA / "interview.mp4", lines, "--title", evil, "-o", path)
    movtool("metadata", path, "--set", "title=" + evil)
    (folder / "h.txt").write_text(f"00:00:00.000 {evil}\n")
    movtool("chapters", path, "--set", folder / "h.txt")
    return path


class Page:
    """The page in a browser, with methods for its controls."""

    def __init__(self, browser):
        self.browser = browser
        self.run = browser.run

    def open(self, url):
        viewing.open_fresh(self.browser, url)
        self.run("document.getElementById('video').muted = true;")

    def choose(self, menu, name):
        found = self.run("""
          const [menu, name] = args;
          document.querySelector(`#${menu} > button`).click();
          const item = [...document.querySelectorAll(`#${menu}-menu [role=menuitemradio]`)]
            .find((item) => item.firstElementChild.textContent.startsWith(name));
          if (item) item.click();
          return Boolean(item);""", menu, name)
        check(found, f"{menu} has {name}")

    def lines(self, menu):
        return self.run("return [...document.querySelectorAll(`#${args[0]}-menu [role=menuitemradio] > span:first-child`)]"
                        ".map((item) => item.textContent);", menu)

    def label(self, menu):
        return self.run("return document.querySelector(`#${args[0]} > button`).getAttribute('aria-label');", menu)

    def showing(self):
        """The labels of the text tracks that are shown. Tracks inside the movie file have no label."""
        return self.run("return [...document.getElementById('video').textTracks].filter((t) => t.mode === 'showing').map((t) => t.label);")

    def time(self):
        return self.run("return document.getElementById('video').currentTime;")

    def seek(self, seconds):
        self.run("document.getElementById('video').currentTime = args[0];", seconds)
        wait(self.browser, "const v = document.getElementById('video'); return !v.seeking && Math.abs(v.currentTime - args[0]) < 0.5;",
             seconds)

    def reach(self, seconds, what):
        try:
            wait(self.browser, "const v = document.getElementById('video'); return !v.seeking && Math.abs(v.currentTime - args[0]) < 0.3;",
                 seconds, seconds=8)
        except Failure:
            raise Failure(f"{what}: at {self.time()}, not {seconds}")
        check(True, what)


def try_settings(browser, page, subtitles):
    """Checks the keys for subtitles (which turn on `subtitles`), volume and speed."""
    browser.press("c")
    equal(page.showing(), [subtitles], "c")
    browser.press("m")
    equal(page.run("return document.getElementById('video').muted;"), False, "m")
    browser.press("m")
    browser.press(">")
    equal(page.run("return document.getElementById('video').playbackRate;"), 1.25, ">")
    browser.press("<")


def try_page(browser, url, switches_sound):
    page = Page(browser)
    page.open(url)
    page.run("const v = document.getElementById('video'); v.pause();")

    equal(page.run("return [document.title, document.getElementById('title').textContent];"), ["Talk & <i>more</i>"] * 2, "title")
    options = page.lines("subtitles")
    equal(options, ["Off", "Automatic (Off)", "English SDH", "Spanish", "Arabic"], "menu of subtitles")
    # The sound and the browser are English, so only forced subtitles are shown.
    if browser.name != "WebKitGTK":  # It reports no language under automation.
        wait(browser, "return [...document.getElementById('video').textTracks].some((t) => t.mode === 'showing' && t.label === 'English (forced)');")
    for name in ["English SDH", "Spanish", "Arabic"]:
        page.choose("subtitles", name)
        equal(page.showing(), [name], f"shown after {name} was chosen")
        equal(page.label("subtitles"), f"Subtitles: {name}", "name of the button")
    page.seek(1.5)
    wait(browser, "return [...document.getElementById('video').textTracks].find((t) => t.mode === 'showing').activeCues?.[0]?.text === '♪ موسيقى ♪';")
    page.choose("subtitles", "Off")
    equal(page.showing(), ["English (forced)"], "forced texts although subtitles are off")
    equal(page.run("return getComputedStyle(document.querySelector('#reading')).display !== 'none';"), True, "languages of the transcript")

    equal(page.lines("audio"), ["English", "Spanish"], "menu of sound")
    if switches_sound:
        page.choose("audio", "Spanish")
        equal(page.label("audio"), "Audio: Spanish", "sound after Spanish was chosen")
        # The sound is Spanish and the browser English, so no English forced subtitles are shown.
        equal(page.showing(), [], "forced texts of the old sound")
        page.choose("audio", "English")
    else:
        equal(page.run("return [...document.querySelectorAll('#audio-menu [aria-disabled=true]')].length;"), 1, "sound that cannot be switched")
    page.choose("speed", "1.5")
    equal(page.run("return document.getElementById('video').playbackRate;"), 1.5, "speed")
    page.choose("speed", "1 ")

    # Chapters.
    titles = page.run("return [...document.querySelectorAll('#chapters li span')].map((s) => s.textContent);")
    equal(titles, ["Arrival", "A <b>bold</b> title", "Departure"], "list of chapters")
    page.run("document.querySelectorAll('#chapters li button')[1].click();")
    page.reach(4, "chapter 2")
    wait(browser, "return document.getElementById('notice').textContent === '2. A <b>bold</b> title';")
    page.run("document.getElementById('next').click();")
    page.reach(7, "next chapter")
    wait(browser, "return document.querySelector('#chapters [aria-current]')?.textContent.includes('Departure');")
    page.run("document.getElementById('previous').click();")
    page.reach(4, "previous chapter")
    valuetext = page.run("return document.getElementById('seek').getAttribute('aria-valuetext');")
    check("0:04 of 0:10" in valuetext and "2. A" in valuetext, f"position in words: {valuetext}")

    # Transcript.
    page.choose("subtitles", "English SDH")
    wait(browser, "return document.querySelectorAll('#lines li').length === 5;")
    page.run("document.querySelectorAll('#lines button')[3].click();")
    page.reach(3, "a line of the transcript")
    wait(browser, "return document.querySelector('#lines [aria-current] span')?.textContent === 'Quietly';")
    page.run("const s = document.getElementById('search'); s.value = 'MUSIC'; s.dispatchEvent(new Event('input'));")
    wait(browser, "return document.getElementById('found').textContent === '1 line found';")
    equal(page.run("return [...document.querySelectorAll('#lines mark')].map((m) => m.textContent);"), ["Music"], "what was searched")
    page.run("const s = document.getElementById('search'); s.value = ''; s.dispatchEvent(new Event('input'));")
    wait(browser, "return document.querySelectorAll('#lines li').length === 5;")
    equal(page.run("return document.querySelectorAll('#lines span')[4].textContent;"), "Five & six < seven", "a cue with signs")

    # Keys.
    page.seek(2)
    page.run("document.getElementById('video').focus();")
    browser.press("ArrowRight")
    page.reach(7, "right arrow")
    browser.press("ArrowLeft")
    page.reach(2, "left arrow")
    browser.press("n")
    page.reach(4, "n")
    browser.press("p")
    page.reach(0, "p")
    try_settings(browser, page, "Spanish")
    browser.press("k")
    wait(browser, "const v = document.getElementById('video'); return !v.paused && v.currentTime > 0.3;")
    browser.press(" ")
    wait(browser, "return document.getElementById('video').paused;")
    browser.press("/")
    equal(page.run("return document.activeElement.id;"), "search", "/")
    browser.press("n")
    equal(page.run("return document.getElementById('search').value;"), "n", "letters are letters in the search")
    page.run("const s = document.getElementById('search'); s.value = ''; s.dispatchEvent(new Event('input'));")

    # A menu by keys.
    page.run("document.querySelector('#subtitles > button').focus();")
    browser.press("Enter")
    wait(browser, "return document.activeElement.getAttribute('role') === 'menuitemradio';")
    equal(page.run("return document.activeElement.getAttribute('aria-checked');"), "true", "focus is on what is chosen")
    browser.press("Home")
    browser.press("End")
    equal(page.run("return document.activeElement.title;"), "White with an outline", "End")
    browser.press("ArrowDown")
    equal(page.run("return document.activeElement.firstElementChild.textContent;"), "Off", "the menu goes round")
    browser.press("Escape")
    equal(page.run("return [document.activeElement.parentElement.id, document.querySelector('#subtitles > button').getAttribute('aria-expanded')];"),
          ["subtitles", "false"], "Escape")

    # To the end, and from a time in the address.
    page.seek(9)
    page.run("document.getElementById('video').play();")
    wait(browser, "return document.getElementById('video').ended;")
    browser.open("about:blank")
    page.open(url + "#t=6")
    page.reach(6, "time in the address")


def try_with_restarts(browser, url):
    """Checks the page in WebKitGTK, with a new browser for nearly every seek of a paused movie: WebKitGTK 2.50 with
    GStreamer 1.22 hangs at the second or third seek, even with only a video element and no script. Under automation it
    reports no language and does not play, so the other browsers check what needs a playing movie."""
    page = Page(browser)

    def fresh():
        browser.restart()
        page.open(url)

    fresh()
    equal(page.run("return [document.title, document.getElementById('title').textContent];"), ["Talk & <i>more</i>"] * 2, "title")
    equal(page.lines("subtitles"), ["Off", "Automatic (Off)", "English SDH", "Spanish", "Arabic"], "menu of subtitles")
    for name in ["Spanish", "Arabic", "English SDH"]:
        page.choose("subtitles", name)
        equal(page.showing(), [name], f"shown after {name} was chosen; texts of the file itself stay off")
        equal(page.label("subtitles"), f"Subtitles: {name}", "name of the button")
    page.choose("subtitles", "Off")
    equal(page.showing(), ["English (forced)"], "forced texts although subtitles are off")
    equal(page.lines("audio"), ["English", "Spanish"], "menu of sound")
    page.choose("audio", "Spanish")
    equal(page.label("audio"), "Audio: Spanish", "sound after Spanish was chosen")
    equal(page.showing(), [], "forced texts of the old sound")
    page.choose("audio", "English")
    page.choose("speed", "1.5")
    equal(page.run("return document.getElementById('video').playbackRate;"), 1.5, "speed")
    page.choose("speed", "1 ")

    page.choose("subtitles", "English SDH")
    wait(browser, "return document.querySelectorAll('#lines li').length === 5;")
    page.run("const s = document.getElementById('search'); s.value = 'MUSIC'; s.dispatchEvent(new Event('input'));")
    wait(browser, "return document.getElementById('found').textContent === '1 line found';")
    equal(page.run("return [...document.querySelectorAll('#lines mark')].map((m) => m.textContent);"), ["Music"], "what was searched")
    page.run("const s = document.getElementById('search'); s.value = ''; s.dispatchEvent(new Event('input'));")
    wait(browser, "return document.querySelectorAll('#lines li').length === 5;")
    equal(page.run("return document.querySelectorAll('#lines span')[4].textContent;"), "Five & six < seven", "a cue with signs")
    page.run("document.querySelectorAll('#lines button')[3].click();")
    page.reach(3, "a line of the transcript")
    wait(browser, "return document.querySelector('#lines [aria-current] span')?.textContent === 'Quietly';")

    fresh()
    titles = page.run("return [...document.querySelectorAll('#chapters li span')].map((s) => s.textContent);")
    equal(titles, ["Arrival", "A <b>bold</b> title", "Departure"], "list of chapters")
    page.run("document.querySelectorAll('#chapters li button')[1].click();")
    page.reach(4, "chapter 2")
    wait(browser, "return document.getElementById('notice').textContent === '2. A <b>bold</b> title';")
    valuetext = page.run("return document.getElementById('seek').getAttribute('aria-valuetext');")
    check("0:04 of 0:10" in valuetext and "2. A" in valuetext, f"position in words: {valuetext}")
    page.run("document.getElementById('next').click();")
    page.reach(7, "next chapter")
    for key, end in [("ArrowRight", 5), ("n", 4)]:
        fresh()
        page.run("document.getElementById('video').focus();")
        browser.press(key)
        page.reach(end, key)
    try_settings(browser, page, "English SDH")
    browser.press("/")
    equal(page.run("return document.activeElement.id;"), "search", "/")
    browser.press("n")
    equal(page.run("return document.getElementById('search').value;"), "n", "letters are letters in the search")

    page.run("document.querySelector('#subtitles > button').focus();")
    browser.press("Enter")
    wait(browser, "return document.activeElement.getAttribute('role') === 'menuitemradio';")
    equal(page.run("return document.activeElement.getAttribute('aria-checked');"), "true", "focus is on what is chosen")
    browser.press("Home")
    browser.press("End")
    equal(page.run("return document.activeElement.title;"), "White with an outline", "End")
    browser.press("ArrowDown")
    equal(page.run("return document.activeElement.firstElementChild.textContent;"), "Off", "the menu goes round")
    browser.press("Escape")
    equal(page.run("return [document.activeElement.parentElement.id, document.querySelector('#subtitles > button').getAttribute('aria-expanded')];"),
          ["subtitles", "false"], "Escape")
    browser.restart()
    page.open(url + "#t=6")
    page.reach(6, "time in the address")


def try_list(browser, url):
    page = Page(browser)
    page.open(url)
    equal(page.run("return document.querySelectorAll('#movies button').length;"), 2, "list of movies")
    page.seek(9.2)
    page.run("document.getElementById('video').play();")
    wait(browser, "return document.getElementById('title').textContent === 'spanish';")
    wait(browser, "const v = document.getElementById('video'); return !v.paused && v.currentTime > 0.2;")
    equal(page.run("return document.querySelectorAll('#video > track').length;"), 1, "texts of the movie before")
    page.run("document.querySelectorAll('#movies button')[0].click();")
    wait(browser, "return document.querySelectorAll('#video > track').length === 4;")


def try_route(browser, url):
    """Checks the map of the route: its point moves with the movie, and a click seeks to the time of that place."""
    page = Page(browser)
    page.open(url)
    point = "const c = document.querySelector('#route circle'); return [Number(c.getAttribute('cx')), Number(c.getAttribute('cy'))];"
    equal(page.run("return document.getElementById('route').hidden;"), False, "map of the way")
    equal(page.run("return document.querySelector('#route .way').getAttribute('d').split('L').length;"), 10, "places")
    check(page.run("return document.querySelector('#route p').textContent;").startswith("48.13700, 11.57500, 515 m"), "place at the start")
    start = page.run(point)
    page.seek(4.5)
    wait(browser, "return document.querySelector('#route p').textContent.startsWith('48.13');")
    wait(browser, "return Number(document.querySelector('#route circle').getAttribute('cy')) < args[0] - 10;", start[1])
    page.run("""
      const map = document.querySelector('#route svg');
      const [x, y] = document.querySelector('#route .way').getAttribute('d').split('L').at(-1).split(' ').map(parseFloat);
      const at = new DOMPoint(x, y).matrixTransform(map.getScreenCTM());
      map.dispatchEvent(new MouseEvent('click', { clientX: at.x, clientY: at.y, bubbles: true }));""")
    page.reach(9, "a click on the end of the way")


def try_route_gap(browser, url):
    """Checks that the map draws no line across a gap of the route, and that its point does not move during the gap."""
    page = Page(browser)
    page.open(url)
    segments = page.run("return document.querySelector('#route .way').getAttribute('d').split('M').slice(1);")
    equal([len(segment.split("L")) for segment in segments], [4, 5], "places of the segments")
    latitude, longitude, _ = list(places_of_walk(10))[3]
    page.seek(4.5)
    wait(browser, "return document.querySelector('#route p').textContent.startsWith(args[0]);", f"{latitude:.4f}0, {longitude:.4f}0")


def try_unknown_picture(browser, url):
    """Checks that the page reports a picture format that no browser supports."""
    browser.open(url)
    wait(browser, "const p = document.getElementById('problem'); return !p.hidden && p.textContent.includes('apch') && p.querySelector('a') !== null;")


def try_hostile(browser, url):
    page = Page(browser)
    browser.open(url)
    wait(browser, LOADED)
    wait(browser, "return document.querySelectorAll('#lines li').length === 10000;")
    # Slices of the transcript are laid out when they come into view.
    seconds = page.run("""
      const list = document.getElementById('lines'), slices = [...list.children];
      list.replaceChildren();
      list.getBoundingClientRect();
      const started = performance.now();
      list.append(...slices);
      list.getBoundingClientRect();
      await new Promise(requestAnimationFrame);
      return (performance.now() - started) / 1000;""")
    check(seconds < 5, f"ten thousand lines are laid out in {seconds:.1f} s")
    equal(page.run("""
      const slices = [...document.querySelectorAll('#lines > ol')];
      return [slices.length, Math.max(...slices.map((slice) => slice.children.length)),
              slices.every((slice) => getComputedStyle(slice).contentVisibility === 'auto')];"""), [100, 100, True], "slices of the transcript")
    if browser.name != "WebKitGTK":  # It hangs at the second or third seek.
        page.run("document.getElementById('video').currentTime = 9.0;")
        wait(browser, """
          const line = document.querySelector('#lines [aria-current]'), box = line?.getBoundingClientRect();
          const area = document.getElementById('lines').getBoundingClientRect();
          return Math.abs(parseInt(line?.lastElementChild.textContent) - 9050) < 3 && box.top >= area.top - 1 && box.bottom <= area.bottom + 1;""")
    equal(page.run("return [window.bad === undefined, document.querySelectorAll('script').length, [...document.images].filter((image) => image.src).length];"), [True, 2, 0],
          "what a movie says is text")
    page.run("const s = document.getElementById('search'); s.value = '9999'; s.dispatchEvent(new Event('input'));")
    wait(browser, "return document.querySelectorAll('#lines li').length === 1;")


# The states of the page for axe-core, each reached from the previous one.
STATES = [
    ("at the start", "for (const id of ['remote', 'quality', 'restart']) document.getElementById(id).hidden = false;"),
    ("menu of subtitles", "document.querySelector('#subtitles > button')?.click(); document.getElementById('keys').open = true;"),
    ("menu of sound", "document.querySelector('#audio > button')?.click();"),
    ("menu of speed", "document.querySelector('#speed > button').click();"),
    ("menu of quality", "if (document.querySelector('#quality button')) document.querySelector('#quality > button').click();"),
    ("a style of subtitles", """
      document.querySelector('#subtitles > button')?.click();
      document.querySelectorAll('#subtitles-menu [role=group] button')[3]?.click();
      document.querySelector('#subtitles-menu .yellow')?.click();"""),
    ("transcript with a search", """
      const s = document.getElementById('search');
      if (s.offsetWidth === 0) return;
      document.querySelectorAll('#subtitles-menu > button')[2].click();
      s.focus(); s.value = 'e'; s.dispatchEvent(new Event('input'));
      await new Promise((resolve) => setTimeout(resolve, 300));"""),
    ("above the timeline", """
      document.dispatchEvent(new PointerEvent('pointerdown'));
      document.getElementById('speed').querySelector('[role=menuitemradio]').click();
      const s = document.getElementById('seek'); s.value = '4'; s.dispatchEvent(new Event('input')); s.dispatchEvent(new Event('change'));"""),
    ("loading", "document.getElementById('loading').textContent = 'Loading'; document.getElementById('big').hidden = true;"),
    ("a movie that does not play", "document.getElementById('loading').textContent = ''; document.getElementById('problem').hidden = false;"),
]


def try_accessibility(browser, urls):
    """Runs axe-core on each state of the page, in light and dark mode, on wide and narrow screens."""
    from axe_selenium_python import Axe
    import axe_selenium_python
    # The content policy of the page blocks other script elements, so the driver executes axe-core.
    source = (Path(axe_selenium_python.__file__).parent / "node_modules/axe-core/axe.min.js").read_text()
    # Both schemes for the pages of one movie, from a file and from segments, and one for each size of the others.
    sizes = [("light", 1280, 800), ("dark", 390, 844), ("light", 844, 390), ("dark", 320, 640)]
    others = [("dark" if scheme == "light" else "light", width, height) for scheme, width, height in sizes]
    for index, url in enumerate(urls):
        for scheme, width, height in sizes + others if index < 2 else sizes:
            browser.size(width, height)
            browser.scheme(scheme)
            Page(browser).open(url)
            for state, body in STATES:
                browser.run(body)
                browser.driver.execute_script(source)
                result = Axe(browser.driver).run()
                what = [f"{v['id']}: {v['help']}: {v['nodes'][0]['html'][:120]}" for v in result["violations"]]
                equal(what, [], f"axe-core at {url}, {scheme}, {width} px, {state}")
    browser.size(1280, 900)
    browser.scheme("light")


def demonstration(folder):
    """Makes a movie with a route, and with realistic subtitles and chapters, for the screenshots."""
    path = add_route(MEDIA / "interview.mov", folder / "harbour.mov")
    lines = {
        "en.sdh": ["[gulls]", "♪ Shanty ♪", "Good evening, and welcome aboard.", "The lighthouse is older than the town.",
                   "It was built in a single winter.", "", "", "We leave at seven.", "Mind the step.", "♪ ♪"],
        "es": ["[gaviotas]", "♪ Saloma ♪", "Buenas noches y bienvenidos a bordo.", "El faro es más viejo que el pueblo.",
               "Lo construyeron en un solo invierno.", "", "", "Salimos a las siete.", "Cuidado con el escalón.", "♪ ♪"],
        "ar": ["[نوارس]", "♪ أغنية البحارة ♪", "مساء الخير، وأهلاً بكم على متن السفينة.", "المنارة أقدم من المدينة.",
               "بُنيت في شتاء واحد.", "", "", "نغادر في السابعة.", "انتبهوا للدرجة.", "♪ ♪"],
    }
    files = [cues(folder / f"harbour.{name}.srt", texts) for name, texts in lines.items()]
    movtool("add-track", path, MEDIA / "spanish.mov", "--track", "audio:es")
    movtool("add-subtitle", path, *files)
    (folder / "harbour.txt").write_text("00:00:00.000 Arrival\n00:00:02.500 How the lighthouse was built\n00:00:06.000 Departure\n")
    movtool("chapters", path, "--set", folder / "harbour.txt")
    movtool("metadata", path, "--set", "title=An evening at the harbour")
    long = folder / "long.mov"
    movtool("metadata", MEDIA / "spanish.mov", "--set", "title=" + "A title that goes on and on, as titles of old books do, "
            "and tells what happens before it has happened", "-o", long)
    for name, options in [("page", []), ("report", ["--report"]), ("arabic", ["--language", "ar"])]:
        movtool("html", path, "-o", folder / f"harbour-{name}.html", *options)
    movtool("html", long, path, "-o", folder / "harbour-list.html")


def take_pictures(browser, folder, pictures):
    """Takes the screenshots of Docs/page.md."""
    demonstration(folder)

    def picture(page, name, width, height, scheme, body, time_shown=1.5):
        browser.size(width, height)
        browser.scheme(scheme)
        Page(browser).open(folder.as_uri() + "/" + page)
        browser.run("document.getElementById('video').currentTime = args[0];", time_shown)
        time.sleep(0.7)
        browser.run(body)
        time.sleep(0.7)
        browser.screenshot(Path(pictures, name))

    choose = "document.querySelector('#subtitles > button').click(); document.querySelectorAll('#subtitles-menu button')[%d].click();"
    reopen = choose + "document.querySelector('#subtitles > button').click();"
    point = """
      const line = document.getElementById('rail').getBoundingClientRect();
      document.getElementById('seek').dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: line.left + line.width * 0.7, clientY: line.top }));"""
    picture("harbour-page.html", "page-light.png", 1280, 800, "light", reopen % 2)
    picture("harbour-page.html", "page-timeline.png", 1280, 800, "dark", point, 3.2)
    picture("harbour-page.html", "page-phone.png", 390, 844, "dark", choose % 3, 4.5)
    picture("harbour-page.html", "page-sideways.png", 844, 390, "light", choose % 3, 4.5)
    picture("harbour-page.html", "page-small.png", 320, 640, "dark", reopen % 3, 4.5)
    picture("harbour-arabic.html", "page-arabic.png", 1100, 720, "light", choose % 4)
    picture("harbour-report.html", "page-report.png", 900, 760, "light", "document.getElementById('report').scrollIntoView();")
    picture("harbour-list.html", "page-list.png", 1280, 860, "dark", """
      document.querySelectorAll('#movies button')[0].click(); document.getElementById('video').pause();
      document.querySelector('#audio > button').click();""", 4.5)


class FolderServer:
    """Serves a folder as an ordinary web server does, without movtool."""

    def __init__(self, folder):
        class Handler(http.server.SimpleHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def __init__(self, *args):
                super().__init__(*args, directory=str(folder))

            def log_message(self, *_):
                pass

            def do_GET(self):
                path = self.translate_path(self.path)
                part = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
                try:
                    if not part or not os.path.isfile(path):
                        return super().do_GET()
                    size = os.path.getsize(path)
                    start, end = int(part[1]), min(int(part[2] or size - 1), size - 1)
                    if start > end:
                        return self.send_error(416)
                    self.send_response(206)
                    for name, value in [("Content-Type", self.guess_type(path)), ("Content-Range", f"bytes {start}-{end}/{size}"),
                                        ("Content-Length", str(end - start + 1)), ("Accept-Ranges", "bytes")]:
                        self.send_header(name, value)
                    self.end_headers()
                    with open(path, "rb") as file:
                        file.seek(start)
                        self.wfile.write(file.read(end - start + 1))
                except ConnectionError:
                    pass  # The browser has read enough.

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *_: None  # Browsers may close connections at any time.
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}/"

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def variants(folder):
    """Makes a folder for a web server with a presentation in two picture sizes."""
    for height, rate in [(240, "300k"), (120, "80k")]:
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=s={height * 4 // 3}x{height}:r=24:d=20", "-f", "lavfi", "-i",
                        "sine=d=20", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-b:v", rate, "-g", "48", "-keyint_min", "48", "-sc_threshold", "0",
                        "-c:a", "aac", folder / f"v{height}.mp4"], check=True)
    movtool("html", folder / "v240.mp4", "-o", folder / "sizes")
    movtool("hls", folder / "v240.mp4", folder / "v120.mp4", "-o", folder / "sizes/v240-hls", "--force")
    return folder / "sizes"


def long_movie(folder):
    """Makes a movie of a hundred seconds, long enough to be resumed, whose subtitle track has a long title."""
    path = folder / "long.mp4"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=5:d=100", "-f", "lavfi", "-i", "sine=d=100", "-c:v", "libx264",
                    "-pix_fmt", "yuv420p", "-c:a", "aac", path], check=True)
    movtool("add-subtitle", path, cues(folder / "l.ja.srt", ["a", "b"]), "--title",
            "The translation of the second edition, which the society of the friends of the harbour made in its winter months")
    return path


def pictured(folder):
    """Makes a movie with two chapters that have a picture each, red and blue."""
    for colour in ["red", "blue"]:
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"color={colour}:s=64x36", "-frames:v", "1", folder / f"{colour}.png"], check=True)
    (folder / "pictured.json").write_text(json.dumps({"version": "1.2.0", "chapters": [
        {"startTime": 0, "title": "Red", "img": "red.png"}, {"startTime": 5, "title": "Blue", "img": "blue.png"}]}))
    path = folder / "pictured.mp4"
    movtool("chapters", MEDIA / "interview.mp4", "--set", folder / "pictured.json", "-o", path)
    return path


class Server:
    def __init__(self, *movies):
        self.process = subprocess.Popen([MOVTOOL, "serve", *map(str, movies)], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def __enter__(self):
        return self.url

    def __exit__(self, *_):
        self.process.terminate()
        equal(self.process.wait(timeout=5), 0, "the server ends when it is asked to")


def converted(folder):
    """Converts QuickTime movies with H.264 and AAC to MP4: one of this package and, if MOVTOOL_CORPUS is set, others."""
    corpus = os.environ.get("MOVTOOL_CORPUS")
    names = ["streamio-awesome-movie.mov", "made-spanish.mov"]
    movies = [MEDIA / "interview.mov"] + [Path(corpus) / name for name in names if corpus]
    made = [folder / f"converted-{path.stem}.mp4" for path in movies]
    for movie, path in zip(movies, made):
        movtool("remux", movie, "-o", path)
    return made


def sounds(folder):
    """Makes movies with sound in a codec that only some browsers support and in AAC, and one with damaged sound."""
    def make(name, *words):
        path = folder / name
        subprocess.run(["ffmpeg", "-v", "error", "-i", MEDIA / "interview.mov", "-map", "0:v", *words, path], check=True)
        return path
    languages = ["eng", "eng", "spa"]
    named = [word for index, language in enumerate(languages) for word in (f"-metadata:s:a:{index}", f"language={language}")]
    three = make("three.mp4", "-map", "0:a", "-map", "0:a", "-map", "0:a", "-c", "copy", "-c:a:0", "ac3", *named)
    two = make("two.mp4", "-map", "0:a", "-map", "0:a", "-c", "copy", "-c:a:0", "ac3", *named[:2], "-metadata:s:a:1", "language=spa")
    for path, tracks in [(three, [3, 4]), (two, [3])]:
        for track in tracks:
            movtool("set", path, "--track", f"id:{track}", "--group", 1)
    damaged = make("damaged.mp4", "-map", "0:a", "-c", "copy", "-bsf:a", "noise=amount=if(gte(n\\,200)\\,1\\,0)")
    return [three, two, damaged]


def try_sounds(browser, url):
    """Checks that sound in two codecs is one entry, unsupported sound is disabled, and damaged sound plays or is reported."""
    page = Page(browser)
    page.open(url)
    stream = "return document.getElementById('video').currentSrc.startsWith('blob:');"
    wait(browser, stream)
    equal(page.lines("audio"), ["English", "Spanish"], "lines of a movie with one sound in two codecs")
    page.choose("audio", "Spanish")
    page.run("await document.getElementById('video').play();")
    page.reach(0.5, "Spanish plays")
    page.run("[...document.querySelectorAll('#movies button')][1].click();")
    wait(browser, "return document.querySelector('#audio-menu [aria-checked=true] > span')?.textContent === 'Spanish';")
    wait(browser, LOADED)
    check(page.run(stream), "a movie with sound that does not play is a stream")
    equal(page.run("""return [...document.querySelectorAll('#audio-menu [role=menuitemradio]')]
          .map((item) => item.getAttribute('aria-disabled'));"""), ["true", None], "which sounds are disabled")
    page.reach(0.5, "the sound that plays is played")
    page.run("[...document.querySelectorAll('#movies button')][2].click();")
    wait(browser, LOADED)
    page.reach(2, "damaged sound plays as far as it can")
    wait(browser, """
      const v = document.getElementById('video');
      return !document.getElementById('problem').hidden || v.currentTime > 7;""")


def trimmed(folder):
    """Makes a movie that was trimmed without re-encoding: its key pictures are 4 s apart, and it begins 1.5 s after one.
    The brightness of a picture encodes its second in the original movie."""
    whole, path = folder / "whole.mp4", folder / "trimmed.mp4"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=black:s=64x48:r=25:d=12,geq=lum='20+16*floor(T)':cb=128:cr=128",
                    "-f", "lavfi", "-i", "sine=d=12", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "100", "-keyint_min", "100",
                    "-sc_threshold", "0", "-c:a", "aac", "-pix_fmt", "yuv420p", whole], check=True)
    subprocess.run(["ffmpeg", "-v", "error", "-ss", "5.5", "-i", whole, "-c", "copy", path], check=True)
    movtool("add-subtitle", path, cues(folder / "r.en.srt", ["First", "", "Third", "", "Fifth"]))
    (folder / "parts.txt").write_text("00:00:00.000 One\n00:00:03.000 Two\n")
    movtool("chapters", path, "--set", folder / "parts.txt")
    return path


SECOND_SEEN = """
  const v = document.getElementById('video'), canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [8, 8];
  const context = canvas.getContext('2d');
  context.drawImage(v, 0, 0, 8, 8);
  const light = context.getImageData(4, 4, 1, 1).data[0];
  return Math.round((light / 255 * 219 + 16 - 20) / 16);"""


def try_trimmed(browser, url):
    """Checks that the stream of a trimmed movie begins at the cut, and that cues, chapters and clock count from there."""
    page = Page(browser)
    page.open(url)
    wait(browser, "const v = document.getElementById('video'); return v.currentSrc.startsWith('blob:') && v.readyState >= 2 && !v.seeking;")
    equal(page.run(SECOND_SEEN), 5, "the second of the whole movie that is seen first")
    equal(page.run("return document.getElementById('now').textContent;"), "0:00", "the clock at the start")
    equal(page.run("return document.getElementById('end').textContent;"), "0:06", "the clock at the end")
    start = page.time()
    check(abs(start - 1.5) < 0.02, f"the element begins at {start}")
    page.run("document.querySelector('#chapters li:nth-child(2) button').click();")
    page.reach(start + 3, "the second chapter")
    equal(page.run(SECOND_SEEN), 8, "the second of the whole movie where the second chapter begins")
    equal(page.run("return document.getElementById('now').textContent;"), "0:03", "the clock at the second chapter")
    page.choose("subtitles", "English")
    wait(browser, "return document.querySelectorAll('#lines li').length === 3;")
    equal(page.run("return [...document.querySelectorAll('#lines time')].map((time) => time.textContent);"),
          ["0:00", "0:02", "0:04"], "times of the transcript")
    page.run("document.querySelectorAll('#lines button')[1].click();")
    page.reach(start + 2, "a line of the transcript")
    page.run("document.getElementById('video').currentTime += 0.1;")
    wait(browser, """
      const track = [...document.getElementById('video').textTracks].find((track) => track.mode === 'showing');
      return track && track.activeCues.length === 1 && track.activeCues[0].text === 'Third';""")
    page.run("document.getElementById('video').currentTime = 0;")
    page.reach(start, "what was trimmed off is not gone to")


def try_converted(browser, paths):
    """Checks that the browser plays the movies: time advances, and it decodes both pictures and sound."""
    for path in paths:
        browser.open(path.as_uri())
        wait(browser, "const v = document.querySelector('video'); return v && v.readyState >= 2 && v.videoWidth > 0;")
        browser.run("const v = document.querySelector('video'); v.muted = true; v.currentTime = 0; await v.play();")
        wait(browser, """
          const v = document.querySelector('video');
          return v.currentTime > 0.4 && v.webkitAudioDecodedByteCount > 0 && v.webkitVideoDecodedByteCount > 0;""")
        equal(browser.run("return document.querySelector('video').error;"), None, f"error in {path.name}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", nargs="*", default=["Chromium"])
    parser.add_argument("--pictures")
    parser.add_argument("--step", default="", help="only steps whose names contain this")
    options = parser.parse_args()
    failures, tried = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.pictures:
            browser = available()["Chromium"]()
            take_pictures(browser, folder, options.pictures)
            browser.close()
            return 0
        talk, bad, mp4, heard = movie(folder), hostile(folder), converted(folder), sounds(folder)
        cut = trimmed(folder)
        movtool("html", talk, "-o", folder / "talk.html")
        movtool("html", talk, "--report", "-o", folder / "report.html")
        movtool("html", talk, "--language", "ar", "-o", folder / "arabic.html")
        movtool("html", bad, "-o", folder / "bad.html")
        movtool("html", talk, MEDIA / "spanish.mov", "-o", folder / "list.html")
        walk = add_route(MEDIA / "interview.mov", folder / "walk.mov")
        movtool("html", walk, "-o", folder / "walk.html")
        movtool("html", add_route(MEDIA / "interview.mov", folder / "gap.mov", gap=4), "-o", folder / "gap.html")
        movtool("html", talk, "-o", folder / "site")
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=2", "-f", "lavfi", "-i", "sine=d=2", "-c:v",
                        "prores_ks", "-c:a", "aac", str(folder / "prores.mov")], check=True)
        movtool("html", folder / "prores.mov")
        movtool("html", long_movie(folder), "-o", folder / "long.html")
        movtool("html", pictured(folder), "-o", folder / "pictured.html")
        movtool("html", captioned(folder), "-o", folder / "captioned.html")
        sizes = variants(folder)
        (folder / "site/blank.html").write_text("<!doctype html><link rel=icon href=data:,><title>elsewhere</title>")
        file = folder.as_uri() + "/"
        for browser_name, make in available().items():
            if not options.all and browser_name not in options.only:
                continue
            if make is None:
                print(f"SKIPPED: {browser_name} is not installed")
                continue
            browser = make()
            browser.size(1280, 900)
            with (Server(talk) as served, Server(talk, MEDIA / "spanish.mov") as listed,
                  FolderServer(folder / "site") as site, Server(folder / "prores.mov") as prores, Server(*heard) as mixed,
                  FolderServer(sizes) as sized, Server(folder / "long.mp4") as long,
                  Server(talk, "--allow-origin", site, "--allow-origin", "http://localhost:1") as shared, Server(cut) as trimmed_site):
                steps = [("file", lambda: try_page(browser, file + "talk.html", browser_name == "WebKitGTK")),
                         ("HTTP", lambda: try_page(browser, served, True)),
                         ("folder on a server", lambda: try_page(browser, site, True)),
                         ("route", lambda: try_route(browser, file + "walk.html")),
                         ("gap of a route", lambda: try_route_gap(browser, file + "gap.html")),
                         ("unknown picture", lambda: try_unknown_picture(browser, file + "prores.html")),
                         ("unknown picture, HTTP", lambda: try_unknown_picture(browser, prores)),
                         ("sound in several codecs, HTTP", lambda: try_sounds(browser, mixed)),
                         ("trimmed movie, HTTP", lambda: try_trimmed(browser, trimmed_site)),
                         ("list", lambda: try_list(browser, file + "list.html")), ("list, HTTP", lambda: try_list(browser, listed)),
                         ("hostile", lambda: try_hostile(browser, file + "bad.html")),
                         ("pages elsewhere", lambda: viewing.try_origin(browser, site, shared, served)),
                         ("quality", lambda: viewing.try_quality(browser, sized))]
                for place, page, long_page in [("file", file + "talk.html", file + "long.html"), ("HTTP", served, long)]:
                    steps += [(f"timeline, {place}", lambda page=page: viewing.try_timeline(browser, page)),
                              (f"big button, {place}", lambda page=page: viewing.try_big_button(browser, page)),
                              (f"memory, {place}", lambda page=page: viewing.try_memory(browser, page)),
                              (f"place, {place}", lambda page=long_page: viewing.try_place(browser, page))]
                steps.append(("pictures of chapters", lambda: viewing.try_chapter_pictures(browser, file + "pictured.html")))
                looks = [("loading", lambda: viewing.try_loading(browser, served)), ("screens", lambda: viewing.try_screens(browser, file + "talk.html")),
                         ("layout", lambda: viewing.try_layout(browser, file + "talk.html")),
                         ("words", lambda: viewing.try_words(browser, file + "talk.html")),
                         ("long names", lambda: viewing.try_long_names(browser, file + "long.html")),
                         ("caption at the edge", lambda: viewing.try_caption_edge(browser, file + "captioned.html"))]
                steps += looks
                if browser_name == "WebKitGTK":
                    steps = [("file", lambda: try_with_restarts(browser, file + "talk.html")), ("HTTP", lambda: try_with_restarts(browser, served)),
                             ("folder on a server", lambda: try_with_restarts(browser, site)),
                             ("hostile", lambda: try_hostile(browser, file + "bad.html")),
                             ("memory, HTTP", lambda: viewing.try_memory(browser, served)),
                             ("pages elsewhere", lambda: viewing.try_origin(browser, site, shared, served)), *looks[1:]]
                if browser_name == "Chromium":
                    steps.append(("quality of a slow connection", lambda: viewing.try_adaptation(browser, sized)))
                    steps.append(("touch, file", lambda: viewing.try_touch(browser, file + "talk.html")))
                    steps.append(("touch, HTTP", lambda: viewing.try_touch(browser, served)))
                    steps.append(("placeholder", lambda: viewing.try_placeholder(browser, file + "talk.html")))
                    steps.append(("screens by script", lambda: viewing.try_screens_by_script(browser, file + "talk.html")))
                    pages = [file + "talk.html", sized, *[file + page for page in ["report.html", "arabic.html", "list.html", "walk.html"]]]
                    steps.append(("axe-core", lambda: try_accessibility(browser, pages)))
                    steps.append(("converted movies", lambda: try_converted(browser, mp4)))
                for step, work in [(step, work) for step, work in steps if options.step in step]:
                    started = time.monotonic()
                    try:
                        work()
                        if browser_name == "Chromium":
                            said = [line for line in browser.log() if "axe" not in line and "streaming stopped" not in line]
                            if step == "pages elsewhere":  # The browser logs blocked requests.
                                said = [line for line in said if "CORS policy" not in line and "ERR_FAILED" not in line]
                            equal(said, [], "console")
                        print(f"{browser_name}, {step}: {time.monotonic() - started:.1f} s")
                    except Exception as error:
                        failures.append(f"{browser_name}, {step}: {error}")
                        print("FAILED", failures[-1])
                        if not isinstance(error, Failure):
                            traceback.print_exc()
            browser.close()
            tried.append(browser_name)
    print(f"{checks + viewing.Checks.count} checks in {', '.join(tried) or 'no browser'}; {len(failures)} failed")
    return 1 if failures or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
