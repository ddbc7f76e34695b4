import type { Timestamp } from '../../../../gen/ts/google/protobuf/timestamp.ts';
import { ConflictPolicy } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { derivedTextOf } from '../../../memory/derive-text.ts';
import { MnemeError } from '../../../memory/errors.ts';
import {
  type Content,
  DEFAULT_IMPORTANCE,
  DEFAULT_PRIORITY,
  defaultType,
  type Embedding,
  type MemoryDraft,
  type MemoryPast,
} from '../../../memory/memory.ts';
import { placeInContent } from '../../../memory/place.ts';
import { type ValidityView, validityFault } from '../../../memory/validity.ts';
import type { StoreRequest } from '../../operations/memories/store-memories.ts';
import { instantOf, memoryNameIn, type RequestChecks } from '../edge/request-checks.ts';
import {
  type MemoryInput,
  memoryContentOf,
  memoryEmbeddingOf,
  memoryPlaceOf,
  scopeOf,
  shareOf,
  sourceOf,
  stepOf,
  supersededByOf,
  tagsOf,
  textOf,
  timeOf,
  typeOf,
} from './memory-fields.ts';
import { compactionOf } from './memory-messages.ts';

/** A memory to be stored. Fields that only the server sets are ignored. */
export function draftOf(input: MemoryInput, id?: string): MemoryDraft {
  const { checks, field, memory } = input;
  if (memory.text === '' && !memory.content && !memory.embedding) {
    checks.add(field, 'must have a text, a content or an embedding');
  }
  const content = memoryContentOf(input);
  const source = sourceOf(input);
  const validFromUs = timeOf(input, 'valid_from', memory.validFrom);
  const validUntilUs = timeOf(input, 'valid_until', memory.validUntil);
  const fault = validityFault({ validFromUs, validUntilUs }, field);
  if (fault) checks.add(fault.field, fault.description);
  return {
    scope: scopeOf(checks, `${field}.scope`, memory.scope),
    type: typeOf(input) ?? defaultType(source.speaker),
    text: textOf(input) || textFrom(input, content),
    textDerived: memory.text === '',
    tags: tagsOf(input),
    importance: shareOf(input, 'importance') ?? DEFAULT_IMPORTANCE,
    priority: shareOf(input, 'priority') ?? DEFAULT_PRIORITY,
    source,
    id,
    ...optional('content', content),
    ...optional('step', stepOf(input)),
    eventAtUs: timeOf(input, 'event_time', memory.eventTime),
    ...optional('place', memoryPlaceOf(input) ?? (content && placeInContent(content))),
    ...optional('expiresAtUs', timeOf(input, 'expire_time', memory.expireTime)),
    ...optional('validFromUs', validFromUs),
    ...optional('validUntilUs', validUntilUs),
    ...optional('supersededBy', supersededByOf(input)),
    embedding: memoryEmbeddingOf(input),
  };
}

/** A memory to be imported: keeps its id, whatever namespace its name contains, and its history. */
export function importedDraftOf(input: MemoryInput): MemoryDraft {
  const { checks, field, memory } = input;
  const id = memory.name === '' ? undefined : memoryNameIn(memory.name)?.id;
  if (memory.name !== '' && id === undefined) checks.memoryName(`${field}.name`, memory.name);
  const past: MemoryPast = {
    retrievalCount: checks.wholeWithin(`${field}.retrieval_count`, BigInt(memory.retrievalCount)),
    createdAtUs: timeOf(input, 'create_time', memory.createTime),
    ...optional('updatedAtUs', timeOf(input, 'update_time', memory.updateTime)),
    lastAccessedAtUs: timeOf(input, 'last_access_time', memory.lastAccessTime),
    compaction: compactionOf(input),
  };
  return { ...draftOf(supersededInside(input), id), past };
}

/** An imported memory names its successor by the namespace that it was exported from. */
function supersededInside(input: MemoryInput): MemoryInput {
  const { namespace, memory } = input;
  const id = memoryNameIn(memory.supersededBy)?.id;
  if (id === undefined) return input;
  return { ...input, memory: { ...memory, supersededBy: `namespaces/${namespace}/memories/${id}` } };
}

/** The content's text, unless the content was found fault with. */
function textFrom({ checks, field }: MemoryInput, content: Content | undefined): string {
  if (!content || checks.hasFound) return '';
  return derivedTextOf(content, `${field}.content.data`);
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: V });
}

interface WithVector {
  readonly embedding?: Embedding | null;
}

/** When the store refuses a vector that does not match its namespace, names the field of the request. */
export async function namingUnfitVector<T>(
  written: Promise<T>,
  memories: readonly WithVector[],
  pathOf: (at: number) => string = () => 'memory',
): Promise<T> {
  try {
    return await written;
  } catch (error) {
    const part = unfitPart(error);
    const isUnfit = ({ embedding }: WithVector) =>
      embedding && String(part === 'model' ? embedding.model : embedding.values.length) === actualOf(error);
    const at = part === undefined ? -1 : memories.findIndex(isUnfit);
    throw at < 0 ? error : unfitVectorNamed(error, `${pathOf(at)}.embedding`);
  }
}

/** The error with the field of the vector in it, where it is about a vector that does not fit; any other as it is. */
export function unfitVectorNamed(error: unknown, embedding: string): unknown {
  const part = unfitPart(error);
  if (part === undefined || !(error instanceof MnemeError)) return error;
  const { reason, message, metadata } = error;
  const field = `${embedding}.${part}`;
  const violations = [{ field, description: message }];
  return new MnemeError(reason, `${field}: ${message}`, { metadata, violations, cause: error });
}

function unfitPart(error: unknown): 'model' | 'dimension' | undefined {
  if (!(error instanceof MnemeError)) return undefined;
  if (error.reason === 'MODEL_MISMATCH') return 'model';
  return error.reason === 'DIMENSION_MISMATCH' ? 'dimension' : undefined;
}

function actualOf(error: unknown): string | undefined {
  return error instanceof MnemeError ? error.metadata['actual'] : undefined;
}

interface Asked {
  readonly asOf: Timestamp | undefined;
}

/** The validity of recalled memories: by default those valid now. */
export function recalledValidityOf(
  checks: RequestChecks,
  { asOf, includeInvalid }: Asked & { readonly includeInvalid: boolean },
): ValidityView {
  if (!asOf) return includeInvalid ? 'any' : 'current';
  if (includeInvalid) checks.add('include_invalid', 'must be absent with as_of');
  return { asOfUs: instantOf(checks, 'as_of', asOf) };
}

/** The validity of listed and counted memories: by default all. */
export function listedValidityOf(
  checks: RequestChecks,
  { asOf, includeInvalid }: Asked & { readonly includeInvalid?: boolean },
): ValidityView {
  if (!asOf) return includeInvalid === false ? 'current' : 'any';
  if (includeInvalid !== undefined) checks.add('include_invalid', 'must be absent with as_of');
  return { asOfUs: instantOf(checks, 'as_of', asOf) };
}

/** Handling of a memory that already exists. */
export const CONFLICT_POLICIES: Readonly<Record<number, StoreRequest['onConflict']>> = {
  [ConflictPolicy.CONFLICT_POLICY_UNSPECIFIED]: 'keep',
  [ConflictPolicy.CONFLICT_POLICY_KEEP]: 'keep',
  [ConflictPolicy.CONFLICT_POLICY_REPLACE]: 'replace',
  [ConflictPolicy.CONFLICT_POLICY_FAIL]: 'fail',
};
