/** A map with the route of the camera and the current position. A click on the route seeks to its time. */
class Route {
  constructor(section, seekTo) {
    this.section = section;
    [this.map, this.line, this.scale, this.length, this.point, this.placeText] =
      ["svg", ".way", ".scale", "text", "circle", "p"].map((name) => section.querySelector(name));
    on(this.map, "click", (event) => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.map.getScreenCTM().inverse());
      const distances = this.points.map((point) => Math.hypot(point.x - at.x, point.y - at.y));
      seekTo(this.points[distances.indexOf(Math.min(...distances))].time);
    });
  }

  /** Normalizes degrees to -180 to 180. */
  static around(degrees) { return ((((degrees + 180) % 360) + 360) % 360) - 180; }

  /** Draws segments of points [seconds, latitude, longitude] with an optional altitude, in time order. */
  fill(segments) {
    this.section.hidden = segments.length === 0;
    if (segments.length === 0) return;
    // Longitudes continue beyond 180 degrees if the route crosses that line.
    let longitude = segments[0][0][2];
    const lines = segments.map((places) => places.map(([time, latitude, east, altitude], index) => {
      longitude += Route.around(east - longitude);
      return { time, latitude, longitude, altitude, isFirst: index === 0 };
    }));
    this.points = lines.flat();
    const range = (name) => {
      const values = this.points.map((point) => point[name]);
      return [Math.min(...values), Math.max(...values)];
    };
    const [south, north] = range("latitude");
    const [west] = range("longitude");
    // Metres from the corner. Both axes have the same scale in the middle of the map.
    const degree = 111_320;
    const shrinking = Math.cos(((south + north) * Math.PI) / 360);
    for (const point of this.points) {
      point.x = (point.longitude - west) * degree * shrinking;
      point.y = (north - point.latitude) * degree;
    }
    const [, width] = range("x");
    const [, height] = range("y");
    const unit = Math.max(width, height * 1.5, 20) / 100;
    for (const point of this.points) [point.x, point.y] = [point.x / unit, point.y / unit];
    this.map.setAttribute("viewBox", `-6 -6 ${width / unit + 12} ${height / unit + 20}`);
    // A line of length 0 and a round cap show a segment with only one point.
    const path = (line) => "M" + line.map((point) => `${point.x.toFixed(2)} ${point.y.toFixed(2)}`).join("L") + "h0";
    this.line.setAttribute("d", lines.map(path).join(""));
    const power = 10 ** Math.floor(Math.log10(unit * 40));
    const metres = [5, 2, 1].map((step) => step * power).find((step) => step <= unit * 40);
    const bottom = height / unit + 9;
    this.scale.setAttribute("d", `M0 ${bottom - 1.5}v1.5h${metres / unit}v-1.5`);
    this.length.setAttribute("x", metres / unit + 2);
    this.length.setAttribute("y", bottom);
    this.length.textContent = metres < 1000 ? `${metres} m` : `${metres / 1000} km`;
    this.show(0);
  }

  show(time) {
    if (this.section.hidden) return;
    const next = this.points.findIndex((point) => point.time > time);
    const last = this.points.at(next < 0 ? -1 : Math.max(0, next - 1));
    // Between two segments, the location is unknown, so the point does not move.
    const to = next > 0 && !this.points[next].isFirst ? this.points[next] : last;
    const part = to.time > last.time ? (time - last.time) / (to.time - last.time) : 0;
    const between = (name) => last[name] + (to[name] - last[name]) * part;
    this.point.setAttribute("cx", between("x"));
    this.point.setAttribute("cy", between("y"));
    const east = Route.around(between("longitude"));
    const height = last.altitude === undefined ? "" : `, ${Math.round(last.altitude)} m`;
    this.placeText.textContent = `${between("latitude").toFixed(5)}, ${east.toFixed(5)}${height}`;
  }
}
