/**
 * What a viewer chose and how far each movie was watched, in one item of the browser's storage for the page's origin.
 * Nothing is read that another page may have put there without a look at its type. Where a browser forbids storage, as
 * some do for pages from files, nothing is remembered.
 */
class Memory {
  static key = "movtool";
  /** Places of so many movies are kept, the last that were watched. */
  static placeCount = 100;
  /** In shorter movies viewers find the place themselves. */
  static shortest = 60;

  /** `didChange` is called with whether something is stored. */
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

  /** Stores members beside those that are there, which another tab may have changed. */
  set(members) {
    try { localStorage.setItem(Memory.key, JSON.stringify({ ...this.read(), ...members })); } catch { return; }
    this.didChange(true);
  }

  number(name, least, most) {
    const value = this.read()[name];
    return typeof value === "number" && value >= least && value <= most ? value : null;
  }

  /** Another movie of the same name at the same address has another length. */
  static name(movie) { return [new URL(movie.source, location.href).pathname, movie.title, movie.duration].join("|"); }

  places() {
    const list = this.read().places;
    return Array.isArray(list) ? list.filter((place) => Array.isArray(place) && typeof place[1] === "number") : [];
  }

  /** The seconds at which a movie goes on; 0 for its start. */
  place(movie) {
    const time = this.places().find(([name]) => name === Memory.name(movie))?.[1];
    return time > 0 && time < movie.duration ? time : 0;
  }

  /** A movie that was watched to its last seconds begins at its start again. */
  setPlace(movie, time) {
    if (!this.keepsPlaces || movie.duration < Memory.shortest) return;
    const [name, places] = [Memory.name(movie), this.places()];
    const others = places.filter((place) => place[0] !== name);
    const isInside = time > 5 && time < movie.duration - Math.max(5, movie.duration / 50);
    if (isInside) this.set({ places: [...others.slice(1 - Memory.placeCount), [name, Math.floor(time)]] });
    else if (others.length < places.length) this.set({ places: others });
  }

  /** Until the page is loaded again no place is stored: the viewer wants to leave none. */
  forget() {
    try { localStorage.removeItem(Memory.key); } catch { return; }
    this.keepsPlaces = false;
    this.didChange(false);
  }
}
