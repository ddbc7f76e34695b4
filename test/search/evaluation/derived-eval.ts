import type { Mneme, NewConversationMessage, RecallHit } from '../../../clients/typescript/src/index.ts';
import { restates, type Statement, statementOf } from '../../../src/memory/context/restatements.ts';
import type { Conversation, Question } from '../../../tools/eval/question-set.ts';
import { type Part, partsOf } from '../../../tools/eval/run-set.ts';
import type { Evaluation } from './support/evaluation.ts';
import { type Measure, shareOf } from './support/measure.ts';
import { untilRead } from './support/until-read.ts';

const FIRST_HITS = 10;
/** The first hits, relevant or not. */
const ALL = { limit: FIRST_HITS, minRelevance: 0 } as const;
const MESSAGES_PER_CALL = 100;
/** Points of recall@10 that derived memories and consolidation may cost. */
const LOSS_MAX = 0.5;
const RESTATED_MAX = 0.02;
const FLUSH_MS = 25_000;
const VERBATIM = 'type = "message"';

/** Sums over the questions of a set; recalls are shares from 0 to 1. */
interface Sums {
  questions: number;
  verbatim: number;
  withDerived: number;
  consolidated: number;
  hits: number;
  restated: number;
  derivedHits: number;
  besideTheirMessage: number;
  facts: number;
  duplicates: number;
  merges: number;
  episodes: number;
}

/**
 * Recall over messages and what `rules` and consolidation derive from them, compared with recall over the messages
 * alone. Only messages count as evidence.
 */
export const derivedEvaluation: Evaluation = {
  name: 'derived',
  hasGate: false,
  async run(mneme, { conversations, name }, { runId, signal }) {
    const sums: Sums = {
      ...{ questions: 0, verbatim: 0, withDerived: 0, consolidated: 0, hits: 0, restated: 0, derivedHits: 0 },
      ...{ besideTheirMessage: 0, facts: 0, duplicates: 0, merges: 0, episodes: 0 },
    };
    for (const [at, part] of partsOf(conversations, { pooled: false, runId }).entries()) {
      const conversation = conversations[at];
      if (conversation) await addPart(mneme, conversation, part, { sums, signal });
    }
    return {
      lines: [`${name}: derived memories, ${sums.questions} questions`],
      measures: measuresOf(sums),
      failures: [],
    };
  },
};

interface Adding {
  readonly sums: Sums;
  readonly signal: AbortSignal;
}

async function addPart(mneme: Mneme, conversation: Conversation, part: Part, { sums, signal }: Adding): Promise<void> {
  const target = mneme.withNamespace(part.namespace);
  await mneme.namespaces.create(part.namespace, { settings: { 'extraction.extractor': 'rules' } });
  const originals = await appendAll(target, conversation, part, signal);
  for (;;) {
    const { complete, conversations } = await target.conversations.flush({}, { timeoutMs: FLUSH_MS, signal });
    if (conversations.some(({ state }) => state === 'failed')) throw new Error(`extraction failed: ${part.namespace}`);
    if (complete) break;
  }
  const sourcesOf = await addFacts(target, sums);
  for (const question of part.questions) {
    const { text } = question;
    const alone = await untilRead(() => target.recall({ ...ALL, text, filter: VERBATIM }, { signal }));
    const { hits } = await untilRead(() => target.recall({ ...ALL, text }, { signal }));
    sums.questions++;
    sums.verbatim += shareFound(question, alone.hits, originals);
    sums.withDerived += shareFound(question, hits, originals);
    addRestatements(hits, sourcesOf, sums);
  }
  await consolidate(target, sums, signal);
  for (const question of part.questions) {
    const { hits } = await untilRead(() => target.recall({ ...ALL, text: question.text }, { signal }));
    sums.consolidated += shareFound(question, hits, originals);
  }
  await mneme.namespaces.delete(part.namespace, { force: true });
}

/** Names of messages with their ids in the set. Each session is a conversation. */
async function appendAll(
  target: Mneme,
  { memories }: Conversation,
  part: Part,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const originals = new Map<string, string>();
  const sessions = new Map<string, { readonly id: string; readonly message: NewConversationMessage }[]>();
  for (const [at, { id, session, speaker, text }] of memories.entries()) {
    const role = speaker === 'assistant' ? 'assistant' : 'user';
    const isName = speaker !== '' && speaker !== 'assistant' && speaker !== 'user';
    const { eventTime } = part.memories[at] ?? {};
    const message = { role, text, ...(isName && { name: speaker }), ...(eventTime && { eventTime }) } as const;
    sessions.set(session, [...(sessions.get(session) ?? []), { id, message }]);
  }
  for (const [place, messages] of [...sessions.values()].entries()) {
    for (let from = 0; from < messages.length; from += MESSAGES_PER_CALL) {
      const some = messages.slice(from, from + MESSAGES_PER_CALL);
      const { messages: stored } = await target.conversations.append(
        `session-${place}`,
        some.map(({ message }) => message),
        {},
        { signal },
      );
      for (const [at, { memoryId }] of stored.entries()) originals.set(memoryId, some[at]?.id ?? '');
    }
  }
  return originals;
}

