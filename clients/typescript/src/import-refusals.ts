import { MnemeError } from './errors.ts';
import type { ImportedMemory } from './memory.ts';

/** A memory that cannot be stored, and why: violations name its fields, such as `text`. */
export interface RefusedMemory {
  readonly memory: ImportedMemory;
  readonly error: MnemeError;
}

/** Errors that are the fault of a memory: others may be stored all the same. */
const OF_MEMORY: ReadonlySet<MnemeError['reason']> = new Set([
  'FIELD_INVALID',
  'DIMENSION_MISMATCH',
  'MODEL_MISMATCH',
  'MESSAGE_TOO_LARGE',
]);
const NAMED = /^memories\[(\d+)\]\.?(.*)$/;

/**
 * Positions of the refused memories in a message. Empty where the error does not name them: each then has to be sent
 * separately. `undefined` for errors that no memory caused.
 */
export function refusedPlaces(error: unknown): ReadonlyMap<number, MnemeError> | undefined {
  if (!(error instanceof MnemeError) || !OF_MEMORY.has(error.reason)) return undefined;
  const places = new Map<number, MnemeError>();
  for (const { field, description } of error.violations) {
    const [, place, own = ''] = NAMED.exec(field) ?? [];
    if (place === undefined) return error.reason === 'FIELD_INVALID' ? undefined : new Map();
    const { code, reason, metadata, family } = error;
    const violations = [...(places.get(Number(place))?.violations ?? []), { field: own, description }];
    const message = violations.map((one) => (one.field === '' ? one.description : `${one.field}: ${one.description}`));
    const details = { ...(reason && { reason }), metadata, violations, family };
    places.set(Number(place), new MnemeError(code, message.join('; '), details));
  }
  return places;
}
