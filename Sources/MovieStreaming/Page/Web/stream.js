/**
 * Plays HTTP Live Streaming with fragmented MP4 through Media Source Extensions. One buffer for video and one for audio
 * are filled with the segments around the current time. Text renditions are ignored, because the page contains the texts.
 */
class MovieStream {
  /** The numbers of seconds that are loaded ahead, and kept of the part that was played. */
  static ahead = 30;
  static kept = 20;
  /** The largest delay in seconds before video or audio starts, because a browser waits for it and plays nothing. */
  static latest = 0.5;

  static get source() { return window.ManagedMediaSource || window.MediaSource; }
  static isSupported(movie) {
    return Boolean(MovieStream.source) && location.protocol.startsWith("http") && movie.stream !== undefined;
  }

  /**
   * Calls `fail` with the reason if the stream cannot be played and the element is free again. Calls `didChoose` if the
   * selected audio or variant changes. `height` is that of the picture that the viewer chose, or null.
   */
  constructor(video, movie, fail, didChoose, height) {
    Object.assign(this, { target: video, details: movie, didChoose, height, buffers: [], variants: [], pickedVariant: null, isMixed: false, bitsPerSecond: 0, isClosed: false });
    // The element's clock starts with the first segment, which precedes the start of a trimmed movie.
    this.hidden = movie.stream.start || 0;
    this.fail = (reason) => {
      if (this.isClosed) return;
      this.close();
      fail(reason);
    };
    const sounds = movie.audio.filter((option) => option.playlists);
    const chosen = sounds.find((option) => option.isDefault) || sounds[0];
    this.audioID = chosen && chosen.id;
    this.abort = new AbortController();
    this.media = new MovieStream.source();
    this.url = URL.createObjectURL(this.media);
    video.disableRemotePlayback = true;
    video.src = this.url;
    on(video, "timeupdate seeking waiting", () => this.fill(), this.abort);
    on(this.media, "sourceopen", () => this.start().catch(this.fail), { once: true });
  }

  close() {
    this.isClosed = true;
    this.abort.abort();
    URL.revokeObjectURL(this.url);
  }

  async load(url, range) {
    const headers = range ? { Range: `bytes=${range.offset}-${range.offset + range.count - 1}` } : {};
    const response = await fetch(url, { headers, signal: this.abort.signal });
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    return response;
  }

  /** Reads the multivariant playlist and creates a buffer for each type of media of the selected variant. */
  async start() {
    const base = new URL(this.details.stream.url, location.href).href;
    const playlist = MovieStream.multivariant(await (await this.load(base)).text(), base);
    const plays = (type) => MovieStream.source.isTypeSupported(type);
    // A variant lists the codecs of all its audio renditions, of which the browser may support only some.
    this.sounds = new Map();
    for (const option of this.details.audio) {
      for (const list of option.playlists || []) {
        const type = `audio/mp4; codecs="${list.codecs}"`;
        if (plays(type)) this.sounds.set(new URL(list.url, location.href).href, { id: option.id, type });
      }
    }
    const audioLists = (variant) =>
      playlist.audio.filter((list) => list.group === variant.audio && this.sounds.has(list.url));
    const picture = (variant) => variant.codecs.split(",").map((codec) => codec.trim())
      .filter((codec) => !/^(mp4a|ac-3|ec-3|opus|flac|alac|apac|wvtt|stpp)/i.test(codec)).join(",");
    // Audio alone is no replacement for a movie with video. The element then plays the file itself instead.
    const playable = playlist.variants.filter((variant) => variant.hasPicture === this.details.hasPicture
      && (!variant.hasPicture || plays(`video/mp4; codecs="${picture(variant)}"`))
      && (variant.audio === undefined || audioLists(variant).length > 0));
    if (playable.length === 0) throw new Error("no variant plays here");
    if (playable[0].hasPicture) this.variants = MovieStream.pictures(playable, picture);
    this.pickedVariant = this.variants.find((variant) => variant.height === this.height) || null;
    const variant = this.pickedVariant || playable[0];
    this.audioLists = audioLists(variant);
    if (variant.hasPicture) {
      this.usedVariant = this.variants.find(({ url }) => url === variant.url);
      this.pictureBuffer = this.add(this.usedVariant.type, variant.url);
    }
    if (this.audioLists.length > 0) {
      const list = this.audioList() || this.audioLists[0];
      const { id, type } = this.sounds.get(list.url);
      this.audioID = id;
      this.audioBuffer = this.add(type, list.url);
    }
    this.didChoose();
    // Set before the first segment is loaded, so that the viewer can seek at once.
    this.media.duration = this.details.duration + this.hidden;
    // No buffer can be added after data was appended to another.
    await Promise.all(this.buffers.map((buffer) => this.prepare(buffer, buffer.run)));
    if (this.isClosed) return;
    // The viewer may have chosen another track or picture meanwhile, whose playlist is still loading.
    if (this.buffers.every((buffer) => buffer.list && !buffer.media.updating)) {
      this.media.duration = Math.max(...this.buffers.map((buffer) => buffer.list.duration));
    }
    await Promise.all(this.buffers.map((buffer) => this.append(buffer, 0, buffer.run)));
    if (this.isClosed) return;
    const starts = this.buffers.map(({ media }) => media.buffered.length > 0 ? media.buffered.start(0) : 0);
    if (Math.max(...starts) > MovieStream.latest) throw new Error("picture or sound begins late");
    for (const buffer of this.buffers) buffer.isLoading = false;
    this.fill();
  }

