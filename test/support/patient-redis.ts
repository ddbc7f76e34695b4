/** How tests speak to a Redis that is there: on a busy machine it may take its time. */
export const PATIENT_REDIS = {
  connectTimeoutMs: 30_000,
  commandTimeoutMs: 30_000,
  retryAfterMs: 50,
  nowMs: () => performance.now(),
} as const;
