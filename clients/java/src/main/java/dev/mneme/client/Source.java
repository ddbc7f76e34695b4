package dev.mneme.client;

/**
 * Where a memory comes from. Null parts are not specified.
 *
 * @param speaker speaker or actor; searched by recall in addition to the text
 * @param uri where it can be found; not searched
 * @param origin component that stored it
 */
public record Source(
    @From(optional = true) String speaker, @From(optional = true) String uri, @From(optional = true) String origin) {
  /** Nothing is said. */
  public static final Source NONE = new Source(null, null, null);

  /** A message of a participant. */
  public static Source ofSpeaker(String speaker) {
    return new Source(speaker, null, null);
  }

  dev.mneme.v1.Source message() {
    dev.mneme.v1.Source.Builder message = dev.mneme.v1.Source.newBuilder();
    if (speaker != null) message.setSpeaker(speaker);
    if (uri != null) message.setUri(uri);
    if (origin != null) message.setOrigin(origin);
    return message.build();
  }
}
