import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, parse } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { connect, type Mneme, type NewMemory, PreciseDate, type RecallHit } from '../clients/typescript/src/index.ts';
import { englishCases, languageCases, type SmallCase } from '../test/search/evaluation/support/case-files.ts';
import { startOwnServer } from './eval/own-server.ts';
import { type Conversation, type Question, readQuestionSet, type SetMemory } from './eval/question-set.ts';

/**
 * What the server looks at in answers, for tools/train_relevance.py:
 *
 *   node tools/relevance-rows.ts OUT.jsonl SET.json [FOREIGN.json [NEARLY.json]]   a set of conversations, as `tools/eval.sh` reads it
 *   node tools/relevance-rows.ts OUT.jsonl cases                     the small memories of test/search/evaluation
 *
 * Each question is asked of its own conversation, of the next one (or those of FOREIGN of a set of one conversation), and of a few
 * memories with and without those that answer it. NEARLY has questions that their own conversation nearly answers, by conversation:
 * { "conversation_id": [{ "id": "", "text": "" }] }.
 */
const [out = '', set = '', foreign = '-', nearly] = process.argv.slice(2);
const OWN_HITS = 1000;
const OTHER_HITS = 60;
const FOREIGN_QUESTIONS = 300;
const BATCH = 200;
/** Time for vectors that are made in the background, a memory. */
const WAIT_MS = 15;
/** Longer memories are left out of small ones. */
const SMALL_CHARACTERS_MAX = 1500;

interface Asked {
  readonly set: string;
  readonly kind: string;
  readonly conversation: string;
  readonly id: string;
  readonly size: number;
  /** Of the cases. */
  readonly half?: string;
  /** Memories that answer, found or not. */
  readonly evidence?: number;
  readonly isAnswer: (hit: RecallHit) => boolean;
}

const file = createWriteStream(out);
let names: readonly string[] = [];

async function ask(target: Mneme, query: { text: string; limit: number; referenceTime?: Date }, asked: Asked) {
  let answer = await target.recall({ ...query, explain: true, minRelevance: 0 });
  while (answer.degraded.some(({ part }) => part === 'ranker'))
    answer = await target.recall({ ...query, explain: true, minRelevance: 0 });
  const rows = answer.hits
    .filter(({ features }) => features.length > 0)
    .map((hit) => {
      const features = hit.features.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      names = features.map(({ name }) => name);
      return [Number(asked.isAnswer(hit)), ...features.map(({ value }) => Math.round(value * 1e4) / 1e4)];
    });
  const { isAnswer: _, ...about } = asked;
  file.write(`${JSON.stringify({ ...about, rows })}\n`);
}

function newMemory({ id, text, session, speaker, date_iso }: SetMemory, place: number): NewMemory {
  const start = Date.parse(/[Zz]|[+-]\d\d:\d\d$/.test(date_iso) ? date_iso : `${date_iso}Z`);
  const eventTime = PreciseDate.from(new Date(start + place * 1000).toISOString());
  return { text, scope: { session }, source: { speaker, uri: id }, eventTime };
}

async function storeAll(target: Mneme, memories: readonly SetMemory[]): Promise<void> {
  const all = memories.map(newMemory);
  for (let from = 0; from < all.length; from += BATCH) await target.batchStore(all.slice(from, from + BATCH));
}

