const PACKAGE = 'mneme.v1';

/** Only UNAVAILABLE is retried: it is the one status that says "nothing was done, try again". */
const RETRY_CALL = {
  maxAttempts: 4,
  initialBackoff: '0.05s',
  maxBackoff: '1s',
  backoffMultiplier: 2,
  retryableStatusCodes: ['UNAVAILABLE'],
};
const RETRY_RECALL = { ...RETRY_CALL, maxAttempts: 3, initialBackoff: '0.02s', maxBackoff: '0.3s' };

/** Its streams are taken up again by `lifecycle-streams.ts`. */
const LIFECYCLE_CALLS = [
  'SpawnSession',
  'PauseSession',
  'ResumeSession',
  'TerminateSession',
  'GetSession',
  'ListSessions',
  'AcknowledgeLifecycleEvents',
];

/**
 * How gRPC is to treat the methods of Mneme. Repeating mutations is safe because each carries a request id.
 * Streams are left out: a stream that broke is taken up again where it was (`streams/resuming.ts`, `import-calls.ts`). Timeouts are
 * left out too: one that is configured here could be shortened for a single call but not lengthened.
 */
export const SERVICE_CONFIG = {
  loadBalancingConfig: [{ round_robin: {} }],
  methodConfig: [
    {
      name: [
        { service: `${PACKAGE}.MemoryService` },
        { service: `${PACKAGE}.NamespaceService` },
        { service: `${PACKAGE}.WorkingMemoryService` },
        { service: `${PACKAGE}.AgentService` },
        { service: `${PACKAGE}.ScopeService` },
        ...LIFECYCLE_CALLS.map((method) => ({ service: `${PACKAGE}.LifecycleService`, method })),
        { service: `${PACKAGE}.AdminService`, method: 'GetServerInfo' },
        { service: `${PACKAGE}.AdminService`, method: 'GetServerStatistics' },
      ],
      retryPolicy: RETRY_CALL,
    },
    {
      name: [
        { service: `${PACKAGE}.RecallService`, method: 'Recall' },
        { service: `${PACKAGE}.RecallService`, method: 'ListRecallPresets' },
      ],
      retryPolicy: RETRY_RECALL,
    },
  ],
  retryThrottling: { maxTokens: 100, tokenRatio: 0.1 },
};