/** Counts current facts and those that state another one again. Results in the ids of each fact's messages. */
async function addFacts(target: Mneme, sums: Sums): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const sourcesOf = new Map<string, ReadonlySet<string>>();
  const seen: Statement[] = [];
  for await (const { id, text, sources } of target.facts.list({})) {
    sourcesOf.set(id, new Set(sources.map((name) => name.slice(name.lastIndexOf('/') + 1))));
    const statement = statementOf(text);
    sums.facts++;
    sums.duplicates += Number(seen.some((one) => restates(one, statement)));
    seen.push(statement);
  }
  return sourcesOf;
}

function shareFound(
  { evidence }: Question,
  hits: readonly RecallHit[],
  originals: ReadonlyMap<string, string>,
): number {
  const wanted = new Set(evidence);
  const found = new Set(hits.map(({ memory }) => originals.get(memory.id) ?? '').filter((id) => wanted.has(id)));
  return found.size / wanted.size;
}

function addRestatements(
  hits: readonly RecallHit[],
  sourcesOf: ReadonlyMap<string, ReadonlySet<string>>,
  sums: Sums,
): void {
  const ids = new Set(hits.map(({ memory }) => memory.id));
  const before: Statement[] = [];
  for (const { memory } of hits) {
    const statement = statementOf(memory.text ?? '');
    sums.hits++;
    sums.restated += Number(before.some((one) => restates(one, statement)));
    before.push(statement);
    const sources = sourcesOf.get(memory.id);
    if (!sources) continue;
    sums.derivedHits++;
    sums.besideTheirMessage += Number([...sources].some((id) => ids.has(id)));
  }
}

async function consolidate(target: Mneme, sums: Sums, signal: AbortSignal): Promise<void> {
  for (let hasMore = true; hasMore; ) {
    const done = await target.consolidation.run({ maxSteps: 1000, idleMs: 1 }, { timeoutMs: FLUSH_MS, signal });
    sums.merges += done.memories.filter(({ kind }) => kind === 'merge').length;
    sums.episodes += done.memories.filter(({ kind }) => kind === 'episode').length;
    hasMore = done.hasMore;
  }
}

function measuresOf(sums: Sums): Measure[] {
  const of = (sum: number) => (100 * sum) / Math.max(1, sums.questions);
  const [alone, derived, consolidated] = [of(sums.verbatim), of(sums.withDerived), of(sums.consolidated)];
  const added = (from: number, to: number) => `${to >= from ? '+' : ''}${(to - from).toFixed(2)}`;
  return [
    { name: 'recall@10, messages alone', value: `${alone.toFixed(2)} %`, goal: 'stated' },
    {
      name: 'recall@10, messages and facts',
      value: `${derived.toFixed(2)} % (${added(alone, derived)})`,
      goal: `≥ ${(alone - LOSS_MAX).toFixed(2)} %`,
      isMet: derived >= alone - LOSS_MAX,
    },
    {
      name: `recall@10 after consolidation (${sums.merges} merges, ${sums.episodes} episodes)`,
      value: `${consolidated.toFixed(2)} % (${added(derived, consolidated)})`,
      goal: `≥ ${(derived - LOSS_MAX).toFixed(2)} %`,
      isMet: consolidated >= derived - LOSS_MAX,
    },
    {
      name: 'facts that state another one again',
      value: shareOf(sums.duplicates, sums.facts),
      goal: '0',
      isMet: sums.duplicates === 0,
    },
    {
      name: 'restatements among the first ten hits',
      value: shareOf(sums.restated, sums.hits),
      goal: '≤ 2 %',
      isMet: sums.restated <= RESTATED_MAX * sums.hits,
    },
    { name: 'facts among the first ten hits', value: shareOf(sums.derivedHits, sums.hits), goal: 'stated' },
    {
      name: 'of these beside their message',
      value: shareOf(sums.besideTheirMessage, sums.derivedHits),
      goal: 'stated',
    },
  ];
}
