(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const words = data.texts;
  const [player, stage, video, seek, notice] = ["player", "stage", "video", "seek", "notice"].map($);

  /** Creates an element with properties, attributes (names with a dash, role, lang, dir) and children. Text is never markup. */
  function make(name, settings = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(settings)) {
      if (value === undefined || value === null) continue;
      if (key.includes("-") || key === "role") put(element, key, value); else element[key] = value;
    }
    element.append(...children);
    return element;
  }
  /** Draws a symbol of the page's markup on a button. */
  const draw = (button, symbol) => put(button.querySelector("use"), "href", symbol);
  const put = (element, attribute, value) => element.setAttribute(attribute, value);
  const say = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  function clock(seconds) {
    const whole = Math.max(0, Math.floor(seconds || 0));
    const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
    const two = (number) => String(number).padStart(2, "0");
    return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
  }

  /** Rates how well a language matches a wanted one (after RFC 4647): 0 for another language or script. */
  function likeness(tag, wanted) {
    if (!tag || !wanted) return 0;
    const [one, other] = [tag, wanted].map((text) => text.toLowerCase().split("-"));
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
  const regularSubtitles = () => movie.subtitles.filter((option) => !option.isForced);
  const viewerLanguages = navigator.languages?.length ? navigator.languages : [navigator.language];

  // The viewer's choices, kept from movie to movie by language and kind, because track IDs differ between movies.
  const wish = { subtitles: "auto", audio: null, speed: 1, quality: null };
  const memory = new Memory((isStored) => { $("forget").hidden = !isStored; });
  let current = -1;
  let movie = data.movies[0];
  let shown = null;
  /** The `MovieStream` that plays, or null if the element plays a file. */
  let hls = null;
  /** The start of a recording's clock if the browser shows the file's times on that clock, as Chromium does, or else 0. */
  const fileClock = (element = video) => {
    const clock = movie.clock || 0;
    const isShown = Math.abs(element.duration - clock - movie.duration) < Math.abs(element.duration - movie.duration);
    return clock > 0 && isShown ? clock : 0;
  };
  /** The time in the element at which the movie starts: segments of a trimmed movie start before it. */
  const hiddenTime = () => (hls ? hls.hidden : fileClock());
  const movieTime = () => Math.max(0, video.currentTime - hiddenTime());
  let pageTracks = new Map();
  const firstVideo = data.movies.length > 1 ? video.cloneNode(true) : null;

  // MARK: Menus

  const menus = [];
  class Menu {
    constructor(id, icon, label) {
      this.label = label;
      this.root = $(id);
      this.opener = make("button", { "aria-haspopup": "menu", "aria-expanded": "false", "aria-controls": id + "-menu" });
      // The word is on a second line, which is hidden if the button is too narrow.
      this.opener.append($("play").firstElementChild.cloneNode(true), make("span", { className: "word" }, "\u200b" + label));
      this.list = make("div", { id: id + "-menu", role: "menu", "aria-label": label, dir: document.documentElement.dir, hidden: true });
      this.root.append(this.opener, this.list);
      draw(this.opener, icon);
      on(this.opener, "click", () => (this.list.hidden ? this.open() : this.close(true)));
      on(this.opener, "keydown", (event) => {
        if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
        this.open();
        stop(event);
      });
      on(this.list, "keydown", (event) => this.key(event));
      on(this.root, "focusout", (event) => {
        if (event.relatedTarget && !this.root.contains(event.relatedTarget)) this.close(false);
      });
      menus.push(this);
    }

    /** Lists options {name, language, key, isDisabled, note}. `chosen` is the key of the selected one. An open menu keeps its focus. */
    fill(options, chosen, choose) {
      this.choose = choose;
      const focused = this.items.indexOf(document.activeElement);
      this.list.replaceChildren();
      for (const option of options) {
        if (option.note) { this.list.append(make("p", {}, option.note)); continue; }
        const item = make("button", {
          role: "menuitemradio", tabIndex: -1, "aria-checked": option.key === chosen,
          "aria-disabled": option.isDisabled ? "true" : undefined,
        }, make("span", { lang: option.lang || "", dir: "auto" }, option.name));
        const own = nativeName(option.language, option.name);
        if (own) item.append(make("small", { lang: option.language, dir: "auto" }, own));
        on(item, "click", () => {
          if (option.isDisabled) return;
          this.close(true);
          choose(option.key);
        });
        this.list.append(item);
      }
      if (focused >= 0 && !this.list.hidden) this.items[Math.min(focused, this.items.length - 1)]?.focus();
      const option = options.find((option) => option.key === chosen);
      this.name(option ? option.name : "");
    }

    /** Adds a row of settings [key, text, name, class]. A choice leaves the menu open, so that the viewer sees its effect. */
    addRow(label, options, chosen, choose) {
      const row = make("div", { role: "group", "aria-label": label });
      row.append(...options.map(([key, text, name, className]) => {
        const item = make("button", {
          role: "menuitemradio", tabIndex: -1, "aria-checked": key === chosen, "aria-label": name,
          title: name || "", className: className || "",
        }, text);
        on(item, "click", () => {
          for (const other of row.children) put(other, "aria-checked", other === item);
          choose(key);
        });
        return item;
      }));
      this.list.append(make("p", { "aria-hidden": "true" }, label), row);
    }

    name(value) {
      const label = value ? `${this.label}: ${value}` : this.label;
      put(this.opener, "aria-label", label);
      this.opener.title = label;
    }

    /** Shows on the button whether a setting differs from the default. */
    mark(isOn) { this.opener.classList.toggle("on", isOn); }

    get items() { return [...this.list.querySelectorAll("[role=menuitemradio]")]; }

    open() {
      for (const menu of menus) if (menu !== this) menu.close(false);
      this.list.hidden = false;
      put(this.opener, "aria-expanded", "true");
      const items = this.items;
      (items.find((item) => item.getAttribute("aria-checked") === "true") || items[0])?.focus();
    }

    close(returnsFocus) {
      if (this.list.hidden) return;
      this.list.hidden = true;
      put(this.opener, "aria-expanded", "false");
      if (returnsFocus) this.opener.focus();
    }

    key(event) {
      const items = this.items;
      const index = items.indexOf(document.activeElement);
      const focus = (next) => items[(next + items.length) % items.length]?.focus();
      switch (event.key) {
        case "ArrowDown": case "ArrowRight": focus(index + 1); break;
        case "ArrowUp": case "ArrowLeft": focus(index - 1); break;
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

  /** Returns a language's native name, or null if `name` contains it. */
  function nativeName(tag, name) {
    if (!tag || tag === "und") return null;
    try {
      const own = new Intl.DisplayNames([tag], { type: "language" }).of(tag);
      return own && own.toLowerCase() !== tag.toLowerCase() && !name.toLowerCase().includes(own.toLowerCase()) ? own : null;
    } catch { return null; }
  }

  let closedMenu = false;
  on(document, "pointerdown", (event) => {
    const others = menus.filter((menu) => !menu.list.hidden && !menu.root.contains(event.target));
    closedMenu = others.length > 0;
    for (const menu of others) menu.close(false);
  }, true);

  const subtitlesMenu = new Menu("subtitles", "#i-subtitles", words.subtitles);
  const audioMenu = new Menu("audio", "#i-audio", words.audio);
  const speedMenu = new Menu("speed", "#i-speed", words.speed);
  const qualityMenu = new Menu("quality", "#i-quality", words.quality);

  // MARK: Subtitles

  /** Maps the movie's tracks to the page's text tracks. Tracks that a browser finds in the file are disabled. */
  function collectTracks() {
    pageTracks = new Map();
    for (const element of video.querySelectorAll("track")) pageTracks.set(element.dataset.track, element.track);
  }
  /** Cues have movie times, so they are moved if the movie starts later in the element. */
  const shifts = new WeakMap();
  function moveCues() {
    for (const track of pageTracks.values()) {
      const distance = hiddenTime() - (shifts.get(track) || 0);
      if (!track.cues?.length || distance === 0) continue;
      for (const cue of [...track.cues]) {
        cue.startTime += distance;
        cue.endTime += distance;
      }
      shifts.set(track, hiddenTime());
    }
  }
  /**
   * Raises cues a little above the lower edge of the picture. Chromium has no lineAlign, and the style sheet does it there. Cues
   * that are shown together stay in lines: browsers move these apart.
   */
  function raiseCues(track) {
    if (!("lineAlign" in (window.VTTCue?.prototype || {}))) return;
    let end = -1;
    [...track.cues || []].forEach((cue, index, all) => {
      const isAlone = cue.startTime >= end && !(all[index + 1]?.startTime < cue.endTime);
      end = Math.max(end, cue.endTime);
      if (isAlone && cue.line === "auto" && cue.snapToLines) Object.assign(cue, { snapToLines: false, line: 94, lineAlign: "end" });
    });
  }
  function silenceOthers() {
    const own = new Set(pageTracks.values());
    for (const track of video.textTracks) if (!own.has(track) && track.mode !== "disabled") track.mode = "disabled";
  }

  function audioLanguage() {
    return movie.audio.find((option) => option.id === audioID())?.language;
  }

  /** The forced subtitles in the language of the audio, which are shown if subtitles are off. */
  function forcedTrack() {
    const forced = movie.subtitles.filter((option) => option.isForced);
    return best(forced, audioLanguage())[0];
  }

  /** Subtitles if the viewer does not understand the audio, or else the movie's default, or else forced subtitles. */
  function automaticTrack() {
    const options = regularSubtitles().filter((option) => !option.isAuxiliary);
    const regular = (list) => list.find((option) => !option.isSDH) || list[0];
    const spoken = audioLanguage();
    if (!viewerLanguages.some((tag) => likeness(spoken, tag) > 0)) {
      for (const tag of viewerLanguages) {
        const option = regular(best(options, tag));
        if (option) return option;
      }
    }
    return options.find((option) => option.isDefault) || forcedTrack();
  }

  function pickedTrack() {
    const options = regularSubtitles();
    if (wish.subtitles.movieIndex === current) return options.find((option) => option.id === wish.subtitles.id);
    const alike = best(options, wish.subtitles.language);
    return alike.find((option) => option.isSDH === wish.subtitles.isSDH) || alike[0] || automaticTrack();
  }

  function applySubtitles() {
    const option = wish.subtitles === "off" ? forcedTrack() : wish.subtitles === "auto" ? automaticTrack() : pickedTrack();
    shown = option || null;
    for (const [id, track] of pageTracks) {
      const mode = shown && id === shown.id ? "showing" : id === reading.value || track.kind === "descriptions" ? "hidden" : "disabled";
      if (track.mode !== mode) track.mode = mode;
    }
    silenceOthers();
    fillSubtitles();
  }

  function fillSubtitles() {
    const options = regularSubtitles();
    $("subtitles").hidden = options.length === 0;
    const isShown = shown && !shown.isForced;
    const automatic = wish.subtitles === "auto" ? ` (${isShown ? shown.name : words.off})` : "";
    subtitlesMenu.mark(isShown);
    const chosen = typeof wish.subtitles === "string" ? wish.subtitles : pickedTrack()?.id;
    subtitlesMenu.fill(
      [{ name: words.off, key: "off", lang: data.language }, { name: words.auto + automatic, key: "auto", lang: data.language },
        ...options.map((option) => ({ name: option.name, language: option.language, key: option.id, lang: "en" }))],
      chosen, chooseSubtitles);
    subtitlesMenu.addRow(words.size, [75, 100, 150, 200, 300].map((size) => [size, `${size} %`]), captions.size, (size) => setCaptions({ size }));
    const looks = { usual: words.usual, yellow: words.yellow, black: words.black, outline: words.outline };
    subtitlesMenu.addRow(
      words.look, Object.entries(looks).map(([look, name]) => [look, "Aa", name, look]), captions.look, (look) => setCaptions({ look }));
  }

  const captions = { size: 100, look: "usual" };
  function setCaptions(members) {
    Object.assign(captions, members);
    showCaptions();
    memory.set(members);
    // Firefox does not reposition a visible cue after a change of its font size unless a property of the cue changes.
    for (const cue of (shown && pageTracks.get(shown.id)?.activeCues) || []) {
      const { size } = cue;
      cue.size = size / 2;
      cue.size = size;
    }
  }
  // Cue size in pixels, based on the browsers' default of a twentieth of the height, with a minimum for small pictures.
  // Browsers interpret percentages differently.
  function showCaptions() {
    Object.assign(player.dataset, captions);
    video.style.setProperty("--cue", `${(Math.max(14, video.clientHeight / 20) * captions.size) / 100}px`);
  }
  new ResizeObserver(showCaptions).observe(video);

  function chooseSubtitles(key) {
    const option = movie.subtitles.find((option) => option.id === key);
    wish.subtitles = option ? { movieIndex: current, id: key, language: option.language, isSDH: option.isSDH } : key;
    memory.set({ subtitles: option ? { language: option.language, isSDH: option.isSDH } : key });
    const isOther = option && reading.value !== key;
    if (isOther) reading.value = key;
    applySubtitles();
    // A disabled text track has no cues, so the transcript is filled afterwards.
    if (isOther) fillTranscript();
  }

  // MARK: Audio

  function audioID() {
    if (hls) return hls.audioID;
    const list = video.audioTracks;
    if (list && list.length === movie.audio.length) {
      const index = [...list].findIndex((track) => track.enabled);
      if (index >= 0) return movie.audio[index].id;
    }
    return (movie.audio.find((option) => option.isDefault) || movie.audio[0])?.id;
  }
  function canSwitchAudio() {
    return hls || video.audioTracks?.length === movie.audio.length;
  }

  /** The selectable audio tracks. In a stream, one entry represents the same audio in several codecs. */
  function sounds() {
    const streamed = hls ? movie.audio.filter((option) => option.playlists) : [];
    return streamed.length > 0 ? streamed : movie.audio;
  }

  function fillAudio() {
    $("audio").hidden = sounds().length < 2;
    const chosen = audioID();
    const canSwitch = canSwitchAudio();
    const isDisabled = (option) => option.id !== chosen && (!canSwitch || hls && !hls.offers(option));
    audioMenu.fill(
      [...sounds().map((option) => ({
        name: option.name, language: option.language, key: option.id, lang: "en", isDisabled: isDisabled(option),
      })), ...(canSwitch ? [] : [{ note: words.oneSound }])],
      chosen, (key) => {
        const option = movie.audio.find((option) => option.id === key);
        wish.audio = { language: option.language, describesVideo: option.describesVideo };
        memory.set({ audio: wish.audio });
        chooseAudio(key);
      });
  }

  function chooseAudio(key) {
    if (key === audioID()) return;
    if (hls) {
      hls.chooseAudio(key);
    } else if (canSwitchAudio()) {
      const index = movie.audio.findIndex((option) => option.id === key);
      [...video.audioTracks].forEach((track, place) => { track.enabled = place === index; });
    }
    fillAudio();
    applySubtitles();
  }

  /** Selects the audio like that chosen in the previous movie. */
  function chooseFirstAudio() {
    if (sounds().length < 2 || !canSwitchAudio()) return;
    const usual = sounds().filter((option) => !option.isAuxiliary && !(hls && !hls.offers(option)));
    if (wish.audio) {
      const alike = best(usual, wish.audio.language);
      const option = alike.find((option) => option.describesVideo === wish.audio.describesVideo) || alike[0];
      if (option) chooseAudio(option.id);
    }
  }

  /** Lists the variants of a stream with different picture sizes. */
  function fillQuality() {
    const variants = hls?.variants || [];
    $("quality").hidden = variants.length < 2;
    const automatic = { name: words.auto + (hls?.usedVariant ? ` (${hls.usedVariant.name})` : ""), key: "auto", lang: data.language };
    qualityMenu.fill(
      [automatic, ...variants.map((variant) => ({ name: variant.name, key: variant.url }))], hls?.pickedVariant?.url || "auto", (key) => {
        const variant = variants.find((variant) => variant.url === key);
        wish.quality = variant ? variant.height : null;
        memory.set({ quality: wish.quality });
        hls?.choosePicture(variant || null);
        fillQuality();
      });
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
      const button = make("button", {});
      if (chapter.image) button.append(make("img", { src: chapter.image, alt: "", loading: "lazy" }));
      button.append(
        make("small", {}, `${index + 1}.`), make("span", { dir: "auto", lang: chapter.language || "" }, chapter.title || words.untitled),
        make("time", {}, clock(chapter.start)));
      on(button, "click", () => seekTo(chapter.start));
      return make("li", {}, button);
    }));
    chapterShown = -2;
    const ticks = movie.chapters.length > 100 ? [] : movie.chapters;
    $("ticks").replaceChildren(...ticks.filter((chapter) => chapter.start > 0 && chapter.start < movieLength()).map((chapter) => {
      const tick = make("i");
      tick.style.left = `${(100 * chapter.start) / movieLength()}%`;
      return tick;
    }));
  }

  function markChapter() {
    const index = chapterAt(movieTime());
    if (index === chapterShown) return;
    mark($("chapters").querySelector("ol"), index);
    chapterShown = index;
  }

  /** Marks the current line of a list, and scrolls to it without moving the page. */
  function mark(list, index) {
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const line = list.querySelectorAll("li")[index];
    if (!line) return;
    put(line.firstElementChild, "aria-current", "true");
    if (list.contains(document.activeElement) && document.activeElement !== list) return;
    const [box, area] = [line, list].map((element) => element.getBoundingClientRect());
    if (box.top < area.top || box.bottom > area.bottom) list.scrollTop += box.top - area.top - area.height / 3;
  }

  function stepChapter(step) {
    const index = chapterAt(movieTime());
    if (movie.chapters.length === 0) return;
    // The first step back goes to the start of the current chapter.
    const isInside = step < 0 && index >= 0 && movieTime() - movie.chapters[index].start > 3;
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
    const index = chapterAt(movieTime());
    if (index >= 0) show(chapterName(index));
  }

  // MARK: Transcript

  const [lines, reading, search, found] = ["lines", "reading", "search", "found"].map($);
  let cues = [];
  let lineOfCue = [];
  /** The number of lines in a slice. Browsers lay out only the slices in view: ten thousand lines take WebKitGTK ten seconds. */
  const sliceLength = 100;

  function fillReading() {
    const readable = regularSubtitles();
    reading.replaceChildren(...readable.map((option) => make("option", { value: option.id, lang: "en" }, option.name)));
    reading.hidden = readable.length < 2;
    const first = readable.includes(shown) ? shown : viewerLanguages.map((tag) => best(readable, tag)[0]).find(Boolean) || readable[0];
    if (first) reading.value = first.id;
    $("transcript").hidden = readable.length === 0;
  }

  const plain = (cue) => cue.getCueAsHTML().textContent;

  let filled = [];
  function fillTranscript() {
    const option = movie.subtitles.find((option) => option.id === reading.value);
    const track = option && pageTracks.get(option.id);
    // Text and movie load in any order, and no line is made twice.
    const state = [track, track?.cues?.length, hiddenTime()];
    if (track?.cues && state.every((part, index) => part === filled[index])) return;
    filled = state;
    cues = [...track?.cues || []].map((cue) => ({ start: cue.startTime - hiddenTime(), end: cue.endTime - hiddenTime(), text: plain(cue) }));
    lines.lang = option?.language || "";
    filter();
  }

  function filter() {
    const wanted = search.value.trim().toLocaleLowerCase();
    const slices = [];
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
      const button = make("button", {}, make("time", {}, clock(cue.start)), text);
      button.dataset.start = cue.start;
      if (count % sliceLength === 0) slices.push(make("ol"));
      slices.at(-1).append(make("li", {}, button));
      lineOfCue[index] = count++;
    }
    // The height of a slice before it is laid out.
    for (const slice of slices) slice.style.containIntrinsicHeight = `auto ${2.25 * slice.children.length}rem`;
    lines.replaceChildren(...slices);
    found.textContent = wanted ? say(count === 1 ? words.foundOne : words.found, { count }) : "";
    lineShown = -1;
    markLine();
  }

  /** Returns the positions of a text in another, ignoring case unless that would change positions. */
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
    const time = movieTime() + 0.05;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cues[middle].start <= time) low = middle + 1; else high = middle;
    }
    const line = lineOfCue[low - 1] ?? -1;
    if (line === lineShown) return;
    lineShown = line;
    mark(lines, line);
  }

  on(lines, "click", (event) => {
    const button = event.target.closest("button");
    if (button) seekTo(Number(button.dataset.start));
  });
  let searchTimer = 0;
  on(search, "input", () => { clearTimeout(searchTimer); searchTimer = setTimeout(filter, 120); });
  on(reading, "change", () => { applySubtitles(); fillTranscript(); });

  // MARK: Playing

  const peek = new Peek($("timeline"), () => movieLength(), (time) => {
    const chapter = movie.chapters[chapterAt(time)];
    return { text: clock(time), title: chapter?.title || "", image: chapter?.image, source: movie.hasPicture ? movie.source : null };
  }, fileClock);
  const route = typeof Route === "undefined" ? null : new Route($("route"), seekTo);
  const movieLength = () => (Number.isFinite(video.duration) && video.duration > hiddenTime() ? video.duration - hiddenTime() : movie.duration);

  function seekTo(time) {
    video.currentTime = hiddenTime() + Math.min(Math.max(0, time), Math.max(0, movieLength() - 0.01));
  }
  /** Skips the part before a trimmed start, which is loaded only for decoding. */
  function skipHidden() {
    if (video.readyState > 0 && video.currentTime < hiddenTime() - 0.001) seekTo(0);
  }
  function togglePlay() {
    if (video.paused) play(); else video.pause();
  }
  function play() {
    const started = video.play();
    if (started) started.catch(() => {});
  }

  function showPlaying() {
    const label = video.paused ? words.play : words.pause;
    draw($("play"), video.paused ? "#i-play" : "#i-pause");
    put($("play"), "aria-label", label);
    $("play").title = label;
    showBig();
  }

  let hasPlayed = false;
  /** Shows a large play button before the first playback and at the end. */
  function showBig() {
    const isWanted = video.paused && (!hasPlayed || video.ended) && $("problem").hidden && $("loading").textContent === "";
    if (!isWanted && document.activeElement === $("big")) video.focus();
    $("big").hidden = !isWanted;
  }

  let loadingTimer = 0;
  /** Shows a loading indicator after half a second, because most waits are shorter. */
  function showLoading() {
    const waits = $("problem").hidden && (video.seeking || (!video.paused && video.readyState < 3 && !video.ended));
    clearTimeout(loadingTimer);
    if (waits) loadingTimer = setTimeout(() => { $("loading").textContent = words.loading; showBig(); }, 500);
    else if ($("loading").textContent) { $("loading").textContent = ""; showBig(); }
  }

  function showBuffered() {
    const { buffered } = video;
    $("buffered").replaceChildren(...[...Array(Math.min(buffered.length, 100)).keys()].map((index) => {
      const part = make("i");
      part.style.left = `${(100 * Math.max(0, buffered.start(index) - hiddenTime())) / movieLength()}%`;
      part.style.right = `${100 - (100 * Math.max(0, buffered.end(index) - hiddenTime())) / movieLength()}%`;
      return part;
    }));
  }
  function showVolume() {
    const isMute = video.muted || video.volume === 0;
    draw($("mute"), isMute ? "#i-mute" : "#i-loud");
    put($("mute"), "aria-pressed", isMute);
    $("volume").value = video.muted ? 0 : Math.round(video.volume * 100);
  }
  function showTime() {
    const time = movieTime();
    seek.max = movieLength();
    if (!isDragging) seek.value = time;
    $("played").style.width = `${(100 * time) / Math.max(movieLength(), 0.001)}%`;
    $("now").textContent = clock(time);
    $("end").textContent = clock(movieLength());
    const chapter = chapterAt(time);
    const place = say(words.timeOf, { time: clock(time), end: clock(movieLength()) });
    put(seek, "aria-valuetext", chapter >= 0 ? `${place}, ${chapterName(chapter)}` : place);
    markChapter();
    markLine();
    route?.show(time);
  }

  let isDragging = false;
  on(seek, "input", () => {
    isDragging = true;
    seekTo(Number(seek.value));
    peek.show(Number(seek.value), true);
  });
  on(seek, "change", () => { isDragging = false; });
  on(seek, "blur", () => peek.hide());
  on($("play"), "click", togglePlay);
  on($("previous"), "click", () => stepChapter(-1));
  on($("next"), "click", () => stepChapter(1));
  on($("mute"), "click", toggleMute);
  on($("volume"), "input", (event) => setVolume(event.target.value / 100));
  on($("full"), "click", toggleFull);
  on($("big"), "click", play);
  on($("restart"), "click", () => { $("restart").hidden = true; seekTo(0); video.focus(); });
  on($("pip"), "click", togglePicture);
  on($("forget"), "click", () => { memory.forget(); show(words.forgotten); });
  function toggleMute() {
    video.muted = !video.muted;
    memory.set({ isMuted: video.muted });
  }
  function setVolume(volume) {
    video.volume = Math.min(1, Math.max(0, volume));
    video.muted = false;
    memory.set({ volume: Math.round(video.volume * 100) / 100, isMuted: false });
  }

  // MARK: Picture in picture and other screens

  const isInPicture = () => document.pictureInPictureElement === video || video.webkitPresentationMode === "picture-in-picture";
  const canPicture = () => Boolean(document.pictureInPictureEnabled && video.requestPictureInPicture
    || video.webkitSupportsPresentationMode?.("picture-in-picture"));
  async function togglePicture() {
    if (!canPicture() || !movie.hasPicture) return;
    try {
      if (!video.requestPictureInPicture) video.webkitSetPresentationMode(isInPicture() ? "inline" : "picture-in-picture");
      else if (isInPicture()) await document.exitPictureInPicture();
      else await video.requestPictureInPicture();
    } catch { /* Nothing is loaded yet, or the viewer does not permit it. */ }
  }
  on(video, "enterpictureinpicture leavepictureinpicture webkitpresentationmodechanged", () => put($("pip"), "aria-pressed", isInPicture()));

  let isRemoteNear = false;
  function showRemote() { $("remote").hidden = !isRemoteNear || video.disableRemotePlayback === true; }
  if (video.webkitShowPlaybackTargetPicker) {
    on(video, "webkitplaybacktargetavailabilitychanged", (event) => {
      isRemoteNear = event.availability === "available";
      showRemote();
    });
    on($("remote"), "click", () => video.webkitShowPlaybackTargetPicker());
  } else if (video.remote?.watchAvailability) {
    on($("remote"), "click", () => video.remote.prompt().catch(() => {}));
  }
  let isWatched = false;
  /** Offers other screens. A stream of segments cannot be sent to them, but the file can. */
  function watchRemote() {
    showRemote();
    if (isWatched || video.disableRemotePlayback || video.webkitShowPlaybackTargetPicker || !video.remote?.watchAvailability) return;
    isWatched = true;
    video.remote.watchAvailability((isNear) => { isRemoteNear = isNear; showRemote(); }).catch(() => {});
  }
  const requestFull = player.requestFullscreen || player.webkitRequestFullscreen;
  function toggleFull() {
    const isFull = document.fullscreenElement || document.webkitFullscreenElement;
    if (isFull) (document.exitFullscreen || document.webkitExitFullscreen).call(document);
    else if (requestFull) requestFull.call(player);
    else if (video.webkitEnterFullscreen) video.webkitEnterFullscreen();
  }
  on(document, "fullscreenchange webkitfullscreenchange", () => {
    const isFull = Boolean(document.fullscreenElement || document.webkitFullscreenElement);
    draw($("full"), isFull ? "#i-window" : "#i-full");
    put($("full"), "aria-pressed", isFull);
  });

  // In full screen the controls hide while the viewer is idle. The video then fills the screen, so captions stay visible.
  let idle;
  function wake() {
    player.classList.remove("idle");
    clearTimeout(idle);
    idle = setTimeout(() => player.classList.toggle("idle", !video.paused && menus.every((menu) => menu.list.hidden)), 3_000);
  }
  on(player, "pointermove pointerdown keydown focusin", wake);
  on(video, "play pause ended", wake);

  const speeds = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2];
  function chooseSpeed(speed) {
    setSpeed(speed);
    memory.set({ speed });
  }
  function setSpeed(speed) {
    wish.speed = speed;
    speedMenu.mark(speed !== 1);
    video.defaultPlaybackRate = speed;
    video.playbackRate = speed;
    speedMenu.fill(speeds.map((value) => ({ name: `${value} ×`, key: value, lang: data.language })), speed, chooseSpeed);
  }

  on(video, "play pause ended seeking emptied", showPlaying);
  on(video, "play pause waiting playing seeking seeked canplay error emptied ended", showLoading);
  on(video, "progress timeupdate seeked loadedmetadata emptied", showBuffered);
  on(video, "playing", () => { hasPlayed = true; showBig(); });
  // The position is stored only for movies that have been played.
  let placeShown = 0;
  function keepPlace() {
    if (!hasPlayed || video.readyState < 1) return;
    placeShown = movieTime();
    memory.setPlace(movie, video.ended ? 0 : placeShown);
  }
  on(video, "timeupdate", () => { if (Math.abs(movieTime() - placeShown) > 5) keepPlace(); });
  on(video, "pause ended", keepPlace);
  on(window, "pagehide", keepPlace);
  on(video, "loadedmetadata seeking", skipHidden);
  on(video, "loadedmetadata", () => { moveCues(); fillTranscript(); });
  on(video, "timeupdate durationchange seeking seeked loadedmetadata", showTime);
  on(video, "volumechange", showVolume);
  on(video, "seeked", showChapter);
  // A click that closes a menu does not start or stop the movie.
  on(video, "click", () => { if (!closedMenu) togglePlay(); });
  on(video, "dblclick", toggleFull);
  on(video, "loadedmetadata", () => {
    video.playbackRate = wish.speed;
    // A browser that does not support the video plays only the audio, without an error.
    if (movie.hasPicture && video.videoWidth === 0) fail(say(words.cannotPlay, { formats: movie.formats.join(", ") }));
    chooseFirstAudio();
    fillAudio();
    applySubtitles();
    fillChapters();
    showTime();
  });
  on(video, "ended", () => { if (current + 1 < data.movies.length) open(current + 1, true); });
  on(video, "error", () => {
    if (!video.error) return;
    // The file itself may play, or else report its own error.
    if (hls) { hls.fail(video.error.message); return; }
    fail(say(words.cannotPlay, { formats: movie.formats.join(", ") }));
  });
  on(video.textTracks, "addtrack change", silenceOthers);
  if (video.audioTracks) on(video.audioTracks, "addtrack", fillAudio);

  function fail(text) {
    $("problem").replaceChildren(text + " ", make("a", { href: movie.source, download: "" }, words.download));
    $("problem").hidden = false;
    showBig();
    showLoading();
  }

  // MARK: Keys

  // Only while the focus is in the player, so that speech input and typing elsewhere have no effect (WCAG 2.1.4).
  on(player, "keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isButton = event.target.closest("button, a");
    const isRange = event.target.matches("input");
    const keys = {
      k: togglePlay, j: () => seekTo(movieTime() - 10), l: () => seekTo(movieTime() + 10), m: toggleMute,
      f: toggleFull, p: () => stepChapter(-1), n: () => stepChapter(1), c: stepSubtitles, "<": () => stepSpeed(-1),
      ">": () => stepSpeed(1), i: togglePicture, "/": () => { if (!$("transcript").hidden) search.focus(); },
    };
    if (!isButton && !isRange) Object.assign(keys, { Enter: togglePlay });
    if (!isButton) keys[" "] = togglePlay;
    for (let tenth = 0; tenth < 10; tenth++) keys[tenth] = () => seekTo((movieLength() * tenth) / 10);
    if (!isRange || event.target === seek) {
      keys.Home = () => seekTo(0);
      keys.End = () => seekTo(movieLength());
      keys.ArrowLeft = () => seekTo(movieTime() - 5);
      keys.ArrowRight = () => seekTo(movieTime() + 5);
      keys.ArrowUp = () => setVolume(video.volume + 0.1);
      keys.ArrowDown = () => setVolume(video.volume - 0.1);
    }
    const work = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!work) return;
    stop(event);
    work();
    if (event.target === seek) peek.show(movieTime(), true);
  });
  function stepSubtitles() {
    const options = ["off", ...regularSubtitles().map((option) => option.id)];
    const now = shown && !shown.isForced ? shown.id : "off";
    chooseSubtitles(options[(options.indexOf(now) + 1) % options.length]);
    show(shown && !shown.isForced ? shown.name : `${words.subtitles}: ${words.off}`);
  }
  function stepSpeed(step) {
    const index = Math.min(speeds.length - 1, Math.max(0, speeds.indexOf(wish.speed) + step));
    chooseSpeed(speeds[index]);
    show(`${words.speed}: ${speeds[index]} ×`);
  }

  // MARK: Movies

  /** Returns a movie's element from the page's markup. */
  const elementOf = (index) => index === 0 ? firstVideo : document.querySelector(`template[data-movie="${index}"]`).content.firstElementChild;

  function fillList() {
    const list = $("movies");
    if (!list) return;
    for (const [index, link] of [...list.querySelectorAll("button")].entries()) {
      const cover = elementOf(index).getAttribute("poster");
      if (cover) link.prepend(make("img", { src: cover, alt: "", loading: "lazy" }));
      on(link, "click", () => open(index, true));
    }
  }

  /** Opens a movie: its element's attributes and tracks replace the current ones. */
  function open(index, plays) {
    if (index === current) return;
    const isFirst = current < 0;
    if (!isFirst) keepPlace();
    hasPlayed = false;
    current = index;
    movie = data.movies[index];
    if (hls) { hls.close(); hls = null; }
    if (!isFirst) {
      const fresh = elementOf(index);
      video.replaceChildren();
      for (const name of ["src", "poster", "width", "height"]) {
        const value = fresh.getAttribute(name);
        if (value) put(video, name, value); else video.removeAttribute(name);
      }
      for (const track of fresh.querySelectorAll("track")) video.append(track.cloneNode());
    }
    $("problem").hidden = true;
    $("restart").hidden = true;
    peek.hide();
    const fromAddress = isFirst && /^#t=(\d+(?:\.\d+)?)$/.exec(location.hash);
    start = fromAddress ? { time: Number(fromAddress[1]) } : { time: memory.placeOf(movie), isRemembered: true };
    stage.classList.toggle("sound", !movie.hasPicture);
    $("title").textContent = movie.title;
    document.title = movie.title;
    collectTracks();
    for (const element of video.querySelectorAll("track")) {
      on(element, "load", () => { moveCues(); raiseCues(element.track); if (element.dataset.track === reading.value) fillTranscript(); });
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
    // The browser may have loaded the file before the script ran, so the event is repeated.
    if (isFirst && !hls && video.readyState > 0) video.dispatchEvent(new Event("loadedmetadata"));
    watchRemote();
    fillQuality();
    $("pip").hidden = $("pip-key").hidden = !canPicture() || !movie.hasPicture;
    showTime();
    showPlaying();
    inform();
    if (plays) play();
  }

  /** The start position: a time in the address, or the position at which the viewer left the movie. */
  let start = null;
  on(video, "loadedmetadata", () => {
    // The file in the markup may load before the stream replaces it.
    if (!start?.time || (hls && !video.currentSrc.startsWith("blob:"))) return;
    const { time, isRemembered } = start;
    start = null;
    seekTo(time);
    if (!isRemembered) return;
    on(video, "seeked", () => show(say(words.continued, { time: clock(time) })), { once: true });
    $("restart").hidden = false;
    setTimeout(() => { if (document.activeElement !== $("restart")) $("restart").hidden = true; }, 10_000);
  });

  /** Plays the server's segments if they are available and the element alone cannot switch audio. */
  function startStream(plays) {
    const canSwitchAlone = "audioTracks" in video;
    if (!movie.stream || canSwitchAlone || typeof MovieStream === "undefined" || !MovieStream.isSupported(movie)) {
      if (!isLoaded()) video.load();
      return;
    }
    const index = current;
    hls = new MovieStream(video, movie, (reason) => {
      // The file itself plays if the stream fails.
      const [time, wasPlaying] = [movieTime(), !video.paused || plays];
      hls = null;
      video.disableRemotePlayback = false;
      moveCues();
      video.src = movie.source;
      watchRemote();
      fillQuality();
      on(video, "loadedmetadata", () => {
        if (index !== current) return;
        video.currentTime = time;
        if (wasPlaying) play();
      }, { once: true });
      fillAudio();
      console.warn("streaming stopped:", reason);
    }, () => { fillAudio(); fillQuality(); }, wish.quality);
    moveCues();
  }
  const isLoaded = () => video.readyState > 0 || video.networkState === HTMLMediaElement.NETWORK_LOADING;

  /** Passes text that describes the video to screen readers. */
  function describe() {
    for (const [, track] of pageTracks) {
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
      try { session.setActionHandler(name, movie.chapters.length ? work : null); } catch { /* Older browsers support fewer actions. */ }
    }
  }

  // MARK: Start

  video.controls = false;
  video.tabIndex = 0;
  put(video, "aria-label", words.picture);
  for (const button of player.querySelectorAll("button[aria-label]")) button.title ||= button.getAttribute("aria-label");
  $("controls").hidden = false;
  $("keys").hidden = false;
  if (!requestFull && !video.webkitEnterFullscreen) $("full").hidden = true;
  recall();
  showVolume();
  fillList();
  open(0, false);

  /** Restores the viewer's choices from the last visit. */
  function recall() {
    const { isMuted, subtitles, audio, look } = memory.read();
    $("forget").hidden = Object.keys(memory.read()).length === 0;
    const speed = memory.number("speed", 0.5, 2);
    setSpeed(speeds.includes(speed) ? speed : 1);
    video.volume = memory.number("volume", 0, 1) ?? 1;
    if (isMuted === true) video.muted = true;
    if (["off", "auto"].includes(subtitles) || typeof subtitles?.language === "string") wish.subtitles = subtitles;
    if (typeof audio?.language === "string") wish.audio = audio;
    wish.quality = memory.number("quality", 1, 1e5);
    captions.size = memory.number("size", 75, 300) ?? 100;
    if (["yellow", "black", "outline"].includes(look)) captions.look = look;
    showCaptions();
  }
})();
