"""Tests features of the player page: timeline previews, stored settings, caption size, other screens, and phones.

The tests use scripts, the keyboard and, in Chromium, touch events.
"""

import json
import subprocess
import tempfile
import time
from pathlib import Path

from browser import Failure, wait

LOADED = "const v = document.getElementById('video'); return v.readyState >= 2 && v.duration > 0;"
# Clears the storage, which may contain settings of an earlier test, and returns the number of removed entries.
FORGET = "try { const count = localStorage.length; localStorage.clear(); return count; } catch { return 0; }"
STORED = "try { return Object.keys(localStorage); } catch { return []; }"


class Checks:
    """Counts the checks."""
    count = 0


def check(condition, what):
    Checks.count += 1
    if not condition:
        raise Failure(what)


def equal(value, expected, what):
    check(value == expected, f"{what}: {value!r}, not {expected!r}")


def open_fresh(browser, url):
    browser.open(url)
    if browser.run(FORGET):
        browser.open(url)
    wait(browser, LOADED)


def reopen(browser, url):
    browser.open("about:blank")
    browser.open(url)
    wait(browser, LOADED)


def near(browser, seconds, what, room=0.4):
    try:
        wait(browser, "const v = document.getElementById('video'); return !v.seeking && Math.abs(v.currentTime - args[0]) < args[1];",
             seconds, room, seconds=8)
    except Failure:
        raise Failure(f"{what}: at {browser.run('return document.getElementById(`video`).currentTime;')}, not {seconds}")
    check(True, what)


def focus(browser, selector):
    browser.run("document.querySelector(args[0]).focus();", selector)


def try_timeline(browser, url):
    """Checks the preview on the timeline (time, chapter, picture) by pointer, drag and keys; the loaded parts; the big button."""
    open_fresh(browser, url)
    browser.run("document.getElementById('video').muted = true;")
    hidden = "return document.getElementById('peek').hidden;"
    equal(browser.run(hidden), True, "nothing is shown above the timeline at first")
    equal(browser.run("return document.querySelectorAll('#peek video').length;"), 0, "nothing is loaded for it at first")
    point = """
      const line = document.getElementById('rail').getBoundingClientRect();
      document.getElementById('seek').dispatchEvent(new PointerEvent('pointermove', {
        bubbles: true, clientX: line.left + line.width * args[0], clientY: line.top }));
      const box = document.getElementById('peek').getBoundingClientRect(), area = document.getElementById('timeline').getBoundingClientRect();
      return [document.querySelector('#peek span').textContent, document.querySelector('#peek b').textContent,
              box.left >= area.left - 1 && box.right <= area.right + 1];"""
    for part, text, title in [(0, "0:00", "Arrival"), (0.5, "0:05", "A <b>bold</b> title"), (1, "0:10", "Departure")]:
        equal(browser.run(point, part), [text, title, True], f"at {part} of the timeline")
    browser.run(point, 0.5)
    equal(browser.run(hidden), False, "shown under the pointer")
    wait(browser, "const v = document.querySelector('#peek video'); return v && !v.hidden && v.readyState >= 2 && Math.abs(v.currentTime - 5) < 1.2;")
    browser.run("document.getElementById('timeline').dispatchEvent(new PointerEvent('pointerleave'));")
    equal(browser.run(hidden), True, "hidden when the pointer leaves")
    near(browser, 0, "a pointer above the timeline does not move the movie")
    # Keys, and what dragging does.
    focus(browser, "#seek")
    browser.press("ArrowRight")
    near(browser, 5, "right arrow on the timeline")
    equal(browser.run("return [document.getElementById('peek').hidden, document.querySelector('#peek span').textContent];"), [False, "0:05"],
          "shown after a key")
    wait(browser, hidden, seconds=4)
    browser.run("const s = document.getElementById('seek'); s.value = '8'; s.dispatchEvent(new Event('input')); s.dispatchEvent(new Event('change'));")
    near(browser, 8, "dragged")
    equal(browser.run("return document.querySelector('#peek span').textContent;"), "0:08", "shown while dragging")
    check(browser.run("return document.getElementById('seek').getAttribute('aria-valuetext');").startswith("0:08 of 0:10, 3. Departure"), "in words")
    wait(browser, """
      const v = document.getElementById('video'), parts = [...document.querySelectorAll('#buffered i')];
      return parts.length === v.buffered.length && parts.length > 0 && parts.every((part) => part.getBoundingClientRect().width > 0);""")
    check(browser.run("return Math.abs(parseFloat(document.getElementById('played').style.width) - 80) < 3;"), "how much was played")
    # Keys for places.
    for selector in ["#video", "#seek"]:
        focus(browser, selector)
        for key, seconds in [("5", 5), ("Home", 0), ("9", 9), ("0", 0), ("End", 10)]:
            browser.press(key)
            near(browser, seconds, f"{key} on {selector}", 0.6)
    browser.run("document.getElementById('video').muted = false;")
    focus(browser, "#volume")
    browser.press("Home")
    wait(browser, "return document.getElementById('video').volume === 0;", seconds=3)
    near(browser, 10, "and moves nothing", 0.6)


