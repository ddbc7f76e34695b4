package dev.mneme.client;

/** Change of a memory, or of its namespace. */
public enum ChangeKind {
  /** Stored. */
  STORED,

  /** Changed. */
  UPDATED,

  /** Erased. */
  DELETED,

  /** Its time had come. */
  EXPIRED,

  /** Its vector was computed. */
  EMBEDDED,

  /** Read with touch. */
  TOUCHED,

  /** Moved to another tier. */
  MOVED,

  /** The namespace was created. */
  NAMESPACE_CREATED,

  /** The namespace was changed. */
  NAMESPACE_UPDATED,

  /** The namespace was deleted. */
  NAMESPACE_DELETED,

  /** All vectors were made anew. */
  VECTORS_REPLACED,

  /** A value that this version of the client does not know. */
  OTHER
}
