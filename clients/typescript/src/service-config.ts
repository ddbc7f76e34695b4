import serviceConfig from '../../service-config.json' with { type: 'json' };

/**
 * gRPC's configuration of the streams of Mneme: the same for the clients of all languages. Only UNAVAILABLE is retried,
 * the only status that means "nothing was done, try again". Streams are excluded, except an export: a broken stream is
 * resumed (`streams/resuming.ts`, `import-calls.ts`). Timeouts are excluded too: a configured one could be shortened
 * for a single call but not lengthened.
 */
export const STREAMS_CONFIG: string = JSON.stringify(serviceConfig);

/** The same for unary calls, which the client itself repeats (`retries.ts`). */
export const CALLS_CONFIG: string = JSON.stringify({ loadBalancingConfig: serviceConfig.loadBalancingConfig });