def try_chapter_pictures(browser, url):
    """Checks that a chapter's picture is its preview, so that no second video element is needed."""
    open_fresh(browser, url)
    shown = """
      const line = document.getElementById('rail').getBoundingClientRect();
      document.getElementById('seek').dispatchEvent(new PointerEvent('pointermove', {
        bubbles: true, clientX: line.left + line.width * args[0], clientY: line.top }));
      const image = document.querySelector('#peek img');
      await image.decode();
      const context = document.createElement('canvas').getContext('2d');
      context.drawImage(image, 0, 0);
      const [red, , blue] = context.getImageData(5, 5, 1, 1).data;
      return [image.getBoundingClientRect().width > 0, red > 128, blue > 128, document.querySelectorAll('#peek video').length];"""
    equal(browser.run(shown, 0.2), [True, True, False, 0], "picture of the first chapter")
    equal(browser.run(shown, 0.8), [True, False, True, 0], "picture of the second chapter")


def try_big_button(browser, url):
    open_fresh(browser, url)
    browser.run("document.getElementById('video').muted = true;")
    equal(browser.run("const b = document.getElementById('big'); return [b.hidden, b.getAttribute('aria-label')];"), [False, "Play"], "big button")
    focus(browser, "#big")
    browser.press("Enter")
    wait(browser, "const v = document.getElementById('video'); return !v.paused && v.currentTime > 0.2 && document.getElementById('big').hidden;")
    equal(browser.run("return document.activeElement.id;"), "video", "the focus stays in the player when the button goes")
    browser.press("k")
    wait(browser, "return document.getElementById('video').paused;")
    equal(browser.run("return document.getElementById('big').hidden;"), True, "no button over a picture that was stopped")
    browser.run("const v = document.getElementById('video'); v.currentTime = 9.5; await v.play();")
    wait(browser, "return document.getElementById('video').ended && !document.getElementById('big').hidden;")


def try_loading(browser, url):
    """Checks that a sign appears after a moment while the movie is waiting for data."""
    open_fresh(browser, url)
    browser.run("""
      const v = document.getElementById('video');
      v.muted = true;
      await v.play();
      Object.defineProperty(v, 'readyState', { value: 1, configurable: true });
      v.dispatchEvent(new Event('waiting'));""")
    equal(browser.run("return document.getElementById('loading').textContent;"), "", "no sign for a short wait")
    wait(browser, "return document.getElementById('loading').textContent === 'Loading';", seconds=3)
    browser.run("const v = document.getElementById('video'); delete v.readyState; v.dispatchEvent(new Event('playing'));")
    equal(browser.run("return document.getElementById('loading').textContent;"), "", "the sign goes")


