import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Call } from '../../../memory/call.ts';
import {
  type ChatMessage,
  type ContextFormat,
  type ContextKind,
  type CountTokens,
  folded,
  queryOf,
} from '../../../memory/context/context.ts';
import { asText, WRITERS } from '../../../memory/context/formats.ts';
import { type KindLimit, type Selected, selectEntries } from '../../../memory/context/select.ts';
import { endsWithin, isBlank } from '../../../memory/derive-text.ts';
import { withoutContexts } from '../../../memory/echo.ts';
import { type ErrorReason, isNamespaceMissing, MnemeError } from '../../../memory/errors.ts';
import type { Micros, Scope } from '../../../memory/memory.ts';
import type { Degradation } from '../../../search/recall/recall-engine.ts';
import type { SessionStore } from '../../../storage/session-store.ts';
import type { AnswerRecallDeps } from '../recall/answer-recall.ts';
import { cutQuestion, QUESTION_BYTES } from '../recall/recall-request.ts';
import { asCaller, currentCaller } from '../visibility/visibility.ts';
import { type FoundMemories, memoryCandidates } from './memory-candidates.ts';
import { workingCandidates } from './working-candidates.ts';

export interface ContextDeps extends AnswerRecallDeps {
  /** Sessions that the caller may see. */
  readonly workingMemory: Pick<SessionStore, 'session' | 'notes' | 'list'>;
  /** A namespace that is not there is made by its first memory: until then its context is empty. */
  readonly autoCreateNamespaces: boolean;
  /** Fails when the tokenizer cannot be read; `wordpiece` is always there. */
  loadTokenizer(name: string): Promise<CountTokens>;
  /** Called with errors without a reason: the context is built without the part. */
  onFault(error: unknown, part: string): void;
}

export interface ContextRequest {
  readonly namespace: string;
  readonly scope?: Scope;
  /** Empty: derived from the messages. */
  readonly query: string;
  readonly messages: readonly ChatMessage[];
  /** Empty: no working memory. */
  readonly session: string;
  /** In tokens. */
  readonly budget: number;
  readonly limits: Readonly<Record<ContextKind, KindLimit>>;
  readonly format: ContextFormat;
  readonly tokenizer: string;
  readonly kinds: readonly ContextKind[];
  readonly referenceUs?: Micros;
  /** IANA name of the zone of times in the text; absent: that of the namespace. */
  readonly timeZone?: string;
  /** Absent: that of the namespace. */
  readonly minRelevance?: number;
  readonly isFolded: boolean;
  readonly minRevision: number;
}

export interface BuiltContext extends Selected {
  readonly text: string;
  readonly messages: readonly ChatMessage[];
  readonly tokenizer: string;
  readonly degraded: readonly Degradation[];
  readonly query: string;
  readonly revision: number;
}

/** Tokenizer that needs no loading. */
const FALLBACK_TOKENIZER = 'wordpiece';
/** Share of the time to the deadline that the reads have; the rest is for selecting and sending. */
const READ_SHARE = 0.8;
const NO_MEMORIES: FoundMemories = { candidates: [], minRelevance: 0, revision: 0, degraded: [] };

/**
 * Reads working memory and memories at the same time, and makes one context of them. A part that fails or is late is named
 * in `degraded`, and the context is built without it; faults of the request fail the call.
 */
