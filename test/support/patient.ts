/** Of a client whose calls succeed however busy the machine is. */
export const PATIENT_CLIENT = { timeoutMs: 60_000, recallTimeoutMs: 60_000 } as const;

/** Settings of a server that does not take the Redis of a busy machine for a lost one. */
export const PATIENT_ENV = {
  MNEME_REDIS_CONNECT_TIMEOUT_MS: '20000',
  MNEME_REDIS_COMMAND_TIMEOUT_MS: '20000',
} as const;