def try_memory(browser, url, stores=True):
    """Checks that settings are stored when the viewer changes them, restored later, and deleted on request."""
    open_fresh(browser, url)
    equal(browser.run(STORED), [], "nothing is stored by looking at the page")
    equal(browser.run("return document.getElementById('forget').hidden;"), True, "nothing to forget")
    focus(browser, "#subtitles > button")
    browser.press("Enter")
    wait(browser, "return document.activeElement.getAttribute('role') === 'menuitemradio';")
    browser.press("End")
    equal(browser.run("return document.activeElement.title;"), "White with an outline", "the last style by keys")
    browser.press("Enter")
    equal(browser.run("return [document.getElementById('player').dataset.look, document.getElementById('subtitles-menu').hidden];"),
          ["outline", False], "a style shows at once, and the menu stays")
    browser.run("document.querySelectorAll('#subtitles-menu [role=group] button')[3].click();")
    equal(browser.run("""return [document.getElementById('player').dataset.size,
          [...document.querySelectorAll('#subtitles-menu [role=group] [aria-checked=true]')].map((item) => item.textContent)];"""),
          ["200", ["200 %", "Aa"]], "size")
    wait(browser, """
      const v = document.getElementById('video');
      return Math.abs(parseFloat(v.style.getPropertyValue('--cue')) - v.clientHeight / 10) < 1;""", seconds=3)
    browser.press("Escape")
    browser.run("""
      document.querySelectorAll('#subtitles-menu [role=menuitemradio]')[3].click();
      document.querySelectorAll('#speed-menu [role=menuitemradio]')[4].click();
      const v = document.getElementById('volume'); v.value = '40'; v.dispatchEvent(new Event('input'));""")
    equal(browser.run("return [...document.getElementById('video').textTracks].filter((t) => t.mode === 'showing').map((t) => t.label);"), ["Spanish"],
          "subtitles before")
    if not stores:
        return
    equal(browser.run(STORED), ["movtool"], "one key")
    equal(json.loads(browser.run("return localStorage.getItem('movtool');")),
          {"look": "outline", "size": 200, "subtitles": {"language": "es", "isSDH": False}, "speed": 1.5, "volume": 0.4, "isMuted": False},
          "what is stored")
    reopen(browser, url)
    equal(browser.run("""
      const v = document.getElementById('video'), { size, look } = document.getElementById('player').dataset;
      return [Math.round(v.volume * 100) / 100, v.playbackRate, size, look, document.querySelector('#subtitles > button').getAttribute('aria-label')];"""),
          [0.4, 1.5, "200", "outline", "Subtitles: Spanish"], "settings when the page is opened again")
    browser.run("localStorage.setItem('movtool', '{\"volume\":9,\"speed\":\"x\",\"size\":[],\"look\":\"<b>\",\"subtitles\":7,\"places\":[1,[2]]}');")
    reopen(browser, url)
    equal(browser.run("""
      const v = document.getElementById('video'), { size, look } = document.getElementById('player').dataset;
      return [v.volume, v.playbackRate, size, look];"""), [1, 1, "100", "usual"], "what makes no sense is not taken")
    focus(browser, "#forget")
    browser.press("Enter")
    equal(browser.run(STORED), [], "all is forgotten")
    equal(browser.run("return document.getElementById('forget').hidden;"), True, "nothing to forget any more")


def try_place(browser, url):
    """Checks that a long movie resumes where the viewer left it, unless the address or the viewer chooses another time."""
    open_fresh(browser, url)
    browser.run("const v = document.getElementById('video'); v.muted = true; v.currentTime = 40;")
    near(browser, 40, "seek")
    browser.run("window.dispatchEvent(new Event('pagehide'));")
    equal(browser.run(STORED), [], "no place of a movie that nobody played")
    browser.run("await document.getElementById('video').play();")
    wait(browser, "return document.getElementById('video').currentTime > 40.3;")
    browser.run("document.getElementById('video').pause();")
    wait(browser, "return (localStorage.getItem('movtool') || '').includes('places');")
    reopen(browser, url)
    near(browser, 40, "the place comes back", 1.5)
    wait(browser, "return document.getElementById('notice').textContent === 'Continued at 0:40';")
    focus(browser, "#restart")
    browser.press("Enter")
    near(browser, 0, "from the start")
    equal(browser.run("return [document.getElementById('restart').hidden, document.activeElement.id];"), [True, "video"], "the button goes")
    reopen(browser, url + "#t=12")
    near(browser, 12, "the time in the address wins")
    # A movie that was watched to the end starts from the beginning.
    browser.run("const v = document.getElementById('video'); v.muted = true; v.currentTime = v.duration - 0.6; await v.play();")
    wait(browser, "return document.getElementById('video').ended;")
    reopen(browser, url)
    near(browser, 0, "after the end")
    browser.run(FORGET)


