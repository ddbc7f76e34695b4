/** Timeouts of tests for a running Redis: on a busy machine it may be slow. */
export const PATIENT_REDIS = {
  connectTimeoutMs: 30_000,
  commandTimeoutMs: 30_000,
  retryAfterMs: 50,
  nowMs: () => performance.now(),
} as const;
