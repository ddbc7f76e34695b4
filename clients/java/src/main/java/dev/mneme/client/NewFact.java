package dev.mneme.client;

import java.time.Instant;
import java.util.Collection;

/** A fact to be asserted. */
public final class NewFact extends Query<NewFact, dev.mneme.v1.Fact.Builder> {
  /** A fact of nothing yet. */
  public NewFact() {
    super(dev.mneme.v1.Fact.newBuilder());
  }

  /** A subject has a value of an attribute, such as {@code of("user", "home_city", "Lisbon")}. */
  public static NewFact of(String subject, String attribute, String value) {
    return new NewFact().subject(subject).attribute(attribute).value(value);
  }

  /** Owner. Facts of different scopes do not supersede each other. Default: the whole namespace. */
  public NewFact scope(Scope scope) { message.setScope(scope.message()); return this; }

  /** Subject, such as {@code user}, for the user, or a name. 1 to 256 bytes. */
  public NewFact subject(String subject) { message.setSubject(subject); return this; }

  /** Attribute of the subject, such as {@code home_city} or {@code likes}. 1 to 128 bytes. */
  public NewFact attribute(String attribute) { message.setAttribute(attribute); return this; }

  /** The value. 1 to 4,096 bytes. */
  public NewFact value(String value) { message.setValue(value); return this; }

  /** A sentence that states it; recall searches it. Default: made of subject, attribute and value. */
  public NewFact text(String text) { message.setText(text); return this; }

  /** Confidence, 0 to 1. Default 1. */
  public NewFact confidence(double confidence) { message.setConfidence(confidence); return this; }

  /** Resource names of messages or memories, or URIs of documents, that state it; at most 64. */
  public NewFact sources(Collection<String> sources) { message.addAllSources(sources); return this; }

  /** Instant from which it holds. Default: now. */
  public NewFact validFrom(Instant time) { message.setValidFrom(Values.timestamp(time)); return this; }

  /** Instant from which it no longer holds, if that is known. */
  public NewFact validUntil(Instant time) { message.setValidUntil(Values.timestamp(time)); return this; }
}
