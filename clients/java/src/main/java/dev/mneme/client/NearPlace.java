package dev.mneme.client;

import dev.mneme.v1.NamedPlace;

/** A point with the distance at which nearness has fallen to a half, or a place by its names. */
public final class NearPlace {
  private final dev.mneme.v1.NearPlace message;

  private NearPlace(dev.mneme.v1.NearPlace.Builder message) {
    this.message = message.build();
  }

  /** A place by its names, at least one; null ones are not said. */
  public static NearPlace named(String location, String room, String region) {
    NamedPlace.Builder named = NamedPlace.newBuilder();
    if (location != null) named.setLocation(location);
    if (room != null) named.setRoom(room);
    if (region != null) named.setRegion(region);
    return new NearPlace(dev.mneme.v1.NearPlace.newBuilder().setNamed(named));
  }

  /** A point of one's own world, and the distance at which nearness has halved. */
  public static NearPlace point(Place.Point point, double scale) {
    return new NearPlace(dev.mneme.v1.NearPlace.newBuilder().setPoint(point.message()).setScale(scale));
  }

  /** A point on Earth, and the distance in metres at which nearness has halved. */
  public static NearPlace geo(Place.GeoPoint point, double scaleM) {
    return new NearPlace(dev.mneme.v1.NearPlace.newBuilder().setGeo(point.message()).setScale(scaleM));
  }

  dev.mneme.v1.NearPlace message() {
    return message;
  }
}
