import type { Call } from '../../../memory/call.ts';
import { checksumOf } from '../../../memory/checksum.ts';
import { derivedTextOf } from '../../../memory/derive-text.ts';
import { checkRevision, invalidFields, MnemeError, memoryNotFound } from '../../../memory/errors.ts';
import { defaultType, type Embedding, type Memory, type MemoryFields, type Scope } from '../../../memory/memory.ts';
import { validityFault } from '../../../memory/validity.ts';
import type { MemoryChanges, WriteOutcome } from '../../../storage/records.ts';
import { vectorsFor } from './embed-texts.ts';
import { expectedRevision, type MemoryDeps, onceFor } from './operation-deps.ts';

export interface UpdateRequest {
  readonly namespace: string;
  readonly id: string;
  /** The version that the memory must have; absent: any. */
  readonly ifVersion?: number;
  readonly patch: MemoryPatch;
}

/**
 * The fields to change: a key with the value `undefined` clears the field or resets it to its default. An empty text is
 * derived from the content.
 */
export type MemoryPatch = {
  readonly [K in Exclude<keyof MemoryFields, 'scope' | 'text' | 'textDerived'>]?: MemoryFields[K] | undefined;
} & {
  readonly scope?: Partial<Scope>;
  readonly text?: string;
  readonly embedding?: Embedding;
};

/** Maximum attempts when concurrent changes interfere. */
const TRIES = 8;

/** Changes the fields of the patch and keeps the former state as a revision. */
export async function updateMemory(deps: MemoryDeps, request: UpdateRequest, call: Call): Promise<WriteOutcome> {
  const { store } = deps;
  const { namespace, id, ifVersion, patch } = request;
  for (let attempt = 1; ; attempt++) {
    const earlier = call.idempotency && (await store.outcomeOf(namespace, call.idempotency));
    if (earlier) return earlier as WriteOutcome;
    const atUs = deps.clock.nowUs();
    const [memory] = await store.get({ namespace, ids: [id], view: 'full', nowUs: atUs });
    if (!memory) throw memoryNotFound(namespace, id);
    checkRevision(`namespaces/${namespace}/memories/${id}`, ifVersion, memory.revision);
    const changes = await changesOf(deps, memory, patch, call);
    try {
      const expectedRevision = memory.revision;
      const outcome = await store.write({
        kind: 'update',
        namespace,
        id,
        expectedRevision,
        changes,
        atUs,
        ...onceFor(call),
      });
      if (changes.embeddingPending) deps.onEmbeddingPending();
      return outcome;
    } catch (error) {
      const isRace = error instanceof MnemeError && error.reason === 'VERSION_MISMATCH' && ifVersion === undefined;
      if (!isRace || attempt === TRIES) throw error;
      call.signal.throwIfAborted();
    }
  }
}

async function changesOf(deps: MemoryDeps, memory: Memory, patch: MemoryPatch, call: Call): Promise<MemoryChanges> {
  const isValidityChanged = 'validFromUs' in patch || 'validUntilUs' in patch;
  const fault = isValidityChanged ? validityFault({ ...memory, ...patch }, 'memory') : undefined;
  if (fault) throw invalidFields([fault]);
  const { scope, text: _, embedding: __, ...plain } = patch;
  const speaker = 'source' in patch ? (patch.source?.speaker ?? '') : memory.source.speaker;
  const body = bodyOf(memory, patch);
  const vector = await vectorChangesOf(deps, memory, patch, body, call);
  if (body.text === '' && !body.content && !(vector.embedding === undefined ? memory.embedding : vector.embedding)) {
    throw invalidFields([{ field: 'memory', description: 'must keep a text, a content or an embedding' }]);
  }
  return {
    ...plain,
    ...(scope ? { scope: { ...memory.scope, ...scope } } : {}),
    ...('type' in patch ? { type: patch.type ?? defaultType(speaker) } : {}),
    ...('eventAtUs' in patch ? { eventAtUs: patch.eventAtUs ?? memory.createdAtUs } : {}),
    ...(body.isChanged ? { text: body.text, textDerived: body.textDerived, checksum: body.checksum } : {}),
    ...vector,
  };
}

function bodyOf(memory: Memory, patch: MemoryPatch) {
  const content = 'content' in patch ? patch.content : memory.content;
  const textDerived = patch.text === undefined ? memory.textDerived : patch.text === '';
  const isDerivedNow = textDerived && ('content' in patch || patch.text !== undefined);
  const text = isDerivedNow
    ? content === undefined
      ? ''
      : derivedTextOf(content, 'memory.content.data')
    : patch.text || memory.text;
  const checksum = checksumOf(text, content);
  const isChanged = checksum !== memory.checksum || textDerived !== memory.textDerived;
  return { text, textDerived, content, checksum, isChanged };
}

/** A new text gets a new vector, unless the caller supplies the vectors of this memory. */
async function vectorChangesOf(
  deps: MemoryDeps,
  memory: Memory,
  patch: MemoryPatch,
  { text }: { text: string },
  call: Call,
): Promise<Pick<MemoryChanges, 'embedding' | 'embeddingPending'>> {
  if (patch.embedding) return { embedding: patch.embedding, embeddingPending: false };
  const isOurs = !memory.embedding || memory.embedding.model === deps.embedder.model;
  if (!('embedding' in patch) && (text === memory.text || !isOurs)) return {};
  const [plan] = await vectorsFor(deps, memory.namespace, [{ text }], () => call.signal);
  return { embedding: plan?.embedding ?? null, embeddingPending: plan?.pending ?? false };
}

export interface SetImportanceRequest {
  readonly namespace: string;
  readonly id: string;
  /** 0 to 1. */
  readonly importance: number;
  /** Empty: any. */
  readonly ifVersion?: number;
}

export function setImportance(
  { store, clock }: Pick<MemoryDeps, 'store' | 'clock'>,
  { namespace, id, importance, ifVersion }: SetImportanceRequest,
  call: Call,
): Promise<WriteOutcome> {
  return store.write({
    kind: 'update',
    namespace,
    id,
    changes: { importance },
    atUs: clock.nowUs(),
    ...expectedRevision(ifVersion),
    ...onceFor(call),
  });
}
