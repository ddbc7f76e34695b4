import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  LifecycleServiceService as Lives,
  PauseSessionRequest,
  ResumeSessionRequest,
  SpawnSessionRequest,
  TerminateSessionRequest,
} from '../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { MemoryServiceService, StoreMemoryRequest } from '../../../gen/ts/mneme/v1/memory_service.ts';
import type { Group } from '../bench.ts';
import { median } from '../quantile.ts';
import { Caller } from '../servers/caller.ts';
import { startMneme } from '../servers/mneme.ts';

const ROUNDS = 7;
const LIVES = 96;
const AT_ONCE = 16;
const VALUES = 20;
const VALUE_BYTES = 100;
const TRANSITIONS = 4;
const PARENT = 'namespaces/lives';

/** Whole life cycles of sessions, compared with as many durable writes as they have transitions. */
export const lifeGroup: Group = {
  parts: ['lives'],
  async run(bench) {
    const folder = join(bench.folder, 'lives');
    mkdirSync(folder);
    const mneme = await startMneme({ folder: join(folder, 'data') });
    const caller = new Caller(mneme.address);
    const lives: number[] = [];
    const stores: number[] = [];
    let number = 0;
    // The first round compiles the code and does not count.
    for (let round = 0; round <= ROUNDS; round++) {
      const storeUs = await perItemUs(LIVES * TRANSITIONS, () => store(caller, number++));
      const lifeUs = await perItemUs(LIVES, () => live(caller, number++));
      if (round === 0) continue;
      lives.push(lifeUs / TRANSITIONS);
      stores.push(storeUs);
    }
    const ratio = median(lives.map((us, at) => us / (stores[at] ?? 1)));
    bench.add({
      part: 'lives',
      what: `one of Spawn, Pause, Resume, Terminate, ${VALUES} values, ${AT_ONCE} at once`,
      value: median(lives),
      unit: 'µs',
      limit: median(stores),
      limitName: 'Store',
      ratio,
    });
    caller.close();
    await mneme.stop();
  },
};

/** Time of one item while so many are under way at once. */
async function perItemUs(count: number, run: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  let begun = 0;
  const lane = async (): Promise<void> => {
    while (begun++ < count) await run();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return ((performance.now() - startedMs) * 1000) / count;
}

async function store(caller: Caller, number: number): Promise<void> {
  const memory = { text: `something that happened, number ${number}` };
  await caller.ask(MemoryServiceService.storeMemory, StoreMemoryRequest.fromPartial({ parent: PARENT, memory }));
}

async function live(caller: Caller, number: number): Promise<void> {
  const value = {
    mediaType: 'text/plain',
    body: { $case: 'data' as const, value: Buffer.from('x'.repeat(VALUE_BYTES)) },
  };
  const initialValues = Array.from({ length: VALUES }, (_, at) => ({ key: `key-${at}`, value }));
  const request = { parent: PARENT, sessionId: `life-${number}`, initialValues };
  await caller.ask(Lives.spawnSession, SpawnSessionRequest.fromPartial(request));
  const name = `${PARENT}/sessions/life-${number}`;
  await caller.ask(Lives.pauseSession, PauseSessionRequest.fromPartial({ session: name }));
  await caller.ask(Lives.resumeSession, ResumeSessionRequest.fromPartial({ session: name }));
  await caller.ask(
    Lives.terminateSession,
    TerminateSessionRequest.fromPartial({ session: name, lessons: ['it went well'] }),
  );
}
