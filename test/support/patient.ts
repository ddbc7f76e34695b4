/** Of a client whose calls succeed however busy the machine is. */
export const PATIENT_CLIENT = { timeoutMs: 60_000, recallTimeoutMs: 60_000 } as const;

/** Settings of a server that does not treat a slow Redis on a busy machine as lost. */
export const PATIENT_ENV = {
  MNEME_REDIS_CONNECT_TIMEOUT_MS: '20000',
  MNEME_REDIS_COMMAND_TIMEOUT_MS: '20000',
} as const;
