package dev.mneme.client;

import dev.mneme.v1.ExtractedClaim;
import dev.mneme.v1.ExtractedNote;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;

/** What messages state. */
public final class ExtractedMemories extends Query<ExtractedMemories, dev.mneme.v1.ExtractedMemories.Builder> {
  /** Nothing yet. */
  public ExtractedMemories() { super(dev.mneme.v1.ExtractedMemories.newBuilder()); }

  /** Adds a fact. Claims and notes together are at most 1,000. */
  public ExtractedMemories claim(Claim claim) { message.addClaims(claim.copy()); return this; }

  /** Adds another memory. */
  public ExtractedMemories note(Note note) { message.addNotes(note.copy()); return this; }

  /** A fact that messages state or retract. */
  public static final class Claim extends Query<Claim, ExtractedClaim.Builder> {
    /** Nothing yet: subject, attribute, value and sources are required. */
    public Claim() { super(ExtractedClaim.newBuilder()); }

    /** A fact, and the sequence numbers of the messages of the job that state it. */
    public static Claim of(String subject, String attribute, String value, Long... sources) {
      return new Claim().subject(subject).attribute(attribute).value(value).sources(Arrays.asList(sources));
    }

    /** What the fact is about, such as {@code user}, for the user, or a name. */
    public Claim subject(String subject) { message.setSubject(subject); return this; }

    /** What of the subject it states, such as {@code home_city}. */
    public Claim attribute(String attribute) { message.setAttribute(attribute); return this; }

    /** The value; may be empty with {@link #retracts}: then no value holds. */
    public Claim value(String value) { message.setValue(value); return this; }

    /** A sentence that states the fact. Default: made of subject, attribute and value. */
    public Claim text(String text) { message.setText(text); return this; }

    /** Confidence, 0 to 1. Default 1. */
    public Claim confidence(double confidence) { message.setConfidence(confidence); return this; }

    /** Instant from which the fact holds. Default: the time of the latest source. */
    public Claim validFrom(Instant time) { message.setValidFrom(Values.timestamp(time)); return this; }

    /** Instant from which the fact no longer holds. Default: not known. */
    public Claim validUntil(Instant time) { message.setValidUntil(Values.timestamp(time)); return this; }

    /** The messages state that the fact no longer holds. Default false. */
    public Claim retracts(boolean retracts) { message.setRetracts(retracts); return this; }

    /** Sequence numbers of the messages of the job that state it; at least one. */
    public Claim sources(Collection<Long> sources) { message.addAllSources(sources); return this; }
  }

  /** Another memory that messages contain: an instruction, a decision, a lesson. */
  public static final class Note extends Query<Note, ExtractedNote.Builder> {
    /** Nothing yet: text and sources are required. */
    public Note() { super(ExtractedNote.newBuilder()); }

    /** A text, and the sequence numbers of the messages of the job that contain it. */
    public static Note of(String text, Long... sources) { return new Note().text(text).sources(Arrays.asList(sources)); }

    /** Type of the memory: {@code fact}, {@code episode} or {@code procedure}. Default {@code fact}. */
    public Note type(String type) { message.setType(type); return this; }

    /** Text of the memory. */
    public Note text(String text) { message.setText(text); return this; }

    /** Confidence, 0 to 1. Default 1. */
    public Note confidence(double confidence) { message.setConfidence(confidence); return this; }

    /** Tags of the memory, at most 16. */
    public Note tags(Collection<String> tags) { message.addAllTags(tags); return this; }

    /** Sequence numbers of the messages of the job that contain it; at least one. */
    public Note sources(Collection<Long> sources) { message.addAllSources(sources); return this; }
  }
}
