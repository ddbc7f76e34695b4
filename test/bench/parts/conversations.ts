import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  AppendMessagesRequest,
  ConversationServiceService as Conversations,
  FlushRequest,
  MessageRole,
} from '../../../gen/ts/mneme/v1/conversation_service.ts';
import { MemoryServiceService, StoreMemoryRequest } from '../../../gen/ts/mneme/v1/memory_service.ts';
import {
  CreateNamespaceRequest,
  NamespaceServiceService as Namespaces,
} from '../../../gen/ts/mneme/v1/namespace_service.ts';
import type { Bench, Group } from '../bench.ts';
import { type Corpus, makeCorpus, PARENT } from '../data/corpus.ts';
import { populate } from '../data/populate.ts';
import { sentencesRead } from '../data/texts-read.ts';
import type { Load } from '../load/closed-loop.ts';
import { atLeast, atMost } from '../report/row.ts';
import { Caller } from '../servers/caller.ts';
import { startMneme } from '../servers/mneme.ts';
import { recallMessages } from './recall-messages.ts';

const CONVERSATIONS = 200;
const TURNS_PER_CONVERSATION = 20;
const TURNS = CONVERSATIONS * TURNS_PER_CONVERSATION;
const MEMORIES = 10_000;
const IN_FLIGHT = 64;
const APPEND_MS = 5000;
const CALM_MS = 5000;
const FOREVER_MS = 600_000;
const APPEND_MIN = 0.9;
const DRAINED_MIN = 1000;
const P99_MAX = 2;
const BACKLOG = 'namespaces/backlog';
const NO_TRIGGER = { 'extraction.turns': '0', 'extraction.tokens': '0', 'extraction.idle': 'none' };
/** One turn in so many states a fact. */
const TURNS_PER_FACT = 5;

/** Messages of conversations beside memories of the same text, and the extraction of a backlog beside recalls. */
export const conversationGroup: Group = {
  parts: ['append', 'drain'],
  async run(bench) {
    const corpus = makeCorpus(MEMORIES, 200);
    if (bench.wants('append')) await measureAppend(bench, corpus);
    if (bench.wants('drain')) await measureDrain(bench, corpus);
  },
};

async function measureAppend(bench: Bench, corpus: Corpus): Promise<void> {
  const folder = join(bench.folder, 'append');
  mkdirSync(folder);
  const mneme = await startMneme({ folder: join(folder, 'data') });
  const load = { client: 'raw', inFlight: IN_FLIGHT, durationMs: APPEND_MS } as const;
  const [store, append] = [storeMessages(corpus), appendMessages(corpus)];
  const caller = new Caller(mneme.address);
  for (const messages of [store, append]) await bench.client.run(mneme, { ...load, ...messages });
  await drained(caller, PARENT);
  const limit = await bench.client.run(mneme, { ...load, ...store });
  const subject = await bench.client.run(mneme, { ...load, ...append });
  const ratio = subject.perSecond / limit.perSecond;
  bench.add({
    part: 'append',
    what: `AppendMessages of one message, ${IN_FLIGHT} in flight, facts extracted meanwhile`,
    subject,
    limit,
    limitName: 'StoreMemory of the same text',
    ratio,
    wanted: atLeast(ratio, APPEND_MIN),
  });
  const lagMs = await took(() => drained(caller, PARENT));
  bench.add({
    part: 'append',
    what: 'extraction of what was appended, after the last append',
    value: lagMs,
    unit: 'ms',
  });
  caller.close();
  await mneme.stop();
  rmSync(folder, { recursive: true });
}

function storeMessages({ texts }: Corpus): Pick<Load, 'path' | 'messages'> {
  const messages = texts.slice(0, CONVERSATIONS).map((text, at) => {
    const memory = { type: 'message', text, source: { speaker: 'user' }, scope: { session: `stored-${at}` } };
    return StoreMemoryRequest.encode(StoreMemoryRequest.fromPartial({ parent: PARENT, memory })).finish();
  });
  return { path: MemoryServiceService.storeMemory.path, messages };
}

