package dev.mneme.client;

import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;

/** Fields of a memory that is stored as a text. Each setter changes this object and returns it. */
public final class TextOptions {
  private final NewMemory fields = new NewMemory();
  private String namespace;

  /** Options with their defaults. */
  public TextOptions() {}

  /** Namespace that it is stored in. Default: that of the client. */
  public TextOptions namespace(String namespace) { this.namespace = namespace; return this; }

  /** Who said it: the speaker of the source. */
  public TextOptions speaker(String speaker) { fields.source(Source.ofSpeaker(speaker)); return this; }

  /** Session in which it was said: that of the scope. */
  public TextOptions session(String session) { fields.scope(Scope.ofSession(session)); return this; }

  /** {@code message}, {@code fact}, {@code episode} or any word. Default: {@code message} when there is a speaker, otherwise {@code fact}. */
  public TextOptions type(String type) { fields.type(type); return this; }

  /** Tags, in place of those that were given before. */
  public TextOptions tags(String... tags) { return tags(Arrays.asList(tags)); }

  /** Tags, in place of those that were given before. */
  public TextOptions tags(Collection<String> tags) { fields.tags(tags); return this; }

  /** When it happened. Default: when it is stored. */
  public TextOptions time(Instant time) { fields.eventTime(time); return this; }

  String namespaceOr(String other) { return namespace == null ? other : namespace; }

  NewMemory memory(String text) { return fields.copy().text(text); }
}
