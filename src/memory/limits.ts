/** Limits of a memory that the API promises; `proto/mneme/v1/memory.proto` documents them. */
export const MEMORY_LIMITS = {
  textBytes: 1_048_576,
  /** Maximum size of a text derived from the keys and values of JSON. */
  jsonTextBytes: 65_536,
  contentBytes: 1_048_576,
  mediaTypeBytes: 128,
  jsonDepth: 64,
  tags: 64,
  tagBytes: 128,
  dimension: 4096,
  modelBytes: 128,
  namePartBytes: 128,
  uriBytes: 1024,
} as const;
