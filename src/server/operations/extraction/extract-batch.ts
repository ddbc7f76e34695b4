import { type ConversationMessage, type MessageBlock, messageId, messageOf } from '../../../memory/conversation.ts';
import { withoutContexts } from '../../../memory/echo.ts';
import { MnemeError } from '../../../memory/errors.ts';
import type { Memory, MemoryView, Scope } from '../../../memory/memory.ts';
import type { FactOutcome } from '../../../memory/meters.ts';
import { scopeKey, WHOLE_NAMESPACE } from '../../../memory/scope.ts';
import { inTrace, type Tracer } from '../../../search/threads/span.ts';
import type { Assertion, ExtractionBatch, Extractor, FactCounts, FactSink } from '../../extraction/extractor.ts';
import type { ConversationKey } from '../conversations/conversations.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';

export interface BatchDeps extends Pick<MemoryDeps, 'store' | 'clock'> {
  /** Absent where nothing is traced. */
  readonly tracer?: Tracer;
  readonly sink: FactSink;
}

export interface BatchRequest extends ConversationKey {
  /** Of the messages, increasing. */
  readonly sequences: readonly number[];
  /** Those of them that said something else before. */
  readonly revised: readonly number[];
  readonly extractor: Extractor;
  readonly includesToolBlocks: boolean;
  readonly settings: ReadonlyMap<string, string>;
  readonly failures?: NonNullable<ExtractionBatch['failures']>;
  /** Called before each extraction: there is one for each owner of messages. */
  onExtraction(): void;
}

/** Preceding messages that an extractor sees in addition to a batch. */
export const EARLIER_MAX = 10;

/**
 * Extracts from the current messages and stores the results. Messages deleted since, and those without readable parts,
 * are skipped.
 */
export function extractBatch(deps: BatchDeps, request: BatchRequest, signal: AbortSignal): Promise<FactCounts> {
  const describe = () => {
    const { namespace, extractor, sequences } = request;
    const attributes = {
      'gen_ai.memory.store.id': namespace,
      'mneme.extractor': extractor.name,
      'mneme.message.count': sequences.length,
    };
    return { name: 'extraction batch', attributes };
  };
  return inTrace(deps.tracer, describe, () => extractAndStore(deps, request, signal));
}

async function extractAndStore(deps: BatchDeps, request: BatchRequest, signal: AbortSignal): Promise<FactCounts> {
  const { namespace, conversation, sequences, revised } = request;
  const idsOf = (some: readonly number[]) => some.map((sequence) => messageId(conversation, sequence));
  const assertions = await extractedFrom(deps, request, signal);
  if (revised.length > 0) await deps.sink.withdraw(namespace, idsOf(revised), signal);
  const counts = new Map<FactOutcome, number>();
  for (const assertion of assertions) {
    const stored = await deps.sink.assertClaims(assertion, signal);
    for (const [outcome, count] of stored) counts.set(outcome, (counts.get(outcome) ?? 0) + count);
  }
  if (assertions.length === 0) return counts;
  // What was removed while it was extracted leaves nothing behind.
  const there = new Set((await read(deps, request, sequences, 'metadata')).map(({ step }) => step));
  const removed = sequences.filter((sequence) => !there.has(sequence));
  if (removed.length > 0) await deps.sink.withdraw(namespace, idsOf(removed), signal);
  return counts;
}

/** The results by owner: what messages of one scope say is not mixed with others, and is stored in that scope only. */
async function extractedFrom(deps: BatchDeps, request: BatchRequest, signal: AbortSignal): Promise<Assertion[]> {
  const { sequences } = request;
  const first = sequences[0] ?? 0;
  const before = Array.from({ length: Math.min(EARLIER_MAX, first) }, (_, at) => first - 1 - at).reverse();
  const memories = await read(deps, request, [...before, ...sequences]);
  const own = new Set(sequences);
  const assertions: Assertion[] = [];
  for (const ofOwner of Map.groupBy(memories, (memory) => scopeKey(ownerOf(memory))).values()) {
    const kept = ofOwner.flatMap((memory) => readable(memory, request.includesToolBlocks));
    const messages = kept.filter(({ sequence }) => own.has(sequence));
    if (messages.length === 0) continue;
    const earlier = kept.filter(({ sequence }) => !own.has(sequence));
    request.onExtraction();
    const assertion = await extractedOf(request, { scope: ownerOf(ofOwner[0]), messages, earlier }, signal);
    if (assertion) assertions.push(assertion);
  }
  return assertions;
}

/** Absent where nothing was extracted. */
async function extractedOf(
  { namespace, conversation, extractor, settings, failures }: BatchRequest,
  part: Pick<ExtractionBatch, 'scope' | 'messages' | 'earlier'>,
  signal: AbortSignal,
): Promise<Assertion | undefined> {
  const { scope, messages } = part;
  const batch: ExtractionBatch = { namespace, conversation, settings, ...part, failures };
  const { claims, notes, origin = extractor.name } = await unlessAborted(extractor.extract(batch, signal), signal);
  if (claims.length + notes.length === 0) return undefined;
  const eventTimesUs = new Map(messages.map(({ sequence, eventAtUs }) => [sequence, eventAtUs]));
  checkSources(extractor, eventTimesUs, [...claims, ...notes]);
  return { namespace, scope, conversation, extractor: origin, claims, notes, eventTimesUs };
}

async function read(
  { store, clock }: BatchDeps,
  { namespace, conversation }: ConversationKey,
  sequences: readonly number[],
  view: MemoryView = 'basic',
): Promise<Memory[]> {
  const ids = sequences.map((sequence) => messageId(conversation, sequence));
  const found = await store.get({ namespace, ids, view, nowUs: clock.nowUs() });
  return found.filter((memory) => memory !== undefined);
}

/** The message without parts hidden from the extractor; undefined where none remain. */
function readable(memory: Memory, includesToolBlocks: boolean): ConversationMessage[] {
  const message = messageOf(memory);
  if (!message) return [];
  const isKept = ({ kind }: MessageBlock) => kind === 'text' || includesToolBlocks;
  const blocks = message.blocks.filter(isKept).flatMap(withoutEcho);
  const text = withoutContexts(message.text);
  const isEmpty = text === '' && blocks.every(({ kind }) => kind === 'text');
  return isEmpty ? [] : [{ ...message, text, blocks }];
}

/** The block without remembered text that was folded into it; undefined where none remains. */
function withoutEcho(block: MessageBlock): MessageBlock[] {
  if (block.kind !== 'text') return [block];
  const text = withoutContexts(block.text);
  return text === '' && block.text !== '' ? [] : [{ ...block, text }];
}

function ownerOf(memory: Memory | undefined): Scope {
  return { ...WHOLE_NAMESPACE, ...memory?.scope, session: '' };
}

/** Results must cite messages of the batch. */
function checkSources(
  { name }: Extractor,
  own: ReadonlyMap<number, unknown>,
  extracted: readonly { readonly sources: readonly number[] }[],
): void {
  const wrong = extracted.find(({ sources }) => sources.length === 0 || !sources.every((source) => own.has(source)));
  if (!wrong) return;
  const cited = wrong.sources.join(', ') || 'none';
  throw new MnemeError('EXTRACTION_INVALID', `the extractor cites messages outside of the batch: ${cited}`, {
    metadata: { extractor: name },
  });
}

/** An extractor that does not listen to the signal is not waited for. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  work.catch(() => undefined);
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
