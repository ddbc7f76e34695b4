import type { Call } from '../../../memory/call.ts';
import { messageId, messageOf } from '../../../memory/conversation.ts';
import { derivedId } from '../../../memory/derived-id.ts';
import { isDamage } from '../../../memory/errors.ts';
import type { ExtractedNote, FactClaim } from '../../../memory/fact-claim.ts';
import { FACT_LIMITS, normalAttribute, normalSubject } from '../../../memory/facts/fact-key.ts';
import { DEFAULT_IMPORTANCE, DEFAULT_PRIORITY, type MemoryDraft, type Micros } from '../../../memory/memory.ts';
import type { FactOutcome } from '../../../memory/meters.ts';
import { SERVER_ITSELF } from '../../../memory/principal.ts';
import { scopeKey } from '../../../memory/scope.ts';
import { leastTrust, type TrustLevel, trustOfRole } from '../../../memory/trust.ts';
import type { Assertion, FactSink } from '../../extraction/extractor.ts';
import { storeMemories } from '../memories/store-memories.ts';
import { asServer } from '../visibility/visibility.ts';
import { assertFacts, type Statement } from './assert-facts.ts';
import { getAll } from './change-keys.ts';
import type { FactDeps } from './fact-deps.ts';
import { withdrawFacts } from './withdraw-facts.ts';

/**
 * Stores the results of extractors: claims as facts, notes as memories. The call that has set an extraction off limits
 * nothing of it.
 */
export function factSink(deps: FactDeps): FactSink {
  return {
    assertClaims: (assertion, signal) => asServer(() => assertClaims(deps, assertion, signal)),
    withdraw: (namespace, messageIds, signal) =>
      asServer(() => withdrawFacts(deps, namespace, messageIds, callOf(signal))),
  };
}

async function assertClaims(
  deps: FactDeps,
  assertion: Assertion,
  signal: AbortSignal,
): ReturnType<FactSink['assertClaims']> {
  const { namespace, claims, notes } = assertion;
  const call = callOf(signal);
  const counts = new Map<FactOutcome, number>();
  const count = (outcome: FactOutcome, by: number) => counts.set(outcome, (counts.get(outcome) ?? 0) + by);
  const messages = claims.length > 0 ? await sourceMessages(deps, assertion) : new Map<number, SourceMessage>();
  const statements = claims.flatMap((claim) => statementOf(assertion, claim, messages) ?? []);
  for (let from = 0; from < statements.length; from += FACT_LIMITS.claims) {
    signal.throwIfAborted();
    const part = statements.slice(from, from + FACT_LIMITS.claims);
    const { outcomes } = await assertFacts(deps, namespace, part, call);
    for (const { kind, endedIds } of outcomes) {
      count(kind, 1);
      count('superseded', kind === 'created' ? endedIds.length : 0);
    }
  }
  if (notes.length === 0) return counts;
  const memories = notes.map((note) => noteMemory(assertion, note));
  const stored = await storeMemories(deps, { namespace, memories, onConflict: 'keep' }, call);
  for (const { written } of stored.memories) count(written ? 'created' : 'merged', 1);
  return counts;
}

function callOf(signal: AbortSignal): Call {
  return { signal, deadlineAtMs: Number.POSITIVE_INFINITY, callId: 'extraction', principal: SERVER_ITSELF, caller: '' };
}

interface SourceMessage {
  /** By its role; a deleted message is not trusted. */
  readonly trust: TrustLevel;
  readonly words: string;
}

/** Messages that claims cite, by sequence. */
async function sourceMessages(
  deps: FactDeps,
  { namespace, conversation, claims }: Assertion,
): Promise<ReadonlyMap<number, SourceMessage>> {
  const sequences = [...new Set(claims.flatMap(({ sources }) => sources))];
  const ids = sequences.map((sequence) => messageId(conversation, sequence));
  const memories = await getAll(deps, namespace, ids, deps.clock.nowUs()).catch((error: unknown) => {
    if (isDamage(error)) return [];
    throw error;
  });
  return new Map(
    sequences.map((sequence, at) => {
      const memory = memories[at];
      return [sequence, { trust: trustOfRole((memory && messageOf(memory)?.role) ?? ''), words: memory?.text ?? '' }];
    }),
  );
}

function statementOf(
  { namespace, scope, conversation, eventTimesUs }: Assertion,
  claim: FactClaim,
  messages: ReadonlyMap<number, SourceMessage>,
): Statement | undefined {
  const { subject, attribute, value, text, confidence, validUntilUs, retracts = false } = claim;
  if (normalSubject(subject) === '' || normalAttribute(attribute) === '') return undefined;
  if (value.trim() === '' && !retracts) return undefined;
  const saidAtUs = lastOf(claim.sources.flatMap((sequence) => eventTimesUs.get(sequence) ?? []));
  const { validFromUs } = claim;
  const fromUs = validFromUs ?? saidAtUs;
  const isInOrder = validUntilUs === undefined || fromUs === undefined || fromUs < validUntilUs;
  const words = claim.sources.flatMap((sequence) => messages.get(sequence)?.words ?? []).join('\n');
  return {
    scope: { ...scope, session: '' },
    subject,
    attribute,
    value,
    text,
    ...(words === '' ? {} : { words }),
    confidence,
    saidAtUs,
    validFromUs,
    ...(validUntilUs !== undefined && isInOrder ? { validUntilUs } : {}),
    sources: claim.sources.map((sequence) => `namespaces/${namespace}/memories/${messageId(conversation, sequence)}`),
    trust: leastTrust(claim.sources.map((sequence) => messages.get(sequence)?.trust ?? 'untrusted')),
    isExplicit: false,
    replaces: false,
    retracts,
  };
}

function lastOf(times: readonly Micros[]): Micros | undefined {
  return times.length === 0 ? undefined : Math.max(...times);
}

/** A note of a scope has the same id each time that it is extracted. */
function noteMemory(
  { namespace, scope, conversation, extractor, eventTimesUs }: Assertion,
  note: ExtractedNote,
): MemoryDraft {
  const { type, text, confidence, tags, sources } = note;
  const [first = 0] = sources;
  const eventAtUs = eventTimesUs.get(first);
  const owner = { ...scope, session: '' };
  return {
    id: derivedId(`note\n${JSON.stringify([conversation, type, text, scopeKey(owner)])}`),
    scope: owner,
    type,
    eventAtUs,
    text,
    textDerived: false,
    tags,
    importance: DEFAULT_IMPORTANCE * (0.5 + confidence),
    priority: DEFAULT_PRIORITY,
    source: {
      speaker: '',
      uri: `namespaces/${namespace}/memories/${messageId(conversation, first)}`,
      origin: extractor,
    },
  };
}