function appendMessages({ texts }: Corpus): Pick<Load, 'path' | 'messages'> {
  const messages = texts.slice(0, CONVERSATIONS).map((text, at) => {
    const conversation = `${PARENT}/conversations/appended-${at}`;
    return AppendMessagesRequest.encode(
      AppendMessagesRequest.fromPartial({ conversation, messages: [turnOf(text)] }),
    ).finish();
  });
  return { path: Conversations.appendMessages.path, messages };
}

function turnOf(text: string) {
  return { role: MessageRole.MESSAGE_ROLE_USER, blocks: [{ block: { $case: 'text' as const, value: text } }] };
}

/** The backlog gathers while no trigger of its namespace is set; a server holds 4,096 messages that wait. */
async function measureDrain(bench: Bench, corpus: Corpus): Promise<void> {
  const folder = join(bench.folder, 'drain');
  mkdirSync(folder);
  const mneme = await startMneme({ folder: join(folder, 'data') });
  const caller = new Caller(mneme.address);
  await populate(caller, corpus, MEMORIES, false);
  bench.say(`waiting for the sentence vectors of ${MEMORIES} memories`);
  await sentencesRead(caller, corpus.questions[0] ?? '');
  const load = { ...recallMessages(corpus, 'text'), client: 'raw', inFlight: 1 } as const;
  await bench.client.run(mneme, { ...load, durationMs: CALM_MS });
  await appendTurns(caller, corpus, 'namespaces/before', CONVERSATIONS / 10);
  await drained(caller, 'namespaces/before');
  const waiting = { name: BACKLOG, settings: NO_TRIGGER };
  await caller.ask(Namespaces.createNamespace, CreateNamespaceRequest.fromPartial({ namespace: waiting }));
  bench.say(`appending ${TURNS} turns`);
  await appendTurns(caller, corpus, BACKLOG, CONVERSATIONS);
  const calm = await bench.client.run(mneme, { ...load, durationMs: CALM_MS });
  const startedMs = performance.now();
  const draining = drained(caller, BACKLOG);
  const busy = await bench.client.run(mneme, { ...load, durationMs: FOREVER_MS }, draining);
  await draining;
  const perSecond = (TURNS / (performance.now() - startedMs)) * 1000;
  caller.close();
  await mneme.stop();
  rmSync(folder, { recursive: true });
  bench.add({
    part: 'drain',
    what: `extraction by rules of a backlog of ${TURNS} turns, one in ${TURNS_PER_FACT} with a fact, recalls going on`,
    value: perSecond,
    unit: 'turns/s',
    wanted: atLeast(perSecond, DRAINED_MIN, 'turns/s'),
  });
  const ratio = busy.p99Us / calm.p99Us;
  bench.add({
    part: 'drain',
    what: `p99 of Recall over ${MEMORIES} memories beside it`,
    value: busy.p99Us / 1000,
    unit: 'ms',
    limit: calm.p99Us / 1000,
    limitName: 'p99 in calm',
    ratio,
    wanted: atMost(ratio, P99_MAX),
  });
}

async function appendTurns(caller: Caller, { texts }: Corpus, parent: string, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const messages = Array.from({ length: TURNS_PER_CONVERSATION }, (_, at) => {
      const turn = number * TURNS_PER_CONVERSATION + at;
      const text = texts[turn % texts.length] ?? '';
      return turnOf(turn % TURNS_PER_FACT === 0 ? `I work for ${companyOf(turn)}. ${text}` : text);
    });
    const conversation = `${parent}/conversations/c${number}`;
    const scope = { agent: `agent-${number}` };
    await caller.ask(
      Conversations.appendMessages,
      AppendMessagesRequest.fromPartial({ conversation, messages, scope }),
    );
  }
}

function companyOf(turn: number): string {
  return `Tidewater Labs ${turn}`;
}

async function took(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

async function drained(caller: Caller, parent: string): Promise<void> {
  for (let isComplete = false; !isComplete; ) {
    ({ complete: isComplete } = await caller.ask(Conversations.flush, FlushRequest.fromPartial({ parent })));
  }
}
