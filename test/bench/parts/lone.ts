import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MemoryServiceService, StoreMemoryRequest } from '../../../gen/ts/mneme/v1/memory_service.ts';
import type { Bench, Group } from '../bench.ts';
import { makeCorpus, memoryOf, PARENT } from '../data/corpus.ts';
import type { Measured } from '../load/load-client.ts';
import { allOf, atLeast, atMost } from '../report/row.ts';
import { compare } from '../rounds.ts';
import { Caller } from '../servers/caller.ts';
import type { ServerProcess } from '../servers/child.ts';
import { startEcho } from '../servers/echo.ts';
import { startMneme } from '../servers/mneme.ts';
import { writtenBytesOf } from '../servers/process-tree.ts';
import { bareInsert } from './bare-insert.ts';
import { inTurn } from './bare-search.ts';
import { longTexts, type Messages, storeLongText, storeSentenceAndJson } from './call-messages.ts';

const PART = 'lone';
const TEXTS = 500;
const ROUNDS = 9;
const ROUND_MS = 700;
const WARM_UP_MS = 1500;
const MANY = 32;
const RATIO_MAX = 1.5;
const TAIL_MAX = 4;
const WRITTEN_KB_MAX = 45;
const MANY_RATIO_MIN = 0.7;

/** Stores of one caller into an empty namespace, and of 32, compared with an echo and a bare commit of SQLite. */
export const loneGroup: Group = {
  parts: [PART],
  async run(bench) {
    const corpus = makeCorpus(TEXTS, 0);
    const kinds = [
      { what: 'Store of 1 KB: sentence and JSON', messages: storeSentenceAndJson(corpus) },
      { what: 'Store of 1 KB: all text', messages: storeLongText(corpus) },
    ];
    for (const [at, kind] of kinds.entries()) {
      const folder = join(bench.folder, `${PART}-${at}`);
      mkdirSync(folder);
      const mneme = await startMneme({ folder: join(folder, 'data') });
      const caller = new Caller(mneme.address);
      const memory = memoryOf(corpus, 0, false);
      const request = StoreMemoryRequest.fromPartial({ parent: PARENT, memory, memoryId: 'for-the-echo' });
      const echo = await startEcho(folder, { store: await caller.recorded(MemoryServiceService.storeMemory, request) });
      caller.close();
      await measure(bench, { mneme, echo }, kind, folder);
      await echo.stop();
      await mneme.stop();
      rmSync(folder, { recursive: true });
    }
  },
};

async function measure(
  bench: Bench,
  { mneme, echo }: { readonly mneme: ServerProcess; readonly echo: ServerProcess },
  { what, messages }: { readonly what: string; readonly messages: Messages },
  folder: string,
): Promise<void> {
  const stores = (server: ServerProcess, inFlight: number, durationMs = ROUND_MS): Promise<Measured> =>
    bench.client.run(server, { ...messages, client: 'raw', inFlight, durationMs });
  const bare = bareInsert(join(folder, 'bare.db'), longTexts(TEXTS), 1, false);
  for (const server of [echo, mneme]) await stores(server, 1, WARM_UP_MS);
  bare.run(ROUND_MS);
  const written = { mneme: 0, bare: 0 };
  const stored = { mneme: 0, bare: 0 };
  /** Adds what a round has sent to the disk. */
  const weighed = async (of: 'mneme' | 'bare', pid: number, run: () => Promise<Measured>): Promise<Measured> => {
    const before = writtenBytesOf(pid);
    const result = await run();
    written[of] += writtenBytesOf(pid) - before;
    stored[of] += (result.perSecond * ROUND_MS) / 1000;
    return result;
  };
  const lone = await compare(
    ROUNDS,
    (subject, limit) => subject.p50Us / limit.p50Us,
    async () => inTurn(await stores(echo, 1), await weighed('bare', process.pid, async () => bare.run(ROUND_MS))),
    () => weighed('mneme', mneme.pid, () => stores(mneme, 1)),
  );
  bare.close();
  bench.add({
    part: PART,
    what: `${what}, 1 in flight`,
    ...lone,
    limitName: 'echo + a commit of SQLite',
    wanted: allOf(
      atMost(lone.ratio, RATIO_MAX, 'p50 ratio'),
      atMost(lone.subject.p99Us / lone.subject.p50Us, TAIL_MAX, 'p99 / p50'),
    ),
  });
  const value = written.mneme / stored.mneme / 1000;
  const limit = written.bare / stored.bare / 1000;
  bench.add({
    part: PART,
    what: `written to disk a ${what}`,
    value,
    unit: 'kB',
    limit,
    limitName: 'a commit of SQLite',
    ratio: value / limit,
    wanted: atMost(value, WRITTEN_KB_MAX, 'kB'),
  });
  for (const server of [echo, mneme]) await stores(server, MANY);
  const many = await compare(
    ROUNDS,
    (subject, below) => subject.perSecond / below.perSecond,
    () => stores(echo, MANY),
    () => stores(mneme, MANY),
  );
  const wanted = atLeast(many.ratio, MANY_RATIO_MIN);
  bench.add({ part: PART, what: `${what}, ${MANY} in flight`, ...many, limitName: 'echo', wanted });
}
