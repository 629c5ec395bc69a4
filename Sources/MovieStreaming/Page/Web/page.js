"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const texts = data.texts;
  const $ = (id) => document.getElementById(id);
  const [player, stage, video, seek, notice] = ["player", "stage", "video", "seek", "notice"].map($);

  /** An element with properties, attributes (names with a dash, role, lang, dir) and children; text is never markup. */
  function make(name, settings = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(settings)) {
      if (value === undefined || value === null) continue;
      if (key.includes("-") || key === "role") element.setAttribute(key, value); else element[key] = value;
    }
    element.append(...children);
    return element;
  }
  const say = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  function clock(seconds) {
    const whole = Math.max(0, Math.floor(seconds || 0));
    const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
    const two = (number) => String(number).padStart(2, "0");
    return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
  }

  /** How well a language serves one that is wanted, after RFC 4647: 0 for another, or another script of the same. */
  function likeness(language, wanted) {
    if (!language || !wanted) return 0;
    const [one, other] = [language, wanted].map((tag) => tag.toLowerCase().split("-"));
    if (one[0] !== other[0] || one[0] === "und") return 0;
    if (one.join() === other.join()) return 4;
    const script = (parts) => parts.find((part, index) => index > 0 && part.length === 4);
    if (script(one) && script(other) && script(one) !== script(other)) return 0;
    return one.length === 1 || other.length === 1 ? 2 : 1;
  }
  function best(options, wanted) {
    const marks = options.map((option) => likeness(option.language, wanted));
    const highest = Math.max(0, ...marks);
    return highest === 0 ? [] : options.filter((_, index) => marks[index] === highest);
  }
  const viewerLanguages = navigator.languages && navigator.languages.length ? navigator.languages : [navigator.language];

  // What a viewer chose, kept from movie to movie: by language and kind, for tracks have other numbers there.
  const wish = { subtitles: "auto", audio: null, speed: 1 };
  let current = -1;
  let movie = data.movies[0];
  let shown = null;
  let stream = null;
  let textTracks = new Map();
  const firstVideo = data.movies.length > 1 ? video.cloneNode(true) : null;

  // MARK: Menus

  const menus = [];
  class Menu {
    constructor(id, icon, label) {
      this.label = label;
      this.root = $(id);
      this.button = make("button", { type: "button", "aria-haspopup": "menu", "aria-expanded": "false", "aria-controls": id + "-menu" });
      if (icon) {
        const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
        use.setAttribute("href", icon);
        svg.setAttribute("aria-hidden", "true");
        svg.append(use);
        this.button.append(svg);
      }
      this.list = make("div", { id: id + "-menu", role: "menu", "aria-label": label, dir: document.documentElement.dir, hidden: true });
      this.root.append(this.button, this.list);
      this.button.addEventListener("click", () => (this.list.hidden ? this.open() : this.close(true)));
      this.button.addEventListener("keydown", (event) => {
        if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
        this.open();
        stop(event);
      });
      this.list.addEventListener("keydown", (event) => this.key(event));
      this.root.addEventListener("focusout", (event) => {
        if (event.relatedTarget && !this.root.contains(event.relatedTarget)) this.close(false);
      });
      menus.push(this);
    }

    /** Lists options {name, language, key, isDisabled, note}; `chosen` is the key of one. */
    fill(options, chosen, choose) {
      this.choose = choose;
      this.list.replaceChildren();
      for (const option of options) {
        if (option.note) { this.list.append(make("p", {}, option.note)); continue; }
        const item = make("button", {
          type: "button", role: "menuitemradio", tabIndex: -1, "aria-checked": String(option.key === chosen),
          "aria-disabled": option.isDisabled ? "true" : undefined,
        }, make("span", { lang: option.lang || "", dir: "auto" }, option.name));
        const own = ownName(option.language, option.name);
        if (own) item.append(make("small", { lang: option.language, dir: "auto" }, own));
        item.addEventListener("click", () => {
          if (option.isDisabled) return;
          this.close(true);
          choose(option.key);
        });
        this.list.append(item);
      }
      const option = options.find((option) => option.key === chosen);
      this.name(option ? option.name : "");
    }

    name(value) {
      const label = value ? `${this.label}: ${value}` : this.label;
      this.button.setAttribute("aria-label", label);
      this.button.title = label;
    }

    get items() { return [...this.list.querySelectorAll("[role=menuitemradio]")]; }

    open() {
      for (const menu of menus) if (menu !== this) menu.close(false);
      this.list.hidden = false;
      this.button.setAttribute("aria-expanded", "true");
      const items = this.items;
      (items.find((item) => item.getAttribute("aria-checked") === "true") || items[0])?.focus();
    }

    close(returnsFocus) {
      if (this.list.hidden) return;
      this.list.hidden = true;
      this.button.setAttribute("aria-expanded", "false");
      if (returnsFocus) this.button.focus();
    }

    key(event) {
      const items = this.items;
      const index = items.indexOf(document.activeElement);
      const focus = (next) => items[(next + items.length) % items.length]?.focus();
      switch (event.key) {
        case "ArrowDown": focus(index + 1); break;
        case "ArrowUp": focus(index - 1); break;
        case "Home": focus(0); break;
        case "End": focus(items.length - 1); break;
        case "Escape": this.close(true); break;
        case "Tab": this.close(true); return;
        case "Enter": case " ": event.stopPropagation(); return;
        default: {
          if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
          const letter = event.key.toLowerCase();
          const order = [...items.slice(index + 1), ...items.slice(0, index + 1)];
          order.find((item) => item.textContent.trim().toLowerCase().startsWith(letter))?.focus();
        }
      }
      stop(event);
    }
  }
  function stop(event) { event.preventDefault(); event.stopPropagation(); }

  /** A language's name in itself, where that says more than `name` does. */
  function ownName(language, name) {
    if (!language || language === "und") return null;
    try {
      const own = new Intl.DisplayNames([language], { type: "language" }).of(language);
      return own && own.toLowerCase() !== language.toLowerCase() && !name.toLowerCase().includes(own.toLowerCase()) ? own : null;
    } catch { return null; }
  }

  document.addEventListener("pointerdown", (event) => {
    for (const menu of menus) if (!menu.root.contains(event.target)) menu.close(false);
  });

  const subtitlesMenu = new Menu("subtitles", "#i-subtitles", texts.subtitles);
  const audioMenu = new Menu("audio", "#i-audio", texts.audio);
  const speedMenu = new Menu("speed", "#i-speed", texts.speed);

  // MARK: Subtitles

  /** The track of the page for each track of the movie. Those that a browser finds in the file stay off. */
  function collectTracks() {
    textTracks = new Map();
    for (const element of video.querySelectorAll("track")) textTracks.set(element.dataset.track, element.track);
  }
  function silenceOthers() {
    const own = new Set(textTracks.values());
    for (const track of video.textTracks) if (!own.has(track) && track.mode !== "disabled") track.mode = "disabled";
  }

  function audioLanguage() {
    const chosen = movie.audio.find((option) => option.id === audioID());
    return chosen ? chosen.language : null;
  }

  /** What is read although subtitles are off: forced texts in the language of the sound. */
  function forcedTrack() {
    const forced = movie.subtitles.filter((option) => option.isForced);
    const language = audioLanguage();
    return (language ? best(forced, language)[0] : null) || null;
  }

  /** Subtitles for those who do not understand the sound; else what the movie turns on; else forced ones. */
  function automaticTrack() {
    const options = movie.subtitles.filter((option) => !option.isForced && !option.isAuxiliary);
    const regular = (list) => list.find((option) => !option.isSDH) || list[0];
    const spoken = audioLanguage();
    if (!spoken || !viewerLanguages.some((language) => likeness(spoken, language) > 0)) {
      for (const language of viewerLanguages) {
        const found = regular(best(options, language));
        if (found) return found;
      }
    }
    return options.find((option) => option.isDefault) || forcedTrack();
  }

  function pickedTrack() {
    const options = movie.subtitles.filter((option) => !option.isForced);
    if (wish.subtitles.movie === current) return options.find((option) => option.id === wish.subtitles.id);
    const alike = best(options, wish.subtitles.language);
    return alike.find((option) => option.isSDH === wish.subtitles.isSDH) || alike[0] || automaticTrack();
  }

  function applySubtitles() {
    const option = wish.subtitles === "off" ? forcedTrack() : wish.subtitles === "auto" ? automaticTrack() : pickedTrack();
    shown = option || null;
    for (const [id, track] of textTracks) {
      const mode = shown && id === shown.id ? "showing" : id === reading.value || track.kind === "descriptions" ? "hidden" : "disabled";
      if (track.mode !== mode) track.mode = mode;
    }
    silenceOthers();
    fillSubtitles();
  }

  function fillSubtitles() {
    const options = movie.subtitles.filter((option) => !option.isForced);
    $("subtitles").hidden = options.length === 0;
    const automatic = wish.subtitles === "auto" && shown && !shown.isForced ? ` (${shown.name})` : "";
    const chosen = typeof wish.subtitles === "string" ? wish.subtitles : pickedTrack()?.id;
    subtitlesMenu.fill(
      [{ name: texts.off, key: "off", lang: data.language }, { name: texts.auto + automatic, key: "auto", lang: data.language },
        ...options.map((option) => ({ name: option.name, language: option.language, key: option.id, lang: "en" }))],
      chosen, chooseSubtitles);
  }

  function chooseSubtitles(key) {
    const option = movie.subtitles.find((option) => option.id === key);
    wish.subtitles = option ? { movie: current, id: key, language: option.language, isSDH: option.isSDH } : key;
    const isOther = option && reading.value !== key;
    if (isOther) reading.value = key;
    applySubtitles();
    // A text that is off has no lines.
    if (isOther) fillTranscript();
  }

  // MARK: Sound

  function audioID() {
    if (stream) return stream.audioID;
    const list = video.audioTracks;
    if (list && list.length === movie.audio.length) {
      const index = [...list].findIndex((track) => track.enabled);
      if (index >= 0) return movie.audio[index].id;
    }
    return (movie.audio.find((option) => option.isDefault) || movie.audio[0])?.id;
  }
  function canSwitchAudio() {
    return Boolean(stream) || Boolean(video.audioTracks && video.audioTracks.length === movie.audio.length);
  }

  /** The sounds that can be chosen: of a stream one for all codecs that the same sound is there in. */
  function sounds() {
    const streamed = stream ? movie.audio.filter((option) => option.playlists) : [];
    return streamed.length > 0 ? streamed : movie.audio;
  }

  function fillAudio() {
    $("audio").hidden = sounds().length < 2;
    const chosen = audioID();
    const canSwitch = canSwitchAudio();
    const isDisabled = (option) => option.id !== chosen && (!canSwitch || Boolean(stream) && !stream.offers(option));
    audioMenu.fill(
      [...sounds().map((option) => ({
        name: option.name, language: option.language, key: option.id, lang: "en", isDisabled: isDisabled(option),
      })), ...(canSwitch ? [] : [{ note: texts.oneSound }])],
      chosen, (key) => {
        const option = movie.audio.find((option) => option.id === key);
        wish.audio = { language: option.language, describesVideo: option.describesVideo };
        chooseAudio(key);
      });
  }

  function chooseAudio(key) {
    if (key === audioID()) return;
    if (stream) {
      stream.chooseAudio(key);
    } else if (canSwitchAudio()) {
      const index = movie.audio.findIndex((option) => option.id === key);
      [...video.audioTracks].forEach((track, place) => { track.enabled = place === index; });
    }
    fillAudio();
    applySubtitles();
  }

  /** Sound as it was chosen in the movie before, else in a language of the viewer. */
  function chooseFirstAudio() {
    if (sounds().length < 2 || !canSwitchAudio()) return;
    const usual = sounds().filter((option) => !option.isAuxiliary && !(stream && !stream.offers(option)));
    if (wish.audio) {
      const alike = best(usual, wish.audio.language);
      const option = alike.find((option) => option.describesVideo === wish.audio.describesVideo) || alike[0];
      if (option) chooseAudio(option.id);
    }
  }

  // MARK: Chapters

  function chapterAt(time) {
    let index = -1;
    movie.chapters.forEach((chapter, place) => { if (chapter.start <= time + 0.05) index = place; });
    return index;
  }
  const chapterName = (index) => `${index + 1}. ${movie.chapters[index].title}`;
  let chapterShown = -2;

  function fillChapters() {
    const list = $("chapters").querySelector("ol");
    for (const id of ["chapters", "previous", "next"]) $(id).hidden = movie.chapters.length === 0;
    list.replaceChildren(...movie.chapters.map((chapter, index) => {
      const button = make("button", { type: "button" });
      if (chapter.image) button.append(make("img", { src: chapter.image, alt: "", loading: "lazy" }));
      button.append(
        make("small", {}, `${index + 1}.`), make("span", { dir: "auto", lang: chapter.language || "" }, chapter.title || texts.untitled),
        make("time", {}, clock(chapter.start)));
      button.addEventListener("click", () => seekTo(chapter.start));
      return make("li", {}, button);
    }));
    chapterShown = -2;
    const ticks = movie.chapters.length > 100 ? [] : movie.chapters;
    $("ticks").replaceChildren(...ticks.filter((chapter) => chapter.start > 0 && chapter.start < length()).map((chapter) => {
      const tick = make("i");
      tick.style.left = `${(100 * chapter.start) / length()}%`;
      return tick;
    }));
  }

  function markChapter() {
    const index = chapterAt(video.currentTime);
    if (index === chapterShown) return;
    mark($("chapters").querySelector("ol"), index);
    chapterShown = index;
  }

  /** Marks one line of a list as the current one, and shows it without moving the page. */
  function mark(list, index) {
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const line = list.children[index];
    if (!line) return;
    line.firstElementChild.setAttribute("aria-current", "true");
    if (list.contains(document.activeElement) && document.activeElement !== list) return;
    const [top, bottom] = [line.offsetTop, line.offsetTop + line.offsetHeight];
    if (top < list.scrollTop || bottom > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 3;
  }

  function stepChapter(step) {
    const index = chapterAt(video.currentTime);
    if (movie.chapters.length === 0) return;
    // Back goes to the start of this chapter first.
    const isInside = step < 0 && index >= 0 && video.currentTime - movie.chapters[index].start > 3;
    const target = isInside ? index : Math.min(movie.chapters.length - 1, Math.max(0, index + step));
    seekTo(movie.chapters[target].start);
  }

  let noticeTimer = 0;
  function show(text) {
    notice.textContent = text;
    clearTimeout(noticeTimer);
    noticeTimer = setTimeout(() => { notice.textContent = ""; }, 4000);
  }
  function showChapter() {
    const index = chapterAt(video.currentTime);
    if (index >= 0) show(chapterName(index));
  }

  // MARK: Transcript

  const [lines, reading, search, found] = ["lines", "reading", "search", "found"].map($);
  let cues = [];
  let lineOfCue = [];

  function fillReading() {
    const readable = movie.subtitles.filter((option) => !option.isForced);
    reading.replaceChildren(...readable.map((option) => make("option", { value: option.id, lang: "en" }, option.name)));
    reading.hidden = readable.length < 2;
    const first = readable.includes(shown) ? shown : viewerLanguages.map((language) => best(readable, language)[0]).find(Boolean) || readable[0];
    if (first) reading.value = first.id;
    $("transcript").hidden = readable.length === 0;
  }

  const plain = (cue) => cue.getCueAsHTML ? cue.getCueAsHTML().textContent : cue.text.replace(/<[^>]*>/g, "");

  function fillTranscript() {
    const option = movie.subtitles.find((option) => option.id === reading.value);
    const track = option && textTracks.get(option.id);
    cues = track && track.cues ? [...track.cues].map((cue) => ({ start: cue.startTime, end: cue.endTime, text: plain(cue) })) : [];
    lines.lang = (option && option.language) || "";
    search.value = search.value || "";
    filter();
  }

  function filter() {
    const wanted = search.value.trim().toLocaleLowerCase();
    const fragment = document.createDocumentFragment();
    lineOfCue = [];
    let count = 0;
    for (const [index, cue] of cues.entries()) {
      const places = wanted ? occurrences(cue.text, wanted) : [];
      if (wanted && places.length === 0) continue;
      const text = make("span", { dir: "auto" });
      let end = 0;
      for (const place of places) {
        text.append(cue.text.slice(end, place), make("mark", {}, cue.text.slice(place, place + wanted.length)));
        end = place + wanted.length;
      }
      text.append(cue.text.slice(end));
      const button = make("button", { type: "button" }, make("time", {}, clock(cue.start)), text);
      button.dataset.start = cue.start;
      fragment.append(make("li", {}, button));
      lineOfCue[index] = count++;
    }
    lines.replaceChildren(fragment);
    found.textContent = wanted ? say(count === 1 ? texts.foundOne : texts.found, { count }) : "";
    lineShown = -1;
    markLine();
  }

  /** Places of a text in another, whatever the case of letters; none where changing the case would move them. */
  function occurrences(text, wanted) {
    const lower = text.toLocaleLowerCase();
    const haystack = lower.length === text.length ? lower : text;
    const places = [];
    for (let at = haystack.indexOf(wanted); at >= 0; at = haystack.indexOf(wanted, at + wanted.length)) places.push(at);
    return places;
  }

  let lineShown = -1;
  function markLine() {
    let [low, high] = [0, cues.length];
    const time = video.currentTime + 0.05;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cues[middle].start <= time) low = middle + 1; else high = middle;
    }
    const line = low > 0 && lineOfCue[low - 1] !== undefined ? lineOfCue[low - 1] : -1;
    if (line === lineShown) return;
    lineShown = line;
    mark(lines, line);
  }

  lines.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) seekTo(Number(button.dataset.start));
  });
  let searchTimer = 0;
  search.addEventListener("input", () => { clearTimeout(searchTimer); searchTimer = setTimeout(filter, 120); });
  reading.addEventListener("change", () => { applySubtitles(); fillTranscript(); });

  // MARK: Playing

  const route = typeof Route === "undefined" ? null : new Route($("route"), seekTo);
  const length = () => (Number.isFinite(video.duration) && video.duration > 0 ? video.duration : movie.duration);

  function seekTo(time) {
    video.currentTime = Math.min(Math.max(0, time), Math.max(0, length() - 0.01));
  }
  function togglePlay() {
    if (video.paused) play(); else video.pause();
  }
  function play() {
    const started = video.play();
    if (started) started.catch(() => {});
  }

  function icon(button, name) { button.querySelector("use").setAttribute("href", name); }
  function showPlaying() {
    const label = video.paused ? texts.play : texts.pause;
    icon($("play"), video.paused ? "#i-play" : "#i-pause");
    $("play").setAttribute("aria-label", label);
    $("play").title = label;
  }
  function showVolume() {
    const isMute = video.muted || video.volume === 0;
    icon($("mute"), isMute ? "#i-mute" : "#i-loud");
    $("mute").setAttribute("aria-pressed", String(isMute));
    $("volume").value = String(video.muted ? 0 : Math.round(video.volume * 100));
  }
  function showTime() {
    const time = video.currentTime;
    seek.max = String(length());
    if (!isDragging) seek.value = String(time);
    $("now").textContent = clock(time);
    $("end").textContent = clock(length());
    const chapter = chapterAt(time);
    const place = say(texts.timeOf, { time: clock(time), end: clock(length()) });
    seek.setAttribute("aria-valuetext", chapter >= 0 ? `${place}, ${chapterName(chapter)}` : place);
    markChapter();
    markLine();
    route?.show(time);
  }

  let isDragging = false;
  seek.addEventListener("input", () => { isDragging = true; seekTo(Number(seek.value)); });
  seek.addEventListener("change", () => { isDragging = false; });
  $("play").addEventListener("click", togglePlay);
  $("previous").addEventListener("click", () => stepChapter(-1));
  $("next").addEventListener("click", () => stepChapter(1));
  $("mute").addEventListener("click", toggleMute);
  $("volume").addEventListener("input", (event) => { video.volume = event.target.value / 100; video.muted = false; });
  $("full").addEventListener("click", toggleFull);
  function toggleMute() { video.muted = !video.muted; }
  function toggleFull() {
    const isFull = document.fullscreenElement || document.webkitFullscreenElement;
    if (isFull) (document.exitFullscreen || document.webkitExitFullscreen).call(document);
    else if (player.requestFullscreen || player.webkitRequestFullscreen) (player.requestFullscreen || player.webkitRequestFullscreen).call(player);
    else if (video.webkitEnterFullscreen) video.webkitEnterFullscreen();
  }
  for (const name of ["fullscreenchange", "webkitfullscreenchange"]) {
    document.addEventListener(name, () => {
      const isFull = Boolean(document.fullscreenElement || document.webkitFullscreenElement);
      icon($("full"), isFull ? "#i-window" : "#i-full");
      $("full").setAttribute("aria-pressed", String(isFull));
    });
  }

  const speeds = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2];
  function setSpeed(speed) {
    wish.speed = speed;
    video.defaultPlaybackRate = speed;
    video.playbackRate = speed;
    speedMenu.fill(speeds.map((value) => ({ name: `${value} ×`, key: value, lang: data.language })), speed, setSpeed);
  }

  for (const name of ["play", "pause", "ended"]) video.addEventListener(name, showPlaying);
  for (const name of ["timeupdate", "durationchange", "seeking", "seeked", "loadedmetadata"]) video.addEventListener(name, showTime);
  video.addEventListener("volumechange", showVolume);
  video.addEventListener("seeked", showChapter);
  video.addEventListener("click", togglePlay);
  video.addEventListener("dblclick", toggleFull);
  video.addEventListener("loadedmetadata", () => {
    video.playbackRate = wish.speed;
    // A browser that does not know the picture plays the sound alone, and calls that no error.
    if (movie.hasPicture && video.videoWidth === 0) fail(say(texts.cannotPlay, { formats: movie.formats.join(", ") }));
    chooseFirstAudio();
    fillAudio();
    applySubtitles();
    fillChapters();
    showTime();
  });
  video.addEventListener("ended", () => { if (current + 1 < data.movies.length) open(current + 1, true); });
  video.addEventListener("error", () => {
    if (!video.error) return;
    // The file itself may play, or says in its turn that it does not.
    if (stream) { stream.fail(video.error.message); return; }
    fail(say(texts.cannotPlay, { formats: movie.formats.join(", ") }));
  });
  video.textTracks.addEventListener?.("addtrack", silenceOthers);
  video.textTracks.addEventListener?.("change", silenceOthers);
  video.audioTracks?.addEventListener?.("addtrack", fillAudio);

  function fail(text) {
    $("problem").replaceChildren(text + " ", make("a", { href: movie.source, download: "" }, texts.download));
    $("problem").hidden = false;
  }

  // MARK: Keys

  // Only where the focus is in the player, so that letters mean nothing to those who speak or type elsewhere (WCAG 2.1.4).
  player.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isButton = event.target.closest("button, a");
    const isRange = event.target.matches("input");
    const keys = {
      k: togglePlay, j: () => seekTo(video.currentTime - 10), l: () => seekTo(video.currentTime + 10), m: toggleMute,
      f: toggleFull, p: () => stepChapter(-1), n: () => stepChapter(1), c: stepSubtitles, "<": () => stepSpeed(-1),
      ">": () => stepSpeed(1), "/": () => { if (!$("transcript").hidden) search.focus(); },
    };
    if (!isButton && !isRange) Object.assign(keys, { Enter: togglePlay });
    if (!isButton) keys[" "] = togglePlay;
    if (!isRange || event.target === seek) {
      keys.ArrowLeft = () => seekTo(video.currentTime - 5);
      keys.ArrowRight = () => seekTo(video.currentTime + 5);
      keys.ArrowUp = () => { video.volume = Math.min(1, video.volume + 0.1); };
      keys.ArrowDown = () => { video.volume = Math.max(0, video.volume - 0.1); };
    }
    const work = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!work) return;
    stop(event);
    work();
  });
  function stepSubtitles() {
    const options = ["off", ...movie.subtitles.filter((option) => !option.isForced).map((option) => option.id)];
    const now = shown && !shown.isForced ? shown.id : "off";
    chooseSubtitles(options[(options.indexOf(now) + 1) % options.length]);
    show(shown && !shown.isForced ? shown.name : `${texts.subtitles}: ${texts.off}`);
  }
  function stepSpeed(step) {
    const index = Math.min(speeds.length - 1, Math.max(0, speeds.indexOf(wish.speed) + step));
    setSpeed(speeds[index]);
    show(`${texts.speed}: ${speeds[index]} ×`);
  }

  // MARK: Movies

  /** The element of a movie as the page was written. */
  const elementOf = (index) => index === 0 ? firstVideo : document.querySelector(`template[data-movie="${index}"]`).content.firstElementChild;

  function fillList() {
    const list = $("movies");
    if (!list) return;
    for (const [index, link] of [...list.querySelectorAll("button")].entries()) {
      const cover = elementOf(index).getAttribute("poster");
      if (cover) link.prepend(make("img", { src: cover, alt: "", loading: "lazy" }));
      link.addEventListener("click", () => open(index, true));
    }
  }

  /** Puts a movie into the player: its element's attributes and tracks take the place of the old ones. */
  function open(index, plays) {
    if (index === current) return;
    const isFirst = current < 0;
    current = index;
    movie = data.movies[index];
    if (stream) { stream.close(); stream = null; }
    if (!isFirst) {
      const fresh = elementOf(index);
      video.replaceChildren();
      for (const name of ["src", "poster", "width", "height"]) {
        const value = fresh.getAttribute(name);
        if (value) video.setAttribute(name, value); else video.removeAttribute(name);
      }
      for (const track of fresh.querySelectorAll("track")) video.append(track.cloneNode());
    }
    $("problem").hidden = true;
    stage.classList.toggle("sound", !movie.hasPicture);
    $("title").textContent = movie.title;
    document.title = movie.title;
    collectTracks();
    for (const element of video.querySelectorAll("track")) {
      element.addEventListener("load", () => { if (element.dataset.track === reading.value) fillTranscript(); });
    }
    fillReading();
    shown = null;
    search.value = "";
    applySubtitles();
    fillReading();
    applySubtitles();
    fillTranscript();
    fillAudio();
    fillChapters();
    describe();
    route?.fill(movie.route || []);
    if ($("movies")) mark($("movies"), index);
    startStream(plays);
    showTime();
    inform();
    if (plays) play();
  }

  /** The movie by the page's own segments, where the server offers them and the element alone could not switch sound. */
  function startStream(plays) {
    const canSwitchAlone = "audioTracks" in video;
    if (!movie.stream || canSwitchAlone || typeof MovieStream === "undefined" || !MovieStream.isSupported(movie)) {
      if (!isLoaded()) video.load();
      return;
    }
    const index = current;
    stream = new MovieStream(video, movie, (reason) => {
      // The file itself plays wherever segments do not.
      const [time, wasPlaying] = [video.currentTime, !video.paused || plays];
      stream = null;
      video.src = movie.source;
      video.addEventListener("loadedmetadata", () => {
        if (index !== current) return;
        video.currentTime = time;
        if (wasPlaying) play();
      }, { once: true });
      fillAudio();
      console.warn("streaming stopped:", reason);
    }, fillAudio);
  }
  const isLoaded = () => video.readyState > 0 || video.networkState === HTMLMediaElement.NETWORK_LOADING;

  /** Text that describes the picture is spoken by those who have a screen reader. */
  function describe() {
    for (const [, track] of textTracks) {
      if (track.kind !== "descriptions") continue;
      track.oncuechange = () => {
        $("description").textContent = [...(track.activeCues || [])].map(plain).join(" ");
      };
    }
  }

  function inform() {
    const session = navigator.mediaSession;
    if (!session || typeof MediaMetadata === "undefined") return;
    const poster = video.getAttribute("poster");
    session.metadata = new MediaMetadata({ title: movie.title, artist: movie.artist || "", artwork: poster ? [{ src: poster }] : [] });
    const handlers = { previoustrack: () => stepChapter(-1), nexttrack: () => stepChapter(1) };
    for (const [name, work] of Object.entries(handlers)) {
      try { session.setActionHandler(name, movie.chapters.length ? work : null); } catch { /* Older browsers know fewer. */ }
    }
  }

  // MARK: Start

  video.controls = false;
  video.tabIndex = 0;
  video.setAttribute("aria-label", texts.picture);
  $("controls").hidden = false;
  $("keys").hidden = false;
  if (!(player.requestFullscreen || player.webkitRequestFullscreen || video.webkitEnterFullscreen)) $("full").hidden = true;
  setSpeed(1);
  showVolume();
  fillList();
  open(0, false);
  const start = /^#t=(\d+(?:\.\d+)?)$/.exec(location.hash);
  function goToStart() {
    // What the markup names may load before the stream takes its place.
    if (stream && !video.currentSrc.startsWith("blob:")) return;
    video.removeEventListener("loadedmetadata", goToStart);
    seekTo(Number(start[1]));
  }
  if (start) video.addEventListener("loadedmetadata", goToStart);
})();
