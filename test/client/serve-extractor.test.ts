import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  connect,
  type ExtractionAnswer,
  type ExtractionJob,
  type Mneme,
  type ServeExtractorQuery,
} from '../../clients/typescript/src/index.ts';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { collect } from './support/collect.ts';

let server: TestServer;
let mneme: Mneme;
let count = 0;
beforeAll(async () => {
  server = await startTestServer({ extractor: 'client' });
});
afterAll(() => server?.stop());
beforeEach(() => {
  mneme = connect(server.server.address, { ...PATIENT_CLIENT, namespace: `extractor-${++count}` });
});
afterEach(() => mneme.close());

/** Claims in messages of three words: `subject attribute value`. */
function claimsIn({ messages }: ExtractionJob) {
  return messages.map(({ sequence, text }) => {
    const [subject = '', attribute = '', value = ''] = text.split(' ');
    return { subject, attribute, value, text, sources: [sequence] };
  });
}

const say = (...texts: string[]) =>
  mneme.conversations.append(
    'c',
    texts.map((text) => ({ role: 'user', text }) as const),
  );
const facts = async () => (await collect(mneme.list({ filter: 'type = "fact"' }))).map(({ text }) => text).sort();

it('serving › extracts messages with the handler until it is stopped', async () => {
  const jobs: ExtractionJob[] = [];
  const served = await mneme.conversations.serveExtractor(
    (job) => {
      jobs.push(job);
      return { claims: claimsIn(job), notes: [{ type: 'episode', text: 'They met.', tags: ['t'], sources: [0] }] };
    },
    { name: 'm1', maxJobs: 2 },
  );
  expect(served.extractor).toBe('client');
  await say('ada likes tea', 'bob likes wine');
  expect(await mneme.conversations.flush()).toMatchObject({ complete: true });
  expect(jobs).toMatchObject([
    {
      conversation: 'c',
      attempt: 1,
      lastError: '',
      messages: [
        { sequence: 0, role: 'user', text: 'ada likes tea' },
        { sequence: 1, text: 'bob likes wine' },
      ],
    },
  ]);
  expect(jobs[0]?.deadline.getTime()).toBeGreaterThan(Date.now());
  expect(await facts()).toEqual(['ada likes tea', 'bob likes wine']);
  served.stop();
  await served.closed;
  await mneme.conversations.append('c', [{ role: 'user', text: 'eve likes milk' }], { endOfInvocation: true });
  for await (const { conversations } of mneme.conversations.watchExtraction({ intervalMs: 100 })) {
    if (conversations[0]?.error.startsWith('EXTRACTOR_UNAVAILABLE: no client serves')) break;
  }
});

it('an error, a failure and a bad answer › come again with the reason', async () => {
  const errors: string[] = [];
  const rejected: string[] = [];
  const answers: (() => ExtractionAnswer)[] = [
    () => {
      throw new Error('the model is busy');
    },
    () => ({ failure: 'cannot read this' }),
    () => ({ claims: [{ subject: 'ada', attribute: 'likes', value: 'tea', sources: [9] }] }),
  ];
  const query: ServeExtractorQuery = { onRejected: (_, reason) => rejected.push(reason) };
  const served = await mneme.conversations.serveExtractor((job) => {
    errors.push(job.lastError);
    return answers.shift()?.() ?? { claims: claimsIn(job) };
  }, query);
  await say('ada likes tea');
  expect(await mneme.conversations.flush()).toMatchObject({ complete: true });
  expect(errors).toEqual([
    '',
    'EXTRACTOR_UNAVAILABLE: client: the model is busy',
    'EXTRACTION_INVALID: client: cannot read this',
    expect.stringContaining('EXTRACTION_INVALID: client: answer.extracted.claims[0].sources[0]: must be'),
  ]);
  expect(rejected).toHaveLength(1);
  expect(await facts()).toEqual(['ada likes tea']);
  served.stop();
  await served.closed;
});

it('X8 answers with half of a surrogate pair › are failures that name the field', async () => {
  const errors: string[] = [];
  const broken = 'half \ud83d';
  const answers: (() => ExtractionAnswer)[] = [
    () => ({ claims: [{ subject: 'ada', attribute: broken, value: 'tea', sources: [0] }] }),
    () => ({ notes: [{ type: 'episode', text: 'They met.', tags: ['t', broken], sources: [0] }] }),
    () => {
      throw new Error(broken);
    },
  ];
  const served = await mneme.conversations.serveExtractor((job) => {
    errors.push(job.lastError);
    return answers.shift()?.() ?? { claims: claimsIn(job) };
  });
  await say('ada likes tea');
  expect(await mneme.conversations.flush()).toMatchObject({ complete: true });
  const fault = 'must be whole Unicode characters, got half of a surrogate pair at position 5';
  expect(errors).toEqual([
    '',
    `EXTRACTION_INVALID: client: claims[0].attribute: ${fault}`,
    `EXTRACTION_INVALID: client: notes[0].tags[1]: ${fault}`,
    'EXTRACTOR_UNAVAILABLE: client: half \ufffd',
  ]);
  expect(await facts()).toEqual(['ada likes tea']);
  served.stop();
  await served.closed;
});

it('a client that closes with jobs in hand › another one gets them', async () => {
  const first = connect(server.server.address, { ...PATIENT_CLIENT, namespace: `extractor-${count}` });
  const taken = Promise.withResolvers<AbortSignal>();
  const served = await first.conversations.serveExtractor((_, signal) => {
    taken.resolve(signal);
    return new Promise(() => undefined);
  });
  await say('ada likes tea');
  const flushing = mneme.conversations.flush();
  const signal = await taken.promise;
  await mneme.conversations.serveExtractor((job) => ({ claims: claimsIn(job) }));
  await first.close();
  await served.closed;
  expect(await flushing).toMatchObject({ complete: true });
  expect(signal.aborted).toBe(true);
  expect(await facts()).toEqual(['ada likes tea']);
});