  /** Returns the playlist of an audio track, by default the selected one, in a supported codec. */
  audioList(id = this.audioID) {
    return this.audioLists.find((list) => this.sounds.get(list.url).id === id);
  }

  /** Whether an audio track can be selected. */
  offers(option) {
    return !this.audioLists || this.audioList(option.id) !== undefined;
  }

  add(type, url) {
    if (!MovieStream.source.isTypeSupported(type)) throw new Error(`${type} does not play here`);
    const buffer = { media: this.media.addSourceBuffer(type), type, url, work: Promise.resolve(), loaded: new Set(), isLoading: true, run: 0 };
    // Times in segments are later than in the movie by the delay.
    buffer.media.timestampOffset = this.hidden - this.details.stream.delay;
    this.buffers.push(buffer);
    return buffer;
  }

  /** Loads the playlist of a buffer and what its segments need, unless the buffer switches to another playlist meanwhile. */
  async prepare(buffer, run) {
    const { url } = buffer;
    const list = MovieStream.segments(await (await this.load(url)).text(), url);
    const bytes = list.map && await (await this.load(list.map.url, list.map.range)).arrayBuffer();
    if (run !== buffer.run) return;
    buffer.list = list;
    if (bytes) await this.change(buffer, () => buffer.media.appendBuffer(bytes));
  }

  /** Changes a buffer when it is idle, and resolves when the change is complete. */
  change(buffer, body) {
    const turn = buffer.work.then(() => new Promise((resolve, reject) => {
      if (this.isClosed || this.media.readyState === "closed") { resolve(); return; }
      const listening = new AbortController();
      const settle = (action, value) => { listening.abort(); action(value); };
      on(buffer.media, "updateend", () => settle(resolve), listening);
      on(buffer.media, "error", () => settle(reject, new Error("a segment could not be decoded")), listening);
      try { body(); } catch (error) { settle(reject, error); }
    }));
    buffer.work = turn.catch(() => {});
    return turn;
  }

  /** Returns one variant for each video playlist, largest first, among those with the audio of the first variant. */
  static pictures(variants, codecs) {
    const seen = new Set();
    const found = variants.filter((variant) => variant.audio === variants[0].audio && !seen.has(variant.url) && seen.add(variant.url));
    found.sort((one, other) => other.height - one.height || other.bandwidth - one.bandwidth);
    return found.map((variant) => {
      const isAlone = found.filter(({ height }) => height === variant.height).length === 1;
      const rate = isAlone ? "" : `, ${(variant.bandwidth / 1e6).toFixed(1)} Mbit/s`;
      return { ...variant, type: `video/mp4; codecs="${codecs(variant)}"`, name: `${variant.height}p${rate}` };
    });
  }

  /** Switches to the picture that the viewer chose, or with null adapts to the connection. */
  choosePicture(variant) {
    this.pickedVariant = variant;
    // After an automatic switch, the segments before it are in another size.
    if (variant && (variant !== this.usedVariant || this.isMixed)) this.usePicture(variant, true);
    else this.adapt();
  }

