package dev.mneme.client;

/** Trust in the source of a memory, from the least to the most. */
public enum TrustLevel {
  /** The source is not known. */
  UNTRUSTED,
  /** Output of a tool. */
  TOOL,
  /** A turn of the assistant. */
  ASSISTANT,
  /** A turn of the user. */
  USER,
  /** Asserted through the API. */
  EXPLICIT
}