def try_screens(browser, url):
    """Checks that buttons for other screens are shown only if the browser supports them."""
    browser.open(url)
    wait(browser, LOADED)
    can = browser.run("return Boolean(document.pictureInPictureEnabled && document.getElementById('video').requestPictureInPicture);")
    if browser.name != "WebKitGTK":
        equal(browser.run("return [document.getElementById('pip').hidden, document.getElementById('pip-key').hidden];"), [not can, not can],
              "picture in picture")
    equal(browser.run("return document.getElementById('remote').hidden;"), True, "no other screen is near")


def try_screens_by_script(browser, url):
    """Checks each combination of supported features, in Chromium, which can run a script before the page's own."""
    def with_script(source):
        identifier = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})["identifier"]
        reopen(browser, url)
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": identifier})

    with_script("Object.defineProperty(Document.prototype, 'pictureInPictureEnabled', { get: () => false });")
    equal(browser.run("return document.getElementById('pip').hidden;"), True, "no picture in picture")
    with_script("""
      HTMLVideoElement.prototype.requestPictureInPicture = async function () {
        Object.defineProperty(document, 'pictureInPictureElement', { value: this, configurable: true });
        this.dispatchEvent(new Event('enterpictureinpicture')); };
      Document.prototype.exitPictureInPicture = async function () {
        const video = this.pictureInPictureElement;
        delete this.pictureInPictureElement;
        video.dispatchEvent(new Event('leavepictureinpicture')); };
      RemotePlayback.prototype.watchAvailability = async function (tell) { tell(true); window.tell = tell; return 1; };
      RemotePlayback.prototype.prompt = async function () { window.prompts = (window.prompts || 0) + 1; };""")
    pressed = "return document.getElementById('pip').getAttribute('aria-pressed');"
    focus(browser, "#video")
    browser.press("i")
    equal(browser.run(pressed), "true", "I")
    focus(browser, "#pip")
    browser.press("Enter")
    equal(browser.run(pressed), "false", "the button")
    equal(browser.run("return document.getElementById('remote').hidden;"), False, "a screen is near")
    focus(browser, "#remote")
    browser.press("Enter")
    equal(browser.run("return window.prompts;"), 1, "the browser asks which")
    equal(browser.run("window.tell(false); return document.getElementById('remote').hidden;"), True, "the screen is gone")
    with_script("RemotePlayback.prototype.watchAvailability = () => Promise.reject(new DOMException('no', 'NotSupportedError'));")
    equal(browser.run("return document.getElementById('remote').hidden;"), True, "a browser that cannot know")
    with_script("""
      const video = HTMLVideoElement.prototype;
      delete RemotePlayback.prototype.watchAvailability;
      delete video.requestPictureInPicture;
      video.webkitShowPlaybackTargetPicker = function () { window.picker = true; };
      video.webkitSupportsPresentationMode = (mode) => mode === 'picture-in-picture';
      video.webkitSetPresentationMode = function (mode) { this.webkitPresentationMode = mode; this.dispatchEvent(new Event('webkitpresentationmodechanged')); };""")
    browser.run("""
      const event = new Event('webkitplaybacktargetavailabilitychanged');
      event.availability = 'available';
      document.getElementById('video').dispatchEvent(event);
      document.getElementById('remote').click();
      document.getElementById('pip').click();""")
    equal(browser.run("return [window.picker, document.getElementById('remote').hidden, document.getElementById('pip').getAttribute('aria-pressed')];"),
          [True, False, "true"], "AirPlay and picture in picture of Safari")
    reopen(browser, url)


