"""A common interface to headless browsers: Chromium and WebKitGTK over WebDriver, Firefox over WebDriver BiDi.

What is missing on this machine is None in `available`.
"""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

# The WebDriver codes of named keys.
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014",
        "ArrowDown": "\ue015", "Tab": "\ue004", "Home": "\ue011", "End": "\ue010"}

# Calls an async function with the arguments and returns its result or error.
CALLER = """
const done = arguments[arguments.length - 1];
(async (...args) => { %s })(...Array.prototype.slice.call(arguments, 0, -1))
  .then((value) => done({ value }), (error) => done({ error: String(error) }));
"""


class Failure(Exception):
    """A failed check, or an error thrown by a script in the page."""


class WebDriverBrowser:
    """A browser that selenium drives."""

    def __init__(self, driver, name):
        self.driver = driver
        self.name = name
        driver.set_script_timeout(60)
        driver.set_page_load_timeout(60)

    def open(self, url):
        self.driver.get(url)

    def run(self, body, *args):
        """Runs an async function with this body, which finds the arguments in `args`, and returns its result."""
        answer = self.driver.execute_async_script(CALLER % body, *args)
        if "error" in answer:
            raise Failure(answer["error"])
        return answer.get("value")

    def press(self, key):
        from selenium.webdriver.common.action_chains import ActionChains
        ActionChains(self.driver).send_keys(KEYS.get(key, key)).perform()

    def screenshot(self, path):
        Path(path).write_bytes(base64.b64decode(self.driver.get_screenshot_as_base64()))

    def size(self, width, height):
        self.driver.set_window_size(width, height)

    def close(self):
        self.driver.quit()


class Chromium(WebDriverBrowser):
    def __init__(self, *flags):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
        self.folder = tempfile.mkdtemp()
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for flag in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--mute-audio",
                     "--autoplay-policy=no-user-gesture-required", "--lang=en-US", "--force-device-scale-factor=1",
                     f"--user-data-dir={self.folder}", *flags]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        super().__init__(webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver")), "Chromium")

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})

    def scheme(self, name):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": name}]})

    def log(self):
        """The console messages since the previous call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def close(self):
        super().close()
        shutil.rmtree(self.folder, ignore_errors=True)


class WebKit(WebDriverBrowser):
    def __init__(self):
        self.screen = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        os.environ["DISPLAY"] = ":" + self.screen.stdout.readline().decode().strip()
        self.folder = tempfile.mkdtemp()
        os.environ.setdefault("XDG_RUNTIME_DIR", self.folder)
        os.environ["WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS"] = "1"  # Bubblewrap does not work in containers.
        try:
            self.start()
        except BaseException:
            self.screen.terminate()
            raise

    def start(self):
        from selenium import webdriver
        from selenium.webdriver.webkitgtk.service import Service
        options = webdriver.WebKitGTKOptions()
        options.binary_location = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser"
        options.add_argument("--automation")
        super().__init__(webdriver.WebKitGTK(options=options, service=Service("/usr/bin/WebKitWebDriver")), "WebKitGTK")

    def restart(self):
        """Restarts the browser with an empty profile."""
        self.driver.quit()
        time.sleep(1)  # The driver could reuse a browser that has not ended yet.
        self.start()

    def close(self):
        super().close()
        self.screen.terminate()
        self.screen.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Firefox:
    name = "Firefox"

    def __init__(self):
        import websocket
        self.folder = tempfile.mkdtemp()
        preferences = {"media.autoplay.default": 0, "media.autoplay.blocking_policy": 0, "remote.prefs.recommended": False,
                       "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
                       "intl.accept_languages": "en-US, en", "browser.aboutwelcome.enabled": False,
                       "media.volume_scale": "0.0", "app.update.enabled": False}
        Path(self.folder, "user.js").write_text(
            "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()))
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--profile", self.folder, "--remote-debugging-port", "0"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, "HOME": self.folder})
        for line in self.process.stderr:
            if "WebDriver BiDi listening on" in line:
                address = line.split()[-1]
                break
        else:
            raise Failure("Firefox does not listen")
        # Firefox would block if the pipe were full.
        import threading
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.socket = websocket.create_connection(address + "/session", suppress_origin=True, timeout=90)
        self.number = 0
        self.command("session.new", {"capabilities": {}})
        self.context = self.command("browsingContext.getTree", {})["contexts"][0]["context"]

    def command(self, method, params):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number:
                if answer["type"] == "error":
                    raise Failure(f"{method}: {answer['error']}: {answer['message']}")
                return answer["result"]

    def open(self, url):
        self.command("browsingContext.navigate", {"context": self.context, "url": url, "wait": "complete"})

    def run(self, body, *args):
        wrapped = "async (text) => { const args = JSON.parse(text); const result = await (async (...args) => { %s })(...args); " \
                  "return JSON.stringify(result === undefined ? null : result); }" % body
        answer = self.command("script.callFunction", {
            "functionDeclaration": wrapped, "awaitPromise": True, "target": {"context": self.context},
            "arguments": [{"type": "string", "value": json.dumps(args)}]})
        if answer["type"] == "exception":
            raise Failure(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def press(self, key):
        value = KEYS.get(key, key)
        self.command("input.performActions", {"context": self.context, "actions": [
            {"type": "key", "id": "keys", "actions": [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]}]})

    def screenshot(self, path):
        data = self.command("browsingContext.captureScreenshot", {"context": self.context})["data"]
        Path(path).write_bytes(base64.b64decode(data))

    def size(self, width, height):
        self.command("browsingContext.setViewport", {"context": self.context, "viewport": {"width": width, "height": height}})

    def close(self):
        try:
            self.command("browser.close", {})
        except Exception:
            pass
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def available():
    """The class of each supported browser, or None if it is not installed."""
    def has(*programs):
        return all(shutil.which(program) or os.path.exists(program) for program in programs)
    return {
        "Chromium": Chromium if has("/usr/bin/chromium", "/usr/bin/chromedriver") else None,
        "Firefox": Firefox if has("firefox-esr") else None,
        "WebKitGTK": WebKit if has("/usr/bin/WebKitWebDriver", "Xvfb") else None,
    }


STATE = """
  const v = document.getElementById('video'), quality = document.querySelector('#quality > button');
  return v && { time: v.currentTime, duration: v.duration, paused: v.paused, ended: v.ended, seeking: v.seeking, ready: v.readyState, height: v.videoHeight,
    source: v.currentSrc, loaded: [...Array(v.buffered.length).keys()].map((index) => [v.buffered.start(index), v.buffered.end(index)]),
    quality: quality && quality.getAttribute('aria-label'), focus: document.activeElement && document.activeElement.textContent };"""


def wait(browser, body, *args, seconds=40):
    """Waits until a function with this body returns a true value, and returns it."""
    end = time.monotonic() + seconds
    while True:
        value = browser.run(body, *args)
        if value:
            return value
        if time.monotonic() > end:
            raise Failure(f"{browser.name}: not within {seconds} s: {body} {list(args)}, {browser.run(STATE)}")
        time.sleep(0.1)
