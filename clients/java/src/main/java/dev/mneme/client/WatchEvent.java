package dev.mneme.client;

import com.google.protobuf.Message;
import java.time.Instant;

/** The events of a watch. */
public sealed interface WatchEvent {
  /** Revision of the change log that it is about. */
  long revision();

  /**
   * A memory has changed, or the namespace.
   *
   * @param kind kind of the change
   * @param id id of the memory; empty for changes of the namespace
   * @param time when
   * @param memory as the change left it; null when it was erased, then or later, and when it leaves the filter
   * @param leaves the filter admitted it before and does not any more
   * @param revision revision of the change
   * @param resumeToken continues after it; null where a subscription remembers that
   */
  record Change(ChangeKind kind, String id, Instant time, Memory memory, boolean leaves, long revision, String resumeToken)
      implements WatchEvent {
    static Change of(dev.mneme.v1.Change change, String resumeToken) {
      ChangeKind kind = Answers.enumIn(change, "kind", ChangeKind.class);
      String id = change.getName().contains("/memories/") ? Names.idOf(change.getName()) : "";
      Memory memory = change.hasMemory() ? Answers.read((Message) change.getMemory(), Memory.class) : null;
      return new Change(kind == null ? ChangeKind.OTHER : kind, id, Values.instant(change.getTime()), memory, change.getLeaves(),
          change.getRevision(), resumeToken);
    }
  }

  /**
   * Everything up to the revision has been yielded.
   *
   * @param revision the revision
   * @param resumeToken continues after it
   */
  record CaughtUp(long revision, String resumeToken) implements WatchEvent {}

  /**
   * Changes are missing: discard the known state; all that is there follows as {@link Listed}.
   *
   * @param revision revision of the list
   */
  record Relisting(long revision) implements WatchEvent {}

  /**
   * A memory that is there.
   *
   * @param id its id
   * @param memory the memory
   * @param revision revision of the list
   */
  record Listed(String id, Memory memory, long revision) implements WatchEvent {}
}