def try_layout(browser, url):
    """Checks the layout on a phone in portrait and landscape orientation and on a small phone."""
    open_fresh(browser, url)
    show_all = "for (const id of ['remote', 'quality']) document.getElementById(id).hidden = false;"
    for width, height in [(320, 640), (390, 844), (844, 390), (1280, 800)]:
        browser.size(width, height)
        time.sleep(0.3)
        inner = browser.run("return [innerWidth, innerHeight];")
        if inner != [width, height]:  # A window has a frame.
            browser.size(2 * width - inner[0], 2 * height - inner[1])
            time.sleep(0.3)
            inner = browser.run("return [innerWidth, innerHeight];")
        if inner != [width, height]:
            print(f"SKIPPED: {browser.name} has no window of {width} × {height}: {inner}")
            continue
        for body in ["", show_all]:
            browser.run(body)
            shown = browser.run("""
              const boxes = [...document.getElementById('buttons').children].filter((e) => e.id !== 'space' && e.id !== 'clock').map((e) => e.getBoundingClientRect())
                .filter((box) => box.width > 0);
              return [Math.max(...boxes.map((b) => b.top + b.height / 2)) - Math.min(...boxes.map((b) => b.top + b.height / 2)) < 2,
                      boxes.every((b) => b.left >= 0 && b.right <= innerWidth && b.width >= 24 && b.height >= 24),
                      boxes.every((b, index) => index === 0 || b.left >= boxes[index - 1].right - 1),
                      document.documentElement.scrollWidth <= innerWidth];""")
            equal(shown, [True, True, True, True], f"one row of buttons at {width} × {height}")
        fits = browser.run("const b = document.getElementById('player').getBoundingClientRect(); return b.top >= 0 && b.bottom <= innerHeight;")
        equal(fits, True, f"picture and buttons fit into {width} × {height}")
        order = browser.run("""
          const top = (id) => document.getElementById(id).getBoundingClientRect().top;
          return top('keys') > top('chapters');""")
        equal(order, True, f"the keys are below the chapters at {width} × {height}")
        for menu in ["subtitles", "audio", "speed"]:
            browser.run("document.querySelector(`#${args[0]} > button`).click();", menu)
            inside = browser.run("""
              const list = document.getElementById(`${args[0]}-menu`), box = list.getBoundingClientRect();
              return [box.top >= 0 && box.left >= 0 && box.right <= innerWidth && box.bottom <= innerHeight, list.scrollWidth <= list.clientWidth];""", menu)
            equal(inside, [True, True], f"menu {menu} at {width} × {height}")
            browser.press("Escape")
    browser.size(1280, 900)


def try_words(browser, url):
    """Checks that menu buttons on a phone have labels if they are wide enough."""
    words = """return [...document.querySelectorAll('.choice:not([hidden]) > button')].map((button) => {
      const word = button.querySelector('.word'), text = document.createRange();
      text.selectNodeContents(word);
      const [seen, box] = [text.getBoundingClientRect(), button.getBoundingClientRect()];
      return [word.textContent.slice(1), word.clientHeight > 0 && word.scrollHeight <= word.clientHeight + 2, seen.left >= box.left && seen.right <= box.right || seen.width === 0,
              button.getAttribute('aria-label').startsWith(word.textContent.slice(1))];
    });"""
    for width, fits in [(390, True), (320, False), (1280, False)]:
        browser.size(width, 844)
        open_fresh(browser, url)
        time.sleep(0.3)
        if browser.run("return innerWidth;") != width:
            continue
        equal(browser.run(words), [[word, fits, True, True] for word in ["Subtitles", "Audio", "Speed"]], f"words at {width}")
    browser.size(390, 844)
    open_fresh(browser, url)
    browser.run("for (const word of document.querySelectorAll('.word')) word.textContent = '\\u200bGeschwindigkeitsbegrenzung';")
    if browser.run("return innerWidth;") == 390:
        equal([fits for _, fits, _, _ in browser.run(words)], [False] * 3, "words that are too long are not seen")
    browser.size(1280, 900)


