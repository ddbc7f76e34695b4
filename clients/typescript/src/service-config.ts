import serviceConfig from '../../service-config.json' with { type: 'json' };

/**
 * gRPC's configuration of the channel of streams, the same for the clients of all languages. Of the streams gRPC repeats
 * only an export, after UNAVAILABLE, the only status that means "nothing was done, try again"; other broken streams are
 * resumed (`streams/resuming.ts`, `import-calls.ts`). It has no timeouts: a configured one could be shortened for a
 * single call but not lengthened.
 */
export const STREAMS_CONFIG: string = JSON.stringify(serviceConfig);

/** gRPC's configuration of the channel of unary calls: without retries, which the client makes itself (`retries.ts`). */
export const CALLS_CONFIG: string = JSON.stringify({ loadBalancingConfig: serviceConfig.loadBalancingConfig });