/** The same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

async function askSet(mneme: Mneme, path: string): Promise<void> {
  const { conversations } = await readQuestionSet(path);
  const name = parse(basename(path)).name.replace(/-dev$/, '');
  const strangers =
    foreign === '-' ? [] : (await readQuestionSet(foreign)).conversations.flatMap((one) => one.questions);
  const unanswered = nearly === undefined ? {} : await readNearly(nearly);
  for (const [at, { memories }] of conversations.entries()) {
    await storeAll(mneme.withNamespace(`c${at}`), memories);
    await mneme.withNamespace(`c${at}`).recall({ text: 'hello there', limit: 1 });
  }
  await setTimeout(WAIT_MS * conversations.reduce((sum, { memories }) => sum + memories.length, 0));
  for (const [at, one] of conversations.entries()) {
    const others = conversations.length > 1 ? conversations[(at + 1) % conversations.length]?.questions : strangers;
    for (const { id, text } of unanswered[one.conversation_id] ?? []) {
      const about = { set: name, kind: 'nearly', conversation: one.conversation_id, id, size: one.memories.length };
      await ask(mneme.withNamespace(`c${at}`), { text, limit: OTHER_HITS }, { ...about, isAnswer: () => false });
    }
    await askConversation(mneme.withNamespace(`c${at}`), name, one, others?.slice(0, FOREIGN_QUESTIONS) ?? []);
  }
  await askFew(mneme, name, conversations);
}

async function readNearly(path: string): Promise<Record<string, readonly { id: string; text: string }[]>> {
  return JSON.parse(await readFile(path, 'utf8')) as Record<string, readonly { id: string; text: string }[]>;
}

async function askConversation(target: Mneme, set: string, one: Conversation, others: readonly Question[]) {
  const { conversation_id: conversation, memories, questions } = one;
  const about = { set, conversation, size: memories.length };
  for (const { id, text, evidence } of questions) {
    const isAnswer = ({ memory }: RecallHit) => evidence.includes(memory.source.uri ?? '');
    await ask(target, { text, limit: OWN_HITS }, { ...about, kind: 'own', id, evidence: evidence.length, isAnswer });
  }
  for (const { id, text } of others) {
    await ask(target, { text, limit: OTHER_HITS }, { ...about, kind: 'other', id, isAnswer: () => false });
  }
}

/** Half of the questions, of up to 30 other memories of the conversation and, for most, those that answer. */
async function askFew(mneme: Mneme, set: string, conversations: readonly Conversation[]): Promise<void> {
  const random = randomFrom(7);
  let count = 0;
  for (const { conversation_id: conversation, memories, questions } of conversations) {
    for (const { id, text, evidence } of questions) {
      if (random() > 0.5) continue;
      const short = memories.filter((memory) => memory.text.length < SMALL_CHARACTERS_MAX);
      const answers = short.filter((memory) => evidence.includes(memory.id));
      const rest = short.filter((memory) => !evidence.includes(memory.id));
      const wanted = 1 + Math.floor(random() * random() * 30);
      const some = new Set(Array.from({ length: wanted }, () => rest[Math.floor(random() * rest.length)]));
      const has = random() < 0.6 && answers.length > 0;
      const few = short.filter((memory) => some.has(memory) || (has && answers.includes(memory)));
      const target = mneme.withNamespace(`s${count++}`);
      await storeAll(target, few);
      const kind = has ? 'small' : 'small-none';
      const isAnswer = ({ memory }: RecallHit) => evidence.includes(memory.source.uri ?? '');
      await ask(target, { text, limit: 50 }, { set, kind, conversation, id, size: few.length, isAnswer });
    }
  }
}

async function askCases(mneme: Mneme): Promise<void> {
  const english = englishCases();
  const all = [
    ...english.map((one) => ({ one, set: 'cases' })),
    ...languageCases().map((one) => ({ one, set: 'languages' })),
  ];
  for (const [at, { one, set }] of all.entries()) {
    const target = mneme.withNamespace(`k${at}`);
    const receipts = await target.batchStore(one.memories.map(caseMemory));
    const about = { set, conversation: String(at), id: String(at), half: one.half, size: one.memories.length };
    const expected = one.expected === undefined ? undefined : receipts[one.expected]?.name;
    const isAnswer = ({ memory }: RecallHit) => memory.name === expected;
    const kind = expected === undefined ? 'case-none' : 'case';
    const query = { limit: 50, referenceTime: one.now };
    await ask(target, { ...query, text: one.question }, { ...about, kind, isAnswer });
    const other = english[(at * 37) % english.length];
    if (!other || other.category === one.category) continue;
    await ask(target, { ...query, text: other.question }, { ...about, kind: 'case-none', isAnswer: () => false });
  }
}

function caseMemory({ text, speaker, content, eventTime }: SmallCase['memories'][number]): NewMemory {
  return {
    eventTime: PreciseDate.from(eventTime.toISOString()),
    ...(text !== undefined && { text }),
    ...(content && { type: 'state', content: content as NonNullable<NewMemory['content']> }),
    ...(speaker !== undefined && { source: { speaker } }),
  };
}

const server = await startOwnServer();
const mneme = connect(server.address, { timeoutMs: 120_000, recallTimeoutMs: 120_000 });
try {
  if (set === 'cases') await askCases(mneme);
  else await askSet(mneme, set);
  file.end(`${JSON.stringify({ names })}\n`);
} finally {
  await mneme.close();
  await server.stop();
}
