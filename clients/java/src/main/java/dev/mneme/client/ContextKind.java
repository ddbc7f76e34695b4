package dev.mneme.client;

/** Kind of an entry of a context. */
public enum ContextKind {
  /** Working memory of the session. */
  WORKING,
  /** Memories of the type {@code fact}. */
  FACT,
  /** Memories of the type {@code procedure}. */
  PROCEDURE,
  /** Memories of the type {@code episode}. */
  EPISODE,
  /** Messages and interactions, word for word. */
  MESSAGE,
  /** Memories of any other type. */
  OTHER
}
