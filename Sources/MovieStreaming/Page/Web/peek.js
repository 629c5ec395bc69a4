/** A preview above a position on the timeline: the time, the chapter and a picture. */
class Peek {
  /**
   * `describe` returns {text, title, image, source} for a time. Without an image, a frame of the movie `source` is shown.
   * `clock` returns the time at which the movie starts in an element that plays its file.
   */
  constructor(timeline, length, describe, clock) {
    Object.assign(this, { timeline, length, describe, clock, sought: null });
    this.box = timeline.querySelector("#peek");
    [this.image, this.title, this.time] = ["img", "b", "span"].map((name) => this.box.querySelector(name));
    on(timeline, "pointermove", (event) => {
      const area = timeline.querySelector("#rail").getBoundingClientRect();
      this.show(Math.min(1, Math.max(0, (event.clientX - area.left) / area.width)) * length());
    });
    on(timeline, "pointerleave pointercancel", () => this.hide());
  }

  show(time, hidesSoon) {
    clearTimeout(this.timer);
    if (hidesSoon) this.timer = setTimeout(() => this.hide(), 1500);
    const { text, title, image, source } = this.describe(time);
    this.time.textContent = text;
    this.title.textContent = title;
    this.image.hidden = !image;
    if (image && this.image.src !== image) this.image.src = image;
    this.frame(image ? null : source, time);
    this.box.hidden = false;
    const [width, own] = [this.timeline.clientWidth, this.box.offsetWidth];
    const middle = 8 + ((width - 16) * time) / Math.max(this.length(), 0.001);
    this.box.style.left = `${Math.max(0, Math.min(width - own, middle - own / 2))}px`;
  }

  hide() {
    this.box.hidden = true;
    this.sought = null;
  }

  /** Shows frames from a second element, which is loaded on first use, and not if the connection saves data. */
  frame(source, time) {
    const isDear = navigator.connection?.saveData === true;
    if (!source || isDear || this.failed === source) { if (this.preview) this.preview.hidden = true; return; }
    if (this.loaded !== source) {
      this.loaded = source;
      this.preview?.remove();
      this.preview = document.createElement("video");
      Object.assign(this.preview, { muted: true, playsInline: true, preload: "auto", tabIndex: -1, disableRemotePlayback: true, disablePictureInPicture: true });
      const video = this.preview;
      on(video, "loadeddata seeked", () => this.next());
      on(video, "error", () => { this.failed = source; video.hidden = true; });
      video.src = source;
      this.box.prepend(video);
    }
    this.preview.hidden = false;
    this.sought = time;
    this.next();
  }

  /** Makes one seek at a time, because the pointer moves faster than frames are decoded. */
  next() {
    const video = this.preview;
    if (this.sought === null || video.seeking || video.readyState < 1) return;
    const time = this.sought + this.clock(video);
    if (Math.abs(video.currentTime - time) < 0.2) return;
    this.sought = null;
    if (video.fastSeek) video.fastSeek(time); else video.currentTime = time;
  }
}