  /** Switches, from the next segment on, to the largest picture that leaves some of the measured bandwidth unused. */
  adapt() {
    if (this.pickedVariant || this.variants.length < 2 || this.bitsPerSecond === 0 || !this.pictureBuffer.list) return;
    const fitting = this.variants.find((variant) => variant.bandwidth < 0.7 * this.bitsPerSecond) || this.variants.at(-1);
    if (fitting !== this.usedVariant) this.usePicture(fitting, false);
  }

  async usePicture(variant, isNow) {
    const buffer = this.pictureBuffer;
    this.usedVariant = variant;
    this.isMixed = !isNow;
    const isPlayed = await this.replace(buffer, variant.url, variant.type, isNow);
    // After a change in the middle of a group, the decoder waits for a key picture. A seek makes it start at the one before.
    if (isPlayed && isNow) this.target.currentTime = Math.max(0, this.target.currentTime - 0.01);
    this.didChoose();
  }

  fill() {
    for (const buffer of this.buffers) {
      if (!buffer.list || buffer.isLoading || this.isClosed) continue;
      const next = this.next(buffer);
      if (next < 0) { this.finish(); continue; }
      const { run } = buffer;
      buffer.isLoading = true;
      this.append(buffer, next, run).then(
        // After a switch, other segments are already loading.
        () => { if (run === buffer.run) { buffer.isLoading = false; this.fill(); } },
        (error) => { buffer.isLoading = false; if (error.name !== "AbortError") this.fail(error); });
    }
  }

  isBuffered(buffer, time) {
    const ranges = buffer.media.buffered;
    for (let index = 0; index < ranges.length; index++) {
      if (ranges.start(index) <= time + 0.1 && ranges.end(index) > time + 0.1) return true;
    }
    return false;
  }

  /** Returns the index of the first missing segment that should be loaded, or -1 if there is none. */
  next(buffer) {
    const time = this.target.currentTime;
    return buffer.list.segments.findIndex((segment, index) => {
      if (segment.end <= time || segment.start > time + MovieStream.ahead) return false;
      const middle = Math.max(time, (segment.start + segment.end) / 2);
      return !buffer.loaded.has(index) || !this.isBuffered(buffer, Math.min(middle, segment.end - 0.2));
    });
  }

  async append(buffer, index, run) {
    const segment = buffer.list && buffer.list.segments[index];
    if (!segment) return;
    const started = performance.now();
    const bytes = await (await this.load(segment.url, segment.range)).arrayBuffer();
    if (run !== buffer.run) return;
    if (buffer === this.pictureBuffer) {
      const rate = (8_000 * bytes.byteLength) / Math.max(1, performance.now() - started);
      this.bitsPerSecond = this.bitsPerSecond ? (2 * this.bitsPerSecond + rate) / 3 : rate;
    }
    if (buffer.loaded.has(index) && buffer.tried === index) { segment.end = segment.start; return; }
    buffer.tried = buffer.loaded.has(index) ? index : undefined;
    for (let attempt = 0; ; attempt++) {
      if (run !== buffer.run) return;
      try {
        await this.change(buffer, () => buffer.media.appendBuffer(bytes));
        break;
      } catch (error) {
        if (error.name !== "QuotaExceededError" || attempt > 2) throw error;
        await this.forget(buffer, attempt === 0 ? MovieStream.kept / 2 : 2);
      }
    }
    if (run === buffer.run) buffer.loaded.add(index);
    await this.forget(buffer, MovieStream.kept);
    if (buffer === this.pictureBuffer) this.adapt();
  }

  /**
   * Removes media that was played more than so many seconds ago, except for the current segment: browsers remove up to the
   * next key picture, and in a long segment with only one that would include the current time.
   */
  async forget(buffer, seconds) {
    const { list, media: { buffered: ranges } } = buffer;
    const time = this.target.currentTime;
    const playing = list && list.segments.find((segment) => segment.end > time);
    const end = Math.min(time - seconds, playing ? playing.start - 0.5 : Infinity);
    if (ranges.length === 0 || ranges.start(0) >= end - 5) return;
    await this.change(buffer, () => buffer.media.remove(0, end));
    // The viewer may have chosen other audio meanwhile.
    if (!list || list !== buffer.list) return;
    list.segments.forEach((segment, index) => { if (segment.start < end) buffer.loaded.delete(index); });
  }

