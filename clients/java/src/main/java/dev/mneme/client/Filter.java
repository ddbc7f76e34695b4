package dev.mneme.client;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import dev.mneme.v1.FilterList;
import dev.mneme.v1.GeoBox;
import dev.mneme.v1.GeoRadius;
import dev.mneme.v1.PlaceFilter;
import dev.mneme.v1.PointBox;
import dev.mneme.v1.PointRadius;
import java.util.Arrays;
import java.util.Optional;

/** A condition on memories, made with {@link Where}, or a text. It never changes. */
public final class Filter {
  private final dev.mneme.v1.Filter message;
  private final String text;

  private Filter(dev.mneme.v1.Filter message, String text) {
    this.message = message;
    this.text = text;
  }

  static Filter of(dev.mneme.v1.Filter message) {
    return new Filter(message, null);
  }

  /**
   * A condition as text, such as {@code type = "state" AND step >= 10}. It cannot be combined with others but in the text. {@link
   * MnemeException.InvalidArgument} for an empty one.
   */
  public static Filter text(String text) {
    if (text == null || text.isBlank()) {
      throw Errors.badInput("filter", "must not be an empty text; without a condition leave the filter out");
    }
    return new Filter(null, text);
  }

  /** True when every one of the filters is. */
  public static Filter allOf(Filter... filters) {
    return of(dev.mneme.v1.Filter.newBuilder().setAll(list(filters)).build());
  }

  /** True when at least one of the filters is. */
  public static Filter anyOf(Filter... filters) {
    return of(dev.mneme.v1.Filter.newBuilder().setAny(list(filters)).build());
  }

  /** True when this one and the other one are. */
  public Filter and(Filter other) {
    return allOf(this, other);
  }

  /** True when this one is, or the other one. */
  public Filter or(Filter other) {
    return anyOf(this, other);
  }

  /** True when this one is not. */
  public Filter negate() {
    return of(dev.mneme.v1.Filter.newBuilder().setNegate(typed()).build());
  }

  /** True of memories with a place at most this far from a point; the edge is inside. */
  public static Filter within(Place.Point center, double radius) {
    return place(PlaceFilter.newBuilder().setPointRadius(PointRadius.newBuilder().setCenter(center.message()).setRadius(radius)));
  }

  /** True of memories with a place in a box of one's own world; its edges are inside. */
  public static Filter within(Place.Point low, Place.Point high) {
    return place(PlaceFilter.newBuilder().setPointBox(PointBox.newBuilder().setLow(low.message()).setHigh(high.message())));
  }

  /** True of memories with a place at most so many metres from a point on Earth; the edge is inside. */
  public static Filter within(Place.GeoPoint center, double radiusM) {
    return place(PlaceFilter.newBuilder().setGeoRadius(GeoRadius.newBuilder().setCenter(center.message()).setRadiusM(radiusM)));
  }

  /** True of memories with a place in a box on Earth; its edges are inside. */
  public static Filter within(Place.GeoPoint southWest, Place.GeoPoint northEast) {
    GeoBox box = GeoBox.newBuilder().setSouthWest(southWest.message()).setNorthEast(northEast.message()).build();
    return place(PlaceFilter.newBuilder().setGeoBox(box));
  }

  /** The condition as text, when it was given as text. */
  public Optional<String> text() {
    return Optional.ofNullable(text);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Filter filter && filter.toString().equals(toString());
  }

  @Override
  public int hashCode() {
    return toString().hashCode();
  }

  @Override
  public String toString() {
    return text == null ? message.toString() : text;
  }

  /** Puts it into the fields of a request that select memories. */
  void into(Message.Builder request) {
    Descriptor type = request.getDescriptorForType();
    if (text == null) request.setField(type.findFieldByName("filter"), message);
    else request.setField(type.findFieldByName("filter_text"), text);
  }

  private dev.mneme.v1.Filter typed() {
    if (text != null) throw Errors.badInput("filter", "a filter that is a text cannot be combined with others");
    return message;
  }

  private static FilterList list(Filter... filters) {
    return FilterList.newBuilder().addAllFilters(Arrays.stream(filters).map(Filter::typed).toList()).build();
  }

  private static Filter place(PlaceFilter.Builder area) {
    return of(dev.mneme.v1.Filter.newBuilder().setPlace(area).build());
  }
}
