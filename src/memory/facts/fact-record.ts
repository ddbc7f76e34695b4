import { parsedContent } from '../derive-text.ts';
import type { Content, Memory, Micros } from '../memory.ts';
import { isUnscoped } from '../scope.ts';
import { instantAt, instantBefore, isoText } from '../time/instants.ts';
import { isTrustLevel, type TrustLevel } from '../trust.ts';
import { type FactKey, normalAttribute, normalSubject } from './fact-key.ts';
import { EMPTY_TIMELINE, type FactState, type Timeline } from './timeline.ts';

/**
 * Type of memories that have a fact; memories of other types may have one too, identified by the schema of their
 * content.
 */
export const FACT_TYPE = 'fact';
/** Type of the records that have the timeline of a key. */
export const KEY_TYPE = 'fact_key';
/** The schema of a fact's content; of a fact that is being forgotten only this remains. */
export const FACT_SCHEMA = 'mneme.fact.v1';
export const ERASED_SCHEMA = 'mneme.fact.erased';
const KEY_MEDIA_TYPE = 'application/x-mneme-fact-key';
/** Before every instant at which a current memory can be asked for: such a memory is never current. */
export const NEVER_CURRENT = { validFromUs: 0, validUntilUs: 1 } as const;

/** The contents and provenance of a fact; its validity is in the timeline of its key. */
export interface Fact {
  readonly id: string;
  readonly key: FactKey;
  /** As it was written. */
  readonly subject: string;
  readonly value: string;
  readonly text: string;
  /** When it was last asserted, 0 to 1. */
  readonly confidence: number;
  /** Number of repetitions from other sources. */
  readonly reinforcements: number;
  /** Names of memories, messages or documents, the first one first. */
  readonly sources: readonly string[];
  readonly trust: TrustLevel;
  readonly recordedAtUs: Micros;
  /** When it was last asserted, from which its confidence decays; not when it began to hold. */
  readonly assertedAtUs: Micros;
}

export function factContent(fact: Fact, supersededAtUs: Micros | undefined): Content {
  const { key, subject, value, confidence, reinforcements, sources, trust, recordedAtUs, assertedAtUs } = fact;
  const json = {
    schema: FACT_SCHEMA,
    subject,
    attribute: key.attribute,
    value,
    subject_key: key.subject,
    confidence,
    reinforcements,
    sources,
    trust,
    recorded_at: isoText(recordedAtUs),
    last_asserted_at: isoText(assertedAtUs),
    ...(supersededAtUs === undefined ? {} : { superseded_at: isoText(supersededAtUs) }),
  };
  return { mediaType: 'application/json', data: Buffer.from(JSON.stringify(json)) };
}

/** The remainder of a fact from its forgetting until its memory is deleted. */
export const ERASED_CONTENT: Content = {
  mediaType: 'application/json',
  data: Buffer.from(JSON.stringify({ schema: ERASED_SCHEMA })),
};

/** The fact that a memory has; `undefined` where it has none. The memory must have been read with its content. */
export function factOf(
  memory: Pick<Memory, 'id' | 'type' | 'scope' | 'text' | 'content' | 'createdAtUs'>,
): Fact | undefined {
  const { id, type, scope, text, content, createdAtUs } = memory;
  if (type !== FACT_TYPE || !content || !mayHaveFact(content)) return undefined;
  const json = parsedContent(content);
  if (!isObject(json) || json['schema'] !== FACT_SCHEMA) return undefined;
  const { subject, attribute, value, subject_key: subjectKey, confidence, reinforcements, sources, trust } = json;
  if (!isText(subject) || !isText(attribute) || !isText(value)) return undefined;
  const recordedAtUs = timeIn(json['recorded_at']) ?? createdAtUs;
  return {
    id,
    key: {
      scope,
      subject: isText(subjectKey) ? subjectKey : normalSubject(subject),
      attribute: normalAttribute(attribute),
    },
    subject,
    value,
    text,
    confidence: isShare(confidence) ? confidence : 0,
    reinforcements: Number.isSafeInteger(reinforcements) ? Number(reinforcements) : 0,
    sources: Array.isArray(sources) ? sources.filter(isText) : [],
    trust: isTrustLevel(trust) ? trust : 'untrusted',
    recordedAtUs,
    // The field `asserted_at` of stored facts may be the time from which a fact held, which is no assertion.
    assertedAtUs: timeIn(json['last_asserted_at']) ?? recordedAtUs,
  };
}

/** Spares the parsing of large contents without a fact. */
function mayHaveFact({ data }: Content): boolean {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).includes(FACT_SCHEMA);
}

/** True of memories that have a fact, or the timeline of a key. */
export function isFactOrKey({ type, content }: Pick<Memory, 'type' | 'content'>): boolean {
  if (type === KEY_TYPE) return true;
  if (type !== FACT_TYPE || !content) return false;
  const json = parsedContent(content);
  return isObject(json) && (json['schema'] === FACT_SCHEMA || json['schema'] === ERASED_SCHEMA);
}

/** The interval in the fields of the memory. A superseded fact that still counts for a while is hidden only by its end. */
export function validityOf(
  { fromUs, untilUs, by }: FactState,
  nowUs: Micros,
): Pick<Memory, 'validFromUs' | 'validUntilUs' | 'supersededBy'> {
  const isOver = untilUs !== undefined && untilUs <= nowUs;
  return {
    // A memory must end after it begins, also where its fact never counted.
    validFromUs: untilUs !== undefined && untilUs <= fromUs ? instantBefore(untilUs) : fromUs,
    ...(untilUs === undefined ? {} : { validUntilUs: untilUs }),
    ...(by !== undefined && isOver ? { supersededBy: by } : {}),
  };
}

export function keyContent(timeline: Timeline): Content {
  return { mediaType: KEY_MEDIA_TYPE, data: Buffer.from(JSON.stringify({ version: 1, ...timeline })) };
}

/** Records of keys belong to no scope: a memory of a scope, which its callers write, is none, whatever its id is. */
export function isKeyRecord({ type, scope }: Pick<Memory, 'type' | 'scope'>): boolean {
  return type === KEY_TYPE && isUnscoped(scope);
}

/** The timeline that the record of a key has; empty without a record. Fails where the record is of a later version. */
export function timelineOf(record: Pick<Memory, 'type' | 'scope' | 'content'> | undefined): Timeline {
  if (!record?.content || !isKeyRecord(record)) return EMPTY_TIMELINE;
  const { version, ...timeline } = JSON.parse(Buffer.from(record.content.data).toString()) as Timeline & {
    version: number;
  };
  if (version !== 1) throw new Error(`record of a fact key has version ${version}, this server reads version 1`);
  return timeline;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isShare(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

function timeIn(text: unknown): Micros | undefined {
  const [, toMs, us = '0'] = isText(text) ? (/^(.{23})(\d{3})?Z$/.exec(text) ?? []) : [];
  const ms = toMs === undefined ? Number.NaN : Date.parse(`${toMs}Z`);
  return Number.isNaN(ms) ? undefined : instantAt(ms, Number(us));
}
