import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import type { Corpus } from '../data/corpus.ts';
import type { Measured } from '../load/load-client.ts';
import { atLeast } from '../report/row.ts';
import { compare } from '../rounds.ts';
import type { ServerProcess } from '../servers/child.ts';
import { bareInsert } from './bare-insert.ts';
import { batchMessages, longTexts, type Messages } from './call-messages.ts';

const BATCH = 100;
const IN_FLIGHT = 4;
const ROUNDS = 5;
const ROUND_MS = 1000;
const PER_SECOND_WANTED = 20_000;

/** BatchStore of 100, counted in memories, compared with SQLite alone with the same texts. */
export async function measureBatches(
  bench: Bench,
  mneme: ServerProcess,
  corpus: Corpus,
  folder: string,
): Promise<void> {
  const long = longTexts(400);
  const kinds = [
    { what: 'sentences', messages: batchMessages(corpus, false), texts: corpus.texts, isGated: true },
    {
      what: 'texts of 1 KB',
      messages: batchMessages(corpus, false, repeated(long, 4000)),
      texts: long,
      isGated: false,
    },
    { what: 'sentences with vectors', messages: batchMessages(corpus, true), texts: corpus.texts, isGated: false },
  ];
  for (const { what, messages, texts, isGated } of kinds) {
    await batchRound(bench, mneme, messages);
    const bare = bareInsert(join(folder, `${what}.db`), texts, BATCH, true);
    const { limit, subject, ratio } = await compare(
      ROUNDS,
      (above, below) => above.perSecond / below.perSecond,
      async () => bare.run(ROUND_MS / 2),
      () => batchRound(bench, mneme, messages),
    );
    bare.close();
    const perSecond = subject.perSecond * BATCH;
    bench.add({
      part: 'batch',
      what: `BatchStore of ${BATCH} ${what}, ${IN_FLIGHT} in flight, by memory`,
      subject: byMemory(subject),
      limit: byMemory(limit),
      limitName: 'SQLite + FTS5, one thread',
      ratio,
      ...(isGated ? { wanted: atLeast(perSecond, PER_SECOND_WANTED, 'memories/s') } : {}),
    });
  }
}

function batchRound({ client }: Bench, mneme: ServerProcess, messages: Messages): Promise<Measured> {
  return client.run(mneme, { ...messages, client: 'raw', inFlight: IN_FLIGHT, durationMs: ROUND_MS });
}

/** Rates and CPU by memory; latencies stay those of a batch. */
function byMemory({ perSecond, p50Us, p99Us, serverUs, threadsUs = new Map() }: Measured): Measured {
  const byThread = new Map(Array.from(threadsUs, ([name, us]) => [name, us / BATCH]));
  return { perSecond: perSecond * BATCH, p50Us, p99Us, serverUs: serverUs / BATCH, threadsUs: byThread };
}

function repeated<T>(items: readonly T[], count: number): T[] {
  return Array.from({ length: count }, (_, i) => items[i % items.length] as T);
}
