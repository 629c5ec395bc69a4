/** Calls `action` for each event in `names`. `options` may be an `AbortController`, which ends that when it aborts. */
const on = (target, names, action, options) => names.split(" ").forEach((name) => target.addEventListener(name, action, options));

/**
 * The viewer's choices and the position in each movie, in one item of the browser's storage for the page's origin.
 * Another page of the origin may have changed the item, so the types of all values are checked. If the browser forbids
 * storage, as some do for pages from files, nothing is remembered.
 */
class Memory {
  static key = "movtool";
  /** The number of movies whose positions are kept, those watched last. */
  static placeCount = 100;
  /** The duration in seconds below which no position is kept. */
  static shortest = 60;

  /** Calls `didChange` with whether something is stored. */
  constructor(didChange) {
    this.didChange = didChange;
    this.keepsPlaces = true;
  }

  read() {
    try {
      const value = JSON.parse(localStorage.getItem(Memory.key));
      return value && typeof value === "object" ? value : {};
    } catch { return {}; }
  }

  /** Stores some members and keeps the others, which another tab may have changed. */
  set(members) {
    try { localStorage.setItem(Memory.key, JSON.stringify({ ...this.read(), ...members })); } catch { return; }
    this.didChange(true);
  }

  number(name, least, most) {
    const value = this.read()[name];
    return typeof value === "number" && value >= least && value <= most ? value : null;
  }

  /** The duration distinguishes movies that replaced each other at one address. */
  static name(movie) { return [new URL(movie.source, location.href).pathname, movie.title, movie.duration].join("|"); }

  places() {
    const list = this.read().places;
    return Array.isArray(list) ? list.filter((place) => Array.isArray(place) && typeof place[1] === "number") : [];
  }

  /** The seconds at which a movie continues, or 0 for its start. */
  placeOf(movie) {
    const time = this.places().find(([name]) => name === Memory.name(movie))?.[1];
    return time > 0 && time < movie.duration ? time : 0;
  }

  /** Stores the position, or removes it if the movie was watched to its last seconds. */
  setPlace(movie, time) {
    if (!this.keepsPlaces || movie.duration < Memory.shortest) return;
    const [name, places] = [Memory.name(movie), this.places()];
    const others = places.filter((place) => place[0] !== name);
    const isInside = time > 5 && time < movie.duration - Math.max(5, movie.duration / 50);
    if (isInside) this.set({ places: [...others.slice(1 - Memory.placeCount), [name, Math.floor(time)]] });
    else if (others.length < places.length) this.set({ places: others });
  }

  /** Removes everything, and stores no positions until the page is loaded again. */
  forget() {
    try { localStorage.removeItem(Memory.key); } catch { return; }
    this.keepsPlaces = false;
    this.didChange(false);
  }
}
