package dev.mneme.client;

/** Why a memory was moved to another tier. */
public enum MoveReason {
  /** It was in its tier for too long. */
  TTL,

  /** The tier held too many. */
  MEMORY_LIMIT,

  /** The tier held too many bytes. */
  BYTES_LIMIT,

  /** As TTL, of its type. */
  TYPE_TTL,

  /** As MEMORY_LIMIT, of its type. */
  TYPE_MEMORY_LIMIT,

  /** A flush was asked for. */
  FLUSH,

  /** The move was asked for. */
  REQUESTED,

  /** Redis has too little memory left. */
  REDIS_MEMORY,

  /** The server has too little memory left. */
  PROCESS_MEMORY,

  /** A value that this version of the client does not know. */
  OTHER
}
