import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Memory } from '../../../gen/ts/mneme/v1/memory.ts';
import { RecallRequest } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { seededRandom } from '../../support/random.ts';
import type { Bench, Group } from '../bench.ts';
import { idOf, PARENT } from '../data/corpus.ts';
import { populate } from '../data/populate.ts';
import { textsSettled } from '../data/texts-read.ts';
import { atMost } from '../report/row.ts';
import { Caller } from '../servers/caller.ts';
import { startMneme } from '../servers/mneme.ts';
import { untilAtRest } from '../servers/process-usage.ts';
import { encodedRecalls } from './recall-messages.ts';

const PART = 'states';
const SIZES = [2000, 8000, 24_000];
const QUERIES = 200;
const ASK_MS = 4000;
/** p50 that is wanted up to this number of states. */
const P50_MAX_MS: readonly { readonly upTo: number; readonly ms: number }[] = [
  { upTo: 24_000, ms: 3 },
  { upTo: 1_000_000, ms: 6 },
];
const ROOMS = ['harbour', 'market', 'tower', 'mill', 'cellar', 'garden', 'library', 'forge'];
const GOALS = ['find the brass key', 'mend the sail', 'talk to the keeper', 'sell the grain', 'rest until the morning'];

/** Recall of states that are like a state, by the vectors of the default embedder. */
export const stateGroup: Group = {
  parts: [PART],
  async run(bench) {
    for (const size of bench.sizes(SIZES)) await measure(bench, size);
  },
};

async function measure(bench: Bench, count: number): Promise<void> {
  const folder = join(bench.folder, `${PART}-${count}`);
  mkdirSync(folder);
  const states = statesOf(count + QUERIES);
  const mneme = await startMneme({ folder: join(folder, 'data') });
  const caller = new Caller(mneme.address);
  bench.say(`storing ${count} states`);
  await populate(caller, { texts: [], vectors: [] }, count, false, PARENT, (at) => messageOf(states[at] ?? '', at));
  await textsSettled(caller, [GOALS[0] ?? '']);
  caller.close();
  const asked = states.slice(count);
  const kinds = [
    {
      name: 'preset similarity of a state',
      requests: asked.map((state) => ({
        preset: { name: 'similarity', parameters: `{"query": ${state}, "min_score": 0}` },
      })),
    },
    {
      name: 'similar_to a state',
      requests: asked.map((_, at) => ({ similarTo: `${PARENT}/memories/${idOf((at * 7919) % count)}` })),
    },
  ];
  const loads = kinds.map(({ name, requests }) => {
    const recalls = requests.map((each) => RecallRequest.fromPartial({ parent: PARENT, limit: 10, ...each }));
    return { name, load: { ...encodedRecalls(recalls), client: 'raw', inFlight: 1, durationMs: ASK_MS } as const };
  });
  for (const { load } of loads) await bench.client.run(mneme, load);
  bench.say(`waiting until the graphs of ${count} states and texts are complete`);
  await untilAtRest(mneme.pid);
  for (const { name, load } of loads) {
    const subject = await bench.client.run(mneme, load);
    const most = P50_MAX_MS.find(({ upTo }) => count <= upTo);
    bench.add({
      part: PART,
      what: `${name}, of ${count}`,
      subject,
      wanted: most && atMost(subject.p50Us / 1000, most.ms, 'p50 in ms'),
    });
  }
  await mneme.stop();
  rmSync(folder, { recursive: true });
}

/** States of a run as JSON: numbers, categories and short texts. */
function statesOf(count: number): string[] {
  const random = seededRandom('bench states', '1');
  return Array.from({ length: count }, () =>
    JSON.stringify({
      position: [random.int(100), random.int(100)],
      health: random.int(101) / 100,
      room: random.pick(ROOMS),
      goal: random.pick(GOALS),
      inventory: { wood: random.int(20), stone: random.int(20), rope: random.int(3) },
      isNight: random.chance(0.4),
    }),
  );
}

function messageOf(state: string, at: number): Memory {
  return Memory.fromPartial({
    scope: { agent: 'scout', session: `run-${Math.floor(at / 200)}` },
    type: 'state',
    step: at % 200,
    content: { mediaType: 'application/json', body: { $case: 'json', value: state } },
  });
}