def try_caption_edge(browser, url):
    """Checks the distance between captions and the lower edge of the picture: a caption of one line, one of two lines, and
    two captions at the same time, in two sizes. Firefox positions a caption before it applies a larger size, so such a
    caption may touch the edge there."""
    def rows(choice, box):
        left, top, width, height = box
        browser.run("document.querySelectorAll('#subtitles-menu > button')[args[0]].click(); document.activeElement.blur();", choice)
        time.sleep(0.8)
        with tempfile.TemporaryDirectory() as folder:
            browser.screenshot(Path(folder, "page.png"))
            raw = subprocess.run(["ffmpeg", "-v", "error", "-i", Path(folder, "page.png"), "-vf", f"crop={width // 2}:{height}:{left + width // 4}:{top}",
                                  "-f", "rawvideo", "-pix_fmt", "gray", "-"], capture_output=True, check=True).stdout
        stride = len(raw) // height
        return [raw[row * stride:(row + 1) * stride] for row in range(height)]

    for size, room in [(100, 5), (200, 0 if browser.name == "Firefox" else 5)]:
        lowest = {}
        for name, seconds in [("one line", 0.5), ("two lines", 1.5), ("two captions", 2.5)]:
            if browser.name == "WebKitGTK":
                browser.restart()  # It hangs at the second or third seek.
                browser.size(1280, 900)
            browser.open("about:blank")
            open_fresh(browser, url + f"#t={seconds}")
            near(browser, seconds, name)
            browser.run("document.querySelectorAll('#subtitles-menu [role=group] button')[args[0]].click();", {100: 1, 200: 3}[size])
            box = browser.run("""const box = document.getElementById('video').getBoundingClientRect();
                                 return [box.left, box.top, box.width, box.height].map(Math.round);""")
            without, with_caption = rows(0, box), rows(2, box)
            changed = [row for row in range(len(without)) if without[row] != with_caption[row]]
            check(changed, f"{name} at {size} %: a caption is seen")
            check(len(without) - 1 - changed[-1] >= room, f"{name} at {size} %: ends {len(without) - 1 - changed[-1]} pixels above the edge")
            lowest[name] = changed[0]
        check(lowest["one line"] > lowest["two lines"] + 10, f"two lines at {size} % are higher than one: {lowest}")
        check(lowest["one line"] > lowest["two captions"] + 10, f"two captions at {size} % are above each other: {lowest}")


def try_placeholder(browser, url):
    """Checks the contrast of the placeholder in the search field, and that the field is wide enough for it."""
    for width in [320, 390, 844, 1280]:
        browser.size(width, 844)
        open_fresh(browser, url)
        needed, given = browser.run("""
          const field = document.getElementById('search'), style = getComputedStyle(field), context = document.createElement('canvas').getContext('2d');
          context.font = style.font;
          return [context.measureText(field.placeholder).width, field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)];""")
        check(0 < needed <= given, f"the placeholder takes {needed:.0f} pixels of {given:.0f} at {width}")
    browser.size(1280, 900)
    for scheme in ["light", "dark"]:
        browser.scheme(scheme)
        open_fresh(browser, url)
        colors = browser.run("""const field = document.getElementById('search');
          return [getComputedStyle(field, '::placeholder').color, getComputedStyle(field).backgroundColor].map((text) => text.match(/[\\d.]+/g).map(Number));""")

        def luminance(color):
            parts = [part / 255 for part in color[:3]]
            linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

        low, high = sorted(luminance(color) for color in colors)
        contrast = (high + 0.05) / (low + 0.05)
        check(contrast >= 4.5, f"the placeholder has a contrast of {contrast:.2f} in the {scheme} scheme")
    browser.scheme("light")


