import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  connect,
  DeadlineExceededError,
  type ExtractionJob,
  type Mneme,
  UnavailableError,
} from '../../clients/typescript/src/index.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { collect } from '../client/support/collect.ts';
import { freePort } from '../support/free-port.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { seededRandom } from '../support/random.ts';

const CONVERSATIONS = 6;
const MESSAGES = 8;
const KILLS = 3;
/** Of 10 s each. */
const FLUSHES_MAX = 12;

let folder: string;
let listen: string;
let server: RunningMneme;
let restarting = Promise.resolve();
const clients: Mneme[] = [];
const start = () => startMneme({ listen, data: folder, flags: ['--extractor', 'client'], isQuiet: true });
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-serve-extractor-crash-'));
  listen = `127.0.0.1:${await freePort()}`;
  server = await start();
});
afterAll(async () => {
  await restarting.catch(() => undefined);
  await Promise.all(clients.map((client) => client.close()));
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

const kill = () => {
  restarting = restarting.then(async () => {
    await server.stop('SIGKILL');
    server = await start();
  });
};

const client = () => {
  const made = connect(listen, { ...PATIENT_CLIENT, namespace: 'crash', waitForReady: true });
  clients.push(made);
  return made;
};

function claimsIn({ conversation, messages }: ExtractionJob) {
  return messages.map(({ sequence, text }) => {
    return { subject: `${conversation}.${sequence}`, attribute: 'likes', value: text, text, sources: [sequence] };
  });
}

it('a server killed with jobs in the hands of clients › each message is extracted, with one effect', async () => {
  const random = seededRandom('serve-extractor-crash');
  const killAtJob = new Set<number>();
  while (killAtJob.size < KILLS) killAtJob.add(1 + random.int(CONVERSATIONS));
  const mneme = client();
  for (let at = 0; at < CONVERSATIONS; at++) {
    const messages = Array.from({ length: MESSAGES }, (_, sequence) => `c${at} thing${sequence}`);
    await mneme.conversations.append(
      `c${at}`,
      messages.map((text) => ({ role: 'user', text }) as const),
    );
  }
  let jobs = 0;
  let starts = 0;
  const handler = async (job: ExtractionJob) => {
    // Some answers are sent to a server that is dying, others to its successor, which does not know the job.
    const isKilled = killAtJob.has(++jobs);
    if (isKilled) kill();
    if (isKilled || random.int(2) === 0) await restarting;
    return { claims: claimsIn(job) };
  };
  for (const name of ['one', 'other']) {
    const serving = client();
    const options = { onOpen: () => starts++ };
    await serving.conversations.serveExtractor(handler, { name, maxJobs: 2 }, options);
  }
  let isComplete = false;
  for (let left = FLUSHES_MAX; !isComplete && left > 0; left--) {
    try {
      isComplete = (await mneme.conversations.flush({}, { timeoutMs: 10_000 })).complete;
    } catch (error) {
      // The restart of a server on a busy machine may take longer than one flush waits.
      if (!(error instanceof UnavailableError || error instanceof DeadlineExceededError)) throw error;
    }
    await restarting;
  }
  const facts = await collect(mneme.list({ filter: 'type = "fact"' }));
  const expected = Array.from({ length: CONVERSATIONS * MESSAGES }, (_, at) => {
    return `c${Math.floor(at / MESSAGES)} thing${at % MESSAGES}`;
  });
  expect([`seed ${random.seed}`, isComplete, ...facts.map(({ text }) => text).sort()]).toEqual([
    `seed ${random.seed}`,
    true,
    ...expected.sort(),
  ]);
  expect(facts.every(({ supersededBy }) => supersededBy === undefined)).toBe(true);
  expect(jobs).toBeGreaterThan(CONVERSATIONS);
  expect(starts).toBeGreaterThan(2);
}, 240_000);
