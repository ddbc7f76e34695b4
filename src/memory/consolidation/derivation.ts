import { parsedContent } from '../derive-text.ts';
import type { Content, Memory, Micros } from '../memory.ts';
import { isTrustLevel, type TrustLevel } from '../trust.ts';

/** Origin of memories that consolidation and reflection make. */
export const CONSOLIDATION_ORIGIN = 'mneme.consolidation';
export const DERIVATION_SCHEMA = 'mneme.derived.v1';

export type DerivationKind = 'merge' | 'episode';

/** A memory that a merge hides, and when it was last changed before. */
export interface HiddenMemory {
  readonly id: string;
  readonly updatedAtUs: Micros;
}

/** What a derived memory was made from. */
export interface Derivation {
  readonly kind: DerivationKind;
  /** Id of the report that lists it. */
  readonly report: string;
  readonly trust: TrustLevel;
  /** Resource names of the memories that it was made from. */
  readonly sources: readonly string[];
  readonly hidden: readonly HiddenMemory[];
  /** Highest sequence number of the messages of an episode. */
  readonly lastSequence?: number;
}

export function derivationContent(derivation: Derivation, more: Readonly<Record<string, unknown>> = {}): Content {
  const { kind, report, trust, sources, hidden, lastSequence } = derivation;
  const json = {
    schema: DERIVATION_SCHEMA,
    kind,
    report,
    trust,
    sources,
    ...(hidden.length > 0 && { hidden: hidden.map(({ id, updatedAtUs }) => ({ id, updated_at_us: updatedAtUs })) }),
    ...(lastSequence === undefined ? {} : { last_sequence: lastSequence }),
    ...more,
  };
  return { mediaType: 'application/json', data: Buffer.from(JSON.stringify(json)) };
}

/** What a memory was derived from; `undefined` for other memories. The memory must have been read with its content. */
export function derivationOf({ content, source }: Pick<Memory, 'content' | 'source'>): Derivation | undefined {
  if (source.origin !== CONSOLIDATION_ORIGIN || !content) return undefined;
  const json = parsedContent(content);
  if (!isObject(json) || json['schema'] !== DERIVATION_SCHEMA) return undefined;
  const { kind, report, trust, sources, hidden, last_sequence: lastSequence } = json;
  if (!isKind(kind) || typeof report !== 'string') return undefined;
  return {
    kind,
    report,
    trust: isTrustLevel(trust) ? trust : 'untrusted',
    sources: Array.isArray(sources) ? sources.filter((one) => typeof one === 'string') : [],
    hidden: Array.isArray(hidden) ? hidden.flatMap(hiddenIn) : [],
    ...(Number.isSafeInteger(lastSequence) && { lastSequence: Number(lastSequence) }),
  };
}

function hiddenIn(json: unknown): HiddenMemory[] {
  if (!isObject(json)) return [];
  const { id, updated_at_us: updatedAtUs } = json;
  return typeof id === 'string' && Number.isSafeInteger(updatedAtUs) ? [{ id, updatedAtUs: Number(updatedAtUs) }] : [];
}

function isKind(value: unknown): value is DerivationKind {
  return value === 'merge' || value === 'episode';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