def try_long_names(browser, url):
    """Checks that the native name of a language stays in one line beside a long track title."""
    for width in [320, 1280]:
        browser.size(width, 800)
        open_fresh(browser, url)
        browser.run("document.querySelector('#subtitles > button').click();")
        for name, lines in browser.run("""return [...document.querySelectorAll('#subtitles-menu small')].map((own) =>
                [own.textContent, own.getBoundingClientRect().height / parseFloat(getComputedStyle(own).lineHeight)]);"""):
            check(lines < 1.5, f"{name} takes {lines} lines at {width}")
    browser.size(1280, 900)


def try_quality(browser, url):
    """Checks the quality menu of a presentation in two picture sizes: the movie continues in the chosen size."""
    open_fresh(browser, url)
    names = "return [...document.querySelectorAll('#quality-menu [role=menuitemradio] > span:first-child')].map((item) => item.textContent);"
    wait(browser, "return !document.getElementById('quality').hidden;")
    lines = browser.run(names)
    check(len(lines) == 3 and lines[0].startswith("Automatic (") and lines[1:] == ["240p", "120p"], f"menu of quality: {lines}")
    browser.run("const v = document.getElementById('video'); v.muted = true; await v.play();")
    for index, height in [(2, 120), (1, 240)]:
        focus(browser, "#quality > button")
        browser.press("Enter")
        browser.press("Home")
        for _ in range(index):
            browser.press("ArrowDown")
        browser.press("Enter")
        wait(browser, "return document.getElementById('video').videoHeight === args[0];", height)
        equal(browser.run("return document.querySelector('#quality > button').getAttribute('aria-label');"), f"Quality: {height}p", "chosen")
        before = browser.run("return document.getElementById('video').currentTime;")
        wait(browser, "return document.getElementById('video').currentTime > args[0] + 0.3;", before)
    equal(browser.run("return JSON.parse(localStorage.getItem('movtool')).quality;"), 240, "the quality is remembered")
    browser.run(FORGET)


def try_adaptation(browser, url):
    """Checks that *Automatic* switches to the small picture without a gap if the connection is too slow for the large one."""
    send = browser.driver.execute_cdp_cmd
    slow = {"offline": False, "latency": 20, "downloadThroughput": 250e3 / 8, "uploadThroughput": 1e6}
    send("Network.enable", {})
    send("Network.setCacheDisabled", {"cacheDisabled": True})
    send("Network.emulateNetworkConditions", slow)
    try:
        open_fresh(browser, url)
        # Before the movie plays, the first segment is in the large size, and the next ones are in the small one.
        wait(browser, "return document.querySelector('#quality > button').getAttribute('aria-label') === 'Quality: Automatic (120p)';")
        equal(browser.run("return document.getElementById('video').videoHeight;"), 240, "the picture before the movie plays")
        focus(browser, "#quality > button")
        browser.press("Enter")
        browser.press("End")
        browser.press("Enter")
        wait(browser, "return document.getElementById('video').videoHeight === 120;", seconds=20)
        browser.run(FORGET)
        open_fresh(browser, url)
        browser.run("const v = document.getElementById('video'); v.muted = true; await v.play();")
        focus(browser, "#quality > button")
        browser.press("Enter")
        browser.press("End")
        wait(browser, "return document.getElementById('video').videoHeight === 120;", seconds=50)
        equal(browser.run("return document.activeElement.textContent;"), "120p", "the open menu keeps its focus when the picture changes")
        equal(browser.run("return document.querySelector('#quality > button').getAttribute('aria-label');"), "Quality: Automatic (120p)", "automatic")
        equal(browser.run("return document.getElementById('video').buffered.length;"), 1, "what is loaded is in one piece")
    finally:
        send("Network.setCacheDisabled", {"cacheDisabled": False})
        send("Network.emulateNetworkConditions", {**slow, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})


