import families from '../../error-families.json' with { type: 'json' };

/** Purpose of the failed call: `base` for all others, and for errors outside of a call. */
export type ErrorFamily = 'store' | 'retrieval' | 'maintenance' | 'configuration' | 'base';

const FAMILIES = new Map<string, string>(Object.entries(families));

/** Of a method by its path, such as `/mneme.v1.MemoryService/StoreMemory`. */
export function familyOf(path: string): ErrorFamily {
  return (FAMILIES.get(path.slice(1)) ?? 'base') as ErrorFamily;
}