export async function buildContext(deps: ContextDeps, request: ContextRequest, call: Call): Promise<BuiltContext> {
  const { namespace, scope, session, kinds, messages, format } = request;
  // Text that earlier calls have folded in is not part of the conversation.
  const said = messages.map((message) => ({ ...message, text: withoutContexts(message.text) }));
  const asked = request.query === '' ? queryOf(said) : request.query;
  const query = isBlank(asked) ? '' : endsWithin(asked, QUESTION_BYTES);
  const degraded: Degradation[] = [];
  // A query of the caller; that of a conversation is a selection already.
  if (request.query !== '' && query !== '' && query !== asked) degraded.push(cutQuestion(Buffer.byteLength(asked)));
  const parts = new Parts(deps, call, degraded);
  const hasMemories = query !== '' && kinds.some((kind) => kind !== 'working');
  const hasWorking = session !== '' && kinds.includes('working');
  const [working, found, tokenizer] = await Promise.all([
    hasWorking
      ? parts.read('working_memory', [], () =>
          fromScope(scope, () => workingCandidates(deps.workingMemory, { namespace, session }, deps.clock.nowUs())),
        )
      : [],
    hasMemories
      ? parts.read('recall', NO_MEMORIES, (within) => memoryCandidates(deps, { ...request, text: query }, within))
      : NO_MEMORIES,
    tokenizerOf(deps, request.tokenizer, parts),
  ]);
  const steps = selectEntries([...working, ...found.candidates], {
    budget: request.budget,
    limits: request.limits,
    minRelevance: found.minRelevance,
    query,
    // A question of a former turn is no answer to itself.
    conversation: [...said.map(({ text }) => text), ...(query === '' ? [] : [query])],
    writer: WRITERS[format],
    count: tokenizer.count,
  });
  const selected = await inSlices(steps);
  return {
    ...selected,
    text: asText(format, selected.context),
    messages: request.isFolded ? folded(messages, selected.context) : alone(selected.context),
    tokenizer: tokenizer.name,
    degraded: [...degraded, ...found.degraded],
    query,
    revision: found.revision,
  };
}

/** A caller without an authenticated scope calls from the scope that it names, as in Recall. */
function fromScope<T>(scope: Scope | undefined, read: () => T): T {
  return scope && currentCaller() === undefined ? asCaller(scope, read) : read();
}

/** Longest stretch of work between two looks at the event loop. */
const SLICE_MS = 5;

/** Goes through the steps, and lets other calls be served in between. */
async function inSlices<T>(steps: Generator<void, T, void>): Promise<T> {
  let sliceEndMs = performance.now() + SLICE_MS;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() < sliceEndMs) continue;
    await nextTurn();
    sliceEndMs = performance.now() + SLICE_MS;
  }
}

function alone(context: string): ChatMessage[] {
  return context === '' ? [] : [{ role: 'user', text: context }];
}

async function tokenizerOf(deps: ContextDeps, name: string, parts: Parts) {
  const count = await parts.read('tokenizer', undefined, () => deps.loadTokenizer(name));
  if (count) return { name, count };
  return { name: FALLBACK_TOKENIZER, count: await deps.loadTokenizer(FALLBACK_TOKENIZER) };
}

/** Faults of the request or of the caller's rights: no part of an answer would help. */
const FAULTS_OF_CALLER: ReadonlySet<ErrorReason> = new Set([
  'FIELD_INVALID',
  'FILTER_INVALID',
  'NAMESPACE_NOT_FOUND',
  'SCOPE_PRIVATE',
  'CANCELLED',
]);

/** Reads of parts, each within its share of the time to the deadline. */
class Parts {
  private readonly deps: ContextDeps;
  private readonly call: Call;
  private readonly degraded: Degradation[];

  constructor(deps: ContextDeps, call: Call, degraded: Degradation[]) {
    this.deps = deps;
    this.call = call;
    this.degraded = degraded;
  }

  /** The result of the read, or `otherwise` when it failed or was late. */
  async read<T>(part: string, otherwise: T, read: (call: Call) => Promise<T>): Promise<T> {
    const { signal, callId, principal, caller, deadlineAtMs } = this.call;
    const timeoutMs = Math.max(0, deadlineAtMs - Date.now()) * READ_SHARE;
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const end = () =>
        reject(new MnemeError('DEADLINE_EXCEEDED', `did not answer within ${Math.round(timeoutMs)} ms`));
      if (Number.isFinite(timeoutMs)) timer = setTimeout(end, timeoutMs);
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    late.catch(() => {});
    try {
      const within = { signal: either, callId, principal, caller, deadlineAtMs: Date.now() + timeoutMs };
      return await Promise.race([read(within), late]);
    } catch (error) {
      return this.without(part, otherwise, error);
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  }

  private without<T>(part: string, otherwise: T, error: unknown): T {
    if (!(error instanceof MnemeError)) {
      this.deps.onFault(error, part);
      this.degraded.push({ part, reason: 'failed with an internal error' });
      return otherwise;
    }
    if (isNamespaceMissing(error) && this.deps.autoCreateNamespaces) return otherwise;
    if (FAULTS_OF_CALLER.has(error.reason)) throw error;
    this.degraded.push({ part, reason: error.message });
    return otherwise;
  }
}
