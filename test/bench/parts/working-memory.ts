import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  AppendScratchpadRequest,
  WorkingMemoryServiceService as Service,
} from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import type { Bench, Group } from '../bench.ts';
import { median } from '../quantile.ts';
import { atMost } from '../report/row.ts';
import { Caller } from '../servers/caller.ts';
import { startEcho } from '../servers/echo.ts';
import { startMneme } from '../servers/mneme.ts';
import { longTexts } from './call-messages.ts';
import { comparedCalls, warmUp } from './calls.ts';
import { measureCheckpoints } from './checkpoints.ts';
import { KEYS, SESSION, setKeys, workingGets, workingSets } from './working-messages.ts';

const NOTES = 100_000;
const NOTES_PER_FILL = 1000;
const NOTES_TIMED = 1000;

/** Working memory of sessions, in the data folder. */
export const workingMemoryGroup: Group = {
  parts: ['wm-get', 'wm-set', 'checkpoint', 'scratchpad'],
  async run(bench) {
    const folder = join(bench.folder, 'working-memory');
    mkdirSync(folder);
    const mneme = await startMneme({ folder: join(folder, 'data') });
    const caller = new Caller(mneme.address);
    const texts = longTexts(KEYS);
    await setKeys(caller, SESSION, texts);
    const echo = await startEcho(folder, {
      workingGet: await caller.recorded(Service.getValue, { session: SESSION, key: 'key-1' }),
      workingSet: await caller.recorded(Service.setValue, {
        ...{
          session: SESSION,
          key: 'key-1',
          expiry: undefined,
          ifVersion: undefined,
          sessionDefault: undefined,
          requestId: '',
        },
        value: { mediaType: 'text/plain', body: { $case: 'data' as const, value: Buffer.from(texts[1] ?? '') } },
      }),
    });
    const pair = { mneme, echo };
    const calls = [
      { part: 'wm-get', what: 'Get of a key of 1 KB', messages: workingGets(), least: 0.85 },
      { part: 'wm-set', what: 'Set of a key of 1 KB', messages: workingSets(texts), least: 0.45 },
    ];
    for (const { part, what, messages, least } of calls) {
      if (!bench.wants(part)) continue;
      for (const by of ['grpc-js', 'raw'] as const) {
        await warmUp(bench, pair, messages, by);
        await comparedCalls(bench, pair, part, `${what}, ${by} client`, messages, 1, undefined, by);
        await comparedCalls(bench, pair, part, `${what}, ${by} client`, messages, 64, least, by);
      }
    }
    if (bench.wants('checkpoint')) await measureCheckpoints(bench, caller, texts, folder);
    if (bench.wants('scratchpad')) await measureScratchpad(bench, caller);
    caller.close();
    await echo.stop();
    await mneme.stop();
  },
};

/** In turn, to a scratchpad that is nearly full and to one that is nearly empty: other load affects both. */
async function measureScratchpad(bench: Bench, caller: Caller): Promise<void> {
  const note = {
    mediaType: 'text/plain',
    body: { $case: 'data' as const, value: Buffer.from('the agent looked at the map and turned north') },
  };
  const append = async (session: string, count: number): Promise<number> => {
    const startedMs = performance.now();
    const request = AppendScratchpadRequest.fromPartial({ session, notes: Array.from({ length: count }, () => note) });
    await caller.ask(Service.appendScratchpad, request);
    return (performance.now() - startedMs) * 1000;
  };
  const [full, empty] = [`${SESSION}-full`, `${SESSION}-empty`];
  for (let filled = NOTES_TIMED; filled < NOTES; filled += NOTES_PER_FILL) await append(full, NOTES_PER_FILL);
  const tookUs = { full: [] as number[], empty: [] as number[] };
  for (let at = 0; at < NOTES_TIMED; at++) {
    tookUs.empty.push(await append(empty, 1));
    tookUs.full.push(await append(full, 1));
  }
  const [firstUs, lastUs] = [median(tookUs.empty), median(tookUs.full)];
  bench.add({
    part: 'scratchpad',
    what: `AppendScratchpad, p50, up to the ${NOTES.toLocaleString('en')}th note`,
    value: lastUs,
    unit: 'µs',
    limit: firstUs,
    limitName: `the first ${NOTES_TIMED} notes, in turn`,
    ratio: lastUs / firstUs,
    wanted: atMost(lastUs / firstUs, 1.25),
  });
}
