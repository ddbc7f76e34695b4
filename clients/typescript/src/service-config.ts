import serviceConfig from '../../service-config.json' with { type: 'json' };

/**
 * gRPC's configuration of the methods of Mneme: the same for the clients of all languages. Only UNAVAILABLE is retried,
 * the only status that means "nothing was done, try again". Repeating mutations is safe because each carries a request
 * id. Streams are excluded, except an export: a broken stream is resumed (`streams/resuming.ts`, `import-calls.ts`).
 * Timeouts are excluded too: a configured one could be shortened for a single call but not lengthened.
 */
export const SERVICE_CONFIG: string = JSON.stringify(serviceConfig);
