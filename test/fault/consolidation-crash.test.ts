import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { allOf, connect, type Mneme, where } from '../../clients/typescript/src/index.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { firstOrAll, sized } from '../support/all-tests.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { BACKENDS, type BackendOfServer, startBackend } from './backend-of-server.ts';

const PAIRS = sized({ sample: 16, nightly: 40 });
/** Merges that are there before the server is killed. */
const BEFORE_KILL = 5;
const NAMESPACES = ['killed', 'undisturbed'] as const;

async function storePairs(mneme: Mneme): Promise<void> {
  const pairs = Array.from({ length: PAIRS }, (_, at) => [
    { id: `a${at}`, text: `Build ${at} of the lighthouse passed.` },
    { id: `b${at}`, text: `build ${at} of the lighthouse passed` },
  ]);
  await mneme.batchStore(pairs.flat());
}

const isMerged = allOf(where.sourceOrigin.equals('mneme.consolidation'), where.type.equals('statement'));
const merged = async (mneme: Mneme) => (await mneme.count({ filter: isMerged })).count;

interface Shown {
  readonly text: string;
  readonly supersededBy: string | undefined;
}

/** Memories without fields that differ between two runs: versions, times and the id of the report. */
async function stateOf(mneme: Mneme): Promise<Map<string, Shown>> {
  const state = new Map<string, Shown>();
  for await (const { id, type, text, supersededBy } of mneme.list({ view: 'basic' })) {
    if (type !== 'consolidation') state.set(id, { text, supersededBy });
  }
  return state;
}

describe.each(firstOrAll(BACKENDS))('a server with %s', (name) => {
  let backend: BackendOfServer;
  let data: string;
  let server: RunningMneme;
  let clients: Record<(typeof NAMESPACES)[number], Mneme>;
  beforeEach(async () => {
    backend = await startBackend(name);
    data = mkdtempSync(join(tmpdir(), 'mneme-consolidation-'));
    await start();
  });
  afterEach(async () => {
    await stop();
    await backend.stop();
    rmSync(data, { recursive: true, force: true });
  });

  async function start(): Promise<void> {
    server = await startMneme({ data, env: backend.env, isQuiet: true });
    const [killed, undisturbed] = NAMESPACES.map((namespace) =>
      connect(server.address, { ...PATIENT_CLIENT, namespace, retry: false }),
    ) as [Mneme, Mneme];
    clients = { killed, undisturbed };
  }
  async function stop(): Promise<void> {
    await server.stop('SIGKILL');
    await Promise.all(NAMESPACES.map((namespace) => clients[namespace].close()));
  }

  it('kill -9 in the middle of a consolidation › the next run completes it, in one report that is undone as a whole', async () => {
    for (const namespace of NAMESPACES) await storePairs(clients[namespace]);
    const before = await stateOf(clients.killed);
    const cut = clients.killed.consolidation.run({ maxSteps: 1000 }).catch(() => undefined);
    while ((await merged(clients.killed)) < BEFORE_KILL);
    await stop();
    await cut;
    await start();
    const made = await merged(clients.killed);
    expect(made).toBeGreaterThanOrEqual(BEFORE_KILL);
    const whole = await stateOf(clients.killed);
    const textIn = (state: typeof whole, id: string) => state.get(id)?.text;
    for (const id of before.keys()) expect(textIn(whole, id)).toBe(textIn(before, id));

    const { reportId = '', memories } = await clients.killed.consolidation.run({ maxSteps: 1000 });
    expect(memories).toHaveLength(PAIRS);
    await clients.undisturbed.consolidation.run({ maxSteps: 1000 });
    expect(await stateOf(clients.killed)).toEqual(await stateOf(clients.undisturbed));

    await clients.killed.consolidation.undo(reportId);
    expect(await stateOf(clients.killed)).toEqual(before);
  }, 120_000);
});