def try_origin(browser, elsewhere, allowed, other):
    """Checks that a page of an allowed origin can read a presentation, with conditional range requests, and nothing else."""
    browser.open(elsewhere + "blank.html")
    ask = """
      const answers = [];
      for (const headers of [{}, { Range: 'bytes=0-9', 'If-None-Match': '"x"' }]) {
        try {
          const answer = await fetch(args[0] + '1/hls/main.m3u8', { headers });
          answers.push([answer.status, answer.headers.get('content-range') !== null, (await answer.text()).slice(0, 7)]);
        } catch { answers.push('blocked'); }
      }
      return answers;"""
    equal(browser.run(ask, allowed), [[200, False, "#EXTM3U"], [206, True, "#EXTM3U"]], "a page of an allowed origin")
    equal(browser.run(ask, other), ["blocked", "blocked"], "a page of another origin")


def try_touch(browser, url):
    """Checks the big button, the timeline and each setting with touch events."""
    send = browser.driver.execute_cdp_cmd
    browser.size(390, 844)
    send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    open_fresh(browser, url)
    browser.run("document.getElementById('video').muted = true;")

    def point(selector, part=0.5):
        browser.run("document.querySelector(args[0]).scrollIntoView({ block: 'nearest' });", selector)
        box = browser.run("const b = document.querySelector(args[0]).getBoundingClientRect(); return [b.left, b.top, b.width, b.height];", selector)
        return {"x": box[0] + box[2] * part, "y": box[1] + box[3] / 2}

    def tap(selector, part=0.5):
        send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point(selector, part)]})
        send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        time.sleep(0.2)

    tap("#big")
    wait(browser, "return !document.getElementById('video').paused;")
    time.sleep(0.6)  # Two quick taps would toggle full screen.
    tap("#video")
    wait(browser, "return document.getElementById('video').paused;")
    tap("#seek", 0.8)
    near(browser, 8, "a tap on the timeline", 0.7)
    # Drags along the timeline.
    start = point("#seek", 0.8)
    send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [start]})
    for part in [0.7, 0.5, 0.3]:
        send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point("#seek", part)]})
    time.sleep(0.2)
    equal(browser.run("return [document.getElementById('peek').hidden, document.querySelector('#peek b').textContent];"), [False, "Arrival"],
          "the chapter under the finger")
    send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    near(browser, 3, "dragged by a finger", 0.8)
    tap("#subtitles > button")
    tap("#subtitles-menu [role=menuitemradio]:nth-child(4)")
    equal(browser.run("return document.querySelector('#subtitles > button').getAttribute('aria-label');"), "Subtitles: Spanish", "subtitles by touch")
    tap("#subtitles > button")
    tap("#subtitles-menu [role=group] button:nth-child(4)")
    equal(browser.run("return document.getElementById('player').dataset.size;"), "200", "size by touch")
    tap("#video")
    equal(browser.run("return [document.getElementById('subtitles-menu').hidden, document.getElementById('video').paused];"), [True, True],
          "a tap beside a menu closes it, and plays nothing")
    tap("#speed > button")
    tap("#speed-menu [role=menuitemradio]:nth-child(5)")
    equal(browser.run("return document.getElementById('video').playbackRate;"), 1.5, "speed by touch")
    tap("#chapters li:nth-child(2) button")
    near(browser, 4, "chapter by touch")
    tap("#full")
    wait(browser, "return document.fullscreenElement?.id === 'player';")
    browser.run("document.getElementById('video').play();")
    bar = "return [getComputedStyle(document.getElementById('controls')).opacity, getComputedStyle(document.getElementById('next')).display];"
    wait(browser, "return document.getElementById('player').classList.contains('idle');")
    equal(browser.run(bar)[0], "0", "the bar leaves full screen while the movie plays")
    browser.run("document.getElementById('player').dispatchEvent(new PointerEvent('pointermove'));")
    equal(browser.run(bar), ["1", "block"], "the bar comes back, with chapters on a phone too")
    browser.run("document.getElementById('video').pause();")
    tap("#full")
    wait(browser, "return document.fullscreenElement === null;")
    tap("#mute")
    equal(browser.run("return document.getElementById('video').muted;"), False, "sound by touch")
    tap("#forget")
    equal(browser.run(STORED), [], "forget by touch")
    send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    browser.size(1280, 900)
