package dev.mneme.client;

import java.time.Instant;

/** A change to be worked on. */
public final class Delivery {
  private final WatchEvent.Change change;
  private final Runnable acknowledgement;

  Delivery(WatchEvent.Change change, Runnable acknowledgement) {
    this.change = change;
    this.acknowledgement = acknowledgement;
  }

  /** The change; it has no resume token. */
  public WatchEvent.Change change() { return change; }

  /** Kind of the change. */
  public ChangeKind kind() { return change.kind(); }

  /** Id of the memory; empty for changes of the namespace. */
  public String id() { return change.id(); }

  /** The memory as the change left it, or null. */
  public Memory memory() { return change.memory(); }

  /** When it happened. */
  public Instant time() { return change.time(); }

  /** Revision of the change. */
  public long revision() { return change.revision(); }

  /** It is done: it is not delivered again. Without it, it is: after a break, and in a work queue to another consumer. */
  public void acknowledge() { acknowledgement.run(); }
}
