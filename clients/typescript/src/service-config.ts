import serviceConfig from '../../service-config.json' with { type: 'json' };

/**
 * How gRPC is to treat the methods of Mneme: the same for the clients of all languages. Only UNAVAILABLE is retried, the one
 * status that says "nothing was done, try again". Repeating mutations is safe because each carries a request id.
 * Streams are left out, but for an export: a stream that broke is taken up again where it was (`streams/resuming.ts`,
 * `import-calls.ts`). Timeouts are left out too: one that is configured here could be shortened for a single call but not
 * lengthened.
 */
export const SERVICE_CONFIG: string = JSON.stringify(serviceConfig);