  /** Ends the stream if everything up to the end is loaded. */
  finish() {
    const isWhole = this.buffers.every((buffer) => buffer.list && !buffer.isLoading
      && buffer.loaded.has(buffer.list.segments.length - 1) && this.next(buffer) < 0);
    const isBusy = this.buffers.some((buffer) => buffer.media.updating);
    if (isWhole && !isBusy && this.media.readyState === "open") this.media.endOfStream();
  }

  /** Switches to another audio track at the current time. */
  async chooseAudio(id) {
    this.audioID = id;
    const buffer = this.audioBuffer;
    const list = this.audioLists && this.audioList();
    if (!buffer || !list || list.url === buffer.url) return;
    await this.replace(buffer, list.url, this.sounds.get(list.url).type, true);
  }

  /** Switches a buffer to another playlist, and removes its contents if `clears`. Resolves to whether it was switched. */
  async replace(buffer, url, type, clears) {
    const run = ++buffer.run;
    buffer.url = url;
    buffer.list = null;
    try {
      if (clears) {
        await this.change(buffer, () => buffer.media.remove(0, Infinity));
        buffer.loaded.clear();
      }
      if (run !== buffer.run) return false;
      await buffer.work;
      if (type !== buffer.type && buffer.media.changeType && !this.isClosed) {
        buffer.media.changeType(type);
        buffer.type = type;
      }
      await this.prepare(buffer, run);
      if (run !== buffer.run) return false;
      buffer.isLoading = false;
      this.fill();
      return true;
    } catch (error) {
      if (error.name !== "AbortError") this.fail(error);
      return false;
    }
  }

  // MARK: Playlists

  static attributes(line) {
    const found = {};
    for (const [, name, value] of line.matchAll(/([A-Z0-9-]+)=("[^"]*"|[^,]*)/g)) found[name] = value.replace(/^"|"$/g, "");
    return found;
  }

  static multivariant(text, base) {
    const result = { variants: [], audio: [] };
    let variant = null;
    for (const line of text.split(/\r?\n/)) {
      if (line.startsWith("#EXT-X-MEDIA:")) {
        const { TYPE, URI, "GROUP-ID": group, NAME } = MovieStream.attributes(line);
        if (TYPE === "AUDIO") result.audio.push({ group, name: NAME, url: URI && new URL(URI, base).href });
      } else if (line.startsWith("#EXT-X-STREAM-INF:")) {
        const { CODECS, AUDIO, RESOLUTION, BANDWIDTH } = MovieStream.attributes(line);
        variant = {
          codecs: CODECS || "", audio: AUDIO, hasPicture: RESOLUTION !== undefined, bandwidth: Number(BANDWIDTH) || 0,
          height: Number((RESOLUTION || "").split("x")[1]) || 0,
        };
      } else if (line && !line.startsWith("#") && variant) {
        result.variants.push({ ...variant, url: new URL(line, base).href });
        variant = null;
      }
    }
    return result;
  }

  static segments(text, base) {
    const result = { segments: [], map: null, duration: 0 };
    let [duration, range, end] = [0, null, 0];
    const bytes = (value, before) => {
      const [count, offset] = value.split("@").map(Number);
      return { count, offset: offset === undefined ? before : offset };
    };
    for (const line of text.split(/\r?\n/)) {
      if (line.startsWith("#EXTINF:")) {
        duration = parseFloat(line.slice("#EXTINF:".length));
      } else if (line.startsWith("#EXT-X-BYTERANGE:")) {
        range = bytes(line.slice("#EXT-X-BYTERANGE:".length), end);
        end = range.offset + range.count;
      } else if (line.startsWith("#EXT-X-MAP:")) {
        const { URI, BYTERANGE } = MovieStream.attributes(line);
        result.map = { url: new URL(URI, base).href, range: BYTERANGE ? bytes(BYTERANGE, 0) : null };
      } else if (line && !line.startsWith("#")) {
        const start = result.duration;
        result.duration += duration;
        result.segments.push({ url: new URL(line, base).href, range, start, end: result.duration });
        range = null;
      }
    }
    return result;
  }
}
