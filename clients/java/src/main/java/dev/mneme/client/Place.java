package dev.mneme.client;

/**
 * Where something happened. Null parts are not specified.
 *
 * @param point point in a Cartesian world of one's own
 * @param geo point on Earth
 * @param location name of the location
 * @param room name of the room
 * @param region name of the region
 */
public record Place(
    Point point,
    GeoPoint geo,
    @From(optional = true) String location,
    @From(optional = true) String room,
    @From(optional = true) String region) {
  /**
   * A point in a world of one's own.
   *
   * @param x first coordinate
   * @param y second coordinate
   * @param z third coordinate, or null
   */
  public record Point(double x, double y, Double z) {
    /** A point in a plane. */
    public Point(double x, double y) {
      this(x, y, null);
    }

    dev.mneme.v1.Point message() {
      dev.mneme.v1.Point.Builder message = dev.mneme.v1.Point.newBuilder().setX(x).setY(y);
      if (z != null) message.setZ(z);
      return message.build();
    }
  }

  /**
   * A point on Earth.
   *
   * @param latitudeDeg degrees north of the equator, -90 to 90
   * @param longitudeDeg degrees east of Greenwich, -180 to 180
   */
  public record GeoPoint(double latitudeDeg, double longitudeDeg) {
    dev.mneme.v1.GeoPoint message() {
      return dev.mneme.v1.GeoPoint.newBuilder().setLatitudeDeg(latitudeDeg).setLongitudeDeg(longitudeDeg).build();
    }
  }

  /** A place by its names; null ones are not said. */
  public static Place named(String location, String room, String region) {
    return new Place(null, null, location, room, region);
  }

  /** A point in a world of one's own. */
  public static Place at(Point point) {
    return new Place(point, null, null, null, null);
  }

  /** A point on Earth. */
  public static Place at(GeoPoint point) {
    return new Place(null, point, null, null, null);
  }

  dev.mneme.v1.Place message() {
    dev.mneme.v1.Place.Builder message = dev.mneme.v1.Place.newBuilder();
    if (point != null) message.setPoint(point.message());
    if (geo != null) message.setGeo(geo.message());
    if (location != null) message.setLocation(location);
    if (room != null) message.setRoom(room);
    if (region != null) message.setRegion(region);
    return message.build();
  }
}
