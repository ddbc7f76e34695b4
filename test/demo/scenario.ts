import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type Mneme, type NewMemory } from '../../clients/typescript/src/index.ts';
import { RELEVANT_MIN } from '../../src/memory/recall-settings.ts';
import { startMneme } from '../cli/support/start-mneme.ts';
import { freePort } from '../support/free-port.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { type ProxyName, startProxy } from '../support/proxies.ts';
import type { Talk } from './conversation.ts';
import { type Subscriber, standingQuery } from './standing-queries.ts';

export interface Scenario {
  readonly name: string;
  readonly proxy?: ProxyName;
  /** The process that is killed and restarted when half of the turns are stored. */
  readonly restart?: 'server' | 'proxy';
}

export interface Outcome {
  readonly turnCount: number;
  readonly seconds: number;
  /** From passing a turn to the client until the watcher is notified of it. */
  readonly lagsMs: readonly number[];
  readonly changeCount: number;
  readonly brokenCount: number;
  readonly subscriberCount: number;
  readonly equalCount: number;
  /** Violations; empty when all is well. */
  readonly faults: readonly string[];
}

/** The maximum wait for automatic results. */
const PATIENCE_MS = 120_000;
const SETTLING_TRIES = 30;

/** Streams the turns in while standing queries are open, and compares all notifications with the stored state. */
export async function play({ proxy: proxyName, restart }: Scenario, { turns, queries }: Talk): Promise<Outcome> {
  const data = await mkdtemp(join(tmpdir(), 'mneme-demo-'));
  const listen = `127.0.0.1:${await freePort()}`;
  let server = await startMneme({ listen, data });
  const proxy = proxyName && (await startProxy(proxyName, [listen]));
  const mneme = connect(proxy?.address ?? listen, { ...PATIENT_CLIENT, namespace: 'demo' });
  const controller = new AbortController();
  const startAgain = async () => {
    if (restart === 'proxy') return proxy?.restart();
    await server.stop('SIGKILL');
    server = await startMneme({ listen, data });
  };
  try {
    await mneme.namespaces.create('demo');
    return await withPatience(stream(mneme, turns, queries, controller.signal, restart ? startAgain : undefined));
  } finally {
    controller.abort();
    void mneme.close();
    await proxy?.stop();
    await server.stop();
    await rm(data, { recursive: true, force: true });
  }
}

async function stream(
  mneme: Mneme,
  turns: readonly NewMemory[],
  queries: readonly string[],
  signal: AbortSignal,
  startAgain: (() => Promise<unknown>) | undefined,
): Promise<Outcome> {
  const subscribers = queries.map((query) => standingQuery(mneme, query, signal));
  await Promise.all(subscribers.map((each) => Promise.race([each.reached(0), each.run])));
  const sentAtMs = new Map<string, number>();
  const watcher = watchTexts(mneme, sentAtMs, signal);
  await watcher.ready;
  const startedAtMs = performance.now();
  let brokenCount = 0;
  let restarting: Promise<unknown> | undefined;
  let revision = 0;
  let storedCount = 0;
  const onBroken = () => {
    brokenCount += 1;
  };
  const spoken = oneByOne(turns, sentAtMs);
  for await (const progress of mneme.ingest(spoken.turns, { onBroken })) {
    spoken.heard(progress.acknowledgedSequence);
    revision = progress.revision;
    storedCount = progress.storedCount + progress.existingCount;
    if (progress.acknowledgedSequence > turns.length / 2) restarting ??= startAgain?.();
  }
  await restarting;
  const seconds = (performance.now() - startedAtMs) / 1000;
  await Promise.all([watcher.reached(revision), ...subscribers.map((each) => each.reached(revision))]);

  const faults: string[] = [];
  if (storedCount !== turns.length) faults.push(`${storedCount} of ${turns.length} turns were stored`);
  const { memoryCount } = await mneme.namespaces.getStatistics('demo');
  if (memoryCount !== turns.length) faults.push(`the server holds ${memoryCount} memories for ${turns.length} turns`);
  if (
    !isDeepEqual(
      watcher.uris,
      turns.map(({ source }) => source?.uri ?? ''),
    )
  ) {
    faults.push(`the watcher was notified of ${watcher.uris.length} turns, not of all of them once and in order`);
  }
  const equal = await Promise.all(subscribers.map((each) => equalsRecall(mneme, each)));
  const unequal = subscribers.filter((_, at) => !equal[at]);
  for (const { query } of unequal) faults.push(`the standing answer differs from Recall: ${query}`);
  for (const { query } of subscribers.filter(({ isOutOfOrder }) => isOutOfOrder)) {
    faults.push(`revisions went back for: ${query}`);
  }
  return {
    turnCount: turns.length,
    seconds,
    lagsMs: watcher.lagsMs,
    changeCount: subscribers.reduce((sum, { changeCount }) => sum + changeCount, 0),
    brokenCount: subscribers.reduce((sum, each) => sum + each.brokenCount, brokenCount + watcher.brokenCount()),
    subscriberCount: subscribers.length,
    equalCount: subscribers.length - unequal.length,
    faults,
  };
}

/** Each turn is spoken when the one before it is on disk. */
function oneByOne(turns: readonly NewMemory[], sentAtMs: Map<string, number>) {
  let heardCount = 0;
  let wake = () => {};
  async function* speak(): AsyncGenerator<NewMemory> {
    for (const [at, turn] of turns.entries()) {
      while (heardCount < at) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      sentAtMs.set(turn.source?.uri ?? '', performance.now());
      yield turn;
    }
  }
  const heard = (count: number) => {
    heardCount = count;
    wake();
  };
  return { turns: speak(), heard };
}

function watchTexts(mneme: Mneme, sentAtMs: ReadonlyMap<string, number>, signal: AbortSignal) {
  const uris: string[] = [];
  const lagsMs: number[] = [];
  let brokenCount = 0;
  let revision = -1;
  let wake = () => {};
  const ready = Promise.withResolvers<void>();
  const follow = async () => {
    const onBroken = () => {
      brokenCount += 1;
    };
    for await (const event of mneme.watch({ progress: true }, { signal, onBroken })) {
      if (event.kind === 'stored') {
        const uri = event.memory?.source.uri ?? '';
        uris.push(uri);
        lagsMs.push(performance.now() - (sentAtMs.get(uri) ?? Number.NaN));
      }
      revision = event.revision;
      ready.resolve();
      wake();
    }
  };
  follow().catch((error: unknown) => {
    if (!signal.aborted) ready.reject(error);
  });
  const reached = async (wanted: number) => {
    while (revision < wanted) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { uris, lagsMs, ready: ready.promise, reached, brokenCount: () => brokenCount };
}

/** A standing answer is computed again each second while vectors of texts are still being made. */
async function equalsRecall(mneme: Mneme, subscriber: Subscriber): Promise<boolean> {
  for (let tries = 0; tries < SETTLING_TRIES; tries++) {
    const { hits } = await mneme.recall({ text: subscriber.query, limit: 10, minRelevance: RELEVANT_MIN });
    const standing = subscriber.standing?.hits.map(({ memory }) => memory.id);
    const recalled = hits.map(({ memory }) => memory.id);
    if (isDeepEqual(standing, recalled)) return true;
    await pause(1000);
  }
  return false;
}

function isDeepEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

async function withPatience<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
