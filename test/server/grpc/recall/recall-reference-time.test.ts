import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../../../clients/typescript/src/index.ts';
import { runMneme } from '../../../cli/support/run-mneme.ts';
import { untilRead } from '../../../search/evaluation/support/until-read.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let mneme: Mneme;

beforeAll(async () => {
  server = await startTestServer();
  mneme = connect(server.address, { namespace: 'diary' });
  await mneme.batchStore(
    [
      ['2023-05-07T20:00:00Z', 'I went to the sauna with Mikko.'],
      ['2023-05-08T09:00:00Z', 'I planted tulips.'],
      ['2023-05-20T09:00:00Z', 'I did my taxes.'],
    ].map(([at = '', text = '']) => ({ text, eventTime: new Date(at) })),
  );
});

afterAll(async () => {
  void mneme.close();
  await server.stop();
});

it.each([
  ['2023-05-08T18:00:00Z', 'I went to the sauna with Mikko.'],
  ['2023-05-09T18:00:00Z', 'I planted tulips.'],
  ['2023-05-21T18:00:00Z', 'I did my taxes.'],
])('"yesterday" is counted from the time of the question (%s)', async (at, expected) => {
  const { hits } = await mneme.recall({
    minRelevance: 0,
    text: 'What did I do yesterday?',
    referenceTime: new Date(at),
  });
  expect(hits[0]?.memory.text).toBe(expected);
});

it('recency is counted from it', async () => {
  const referenceTime = new Date('2023-05-20T09:00:00Z');
  const { hits } = await mneme.recall({ minRelevance: 0, text: 'taxes', referenceTime, explain: true });
  expect(hits[0]?.components.find(({ name }) => name === 'recency')?.value).toBeCloseTo(1, 3);
});

it('the part of the score that it makes is explained', async () => {
  const referenceTime = new Date('2023-05-08T18:00:00Z');
  const { hits } = await mneme.recall({
    minRelevance: 0,
    text: 'What did I do yesterday?',
    referenceTime,
    explain: true,
  });
  const [hit] = hits;
  expect(hit?.components.map(({ name }) => name)).toContain('asked time');
  const sum = hit?.components.reduce((total, { contribution }) => total + contribution, 0);
  expect(sum).toBeCloseTo(hit?.score ?? 0);
});

it('mneme recall accepts it', async () => {
  const flags = ['--server', server.address, '--namespace', 'diary', '--json', '--reference-time', '2023-05-08T18:00Z'];
  const { code, stdout } = await runMneme(['recall', 'What did I do yesterday?', ...flags]);
  expect(code).toBe(0);
  const { hits } = JSON.parse(stdout) as { hits: { memory: { text: string } }[] };
  expect(hits[0]?.memory.text).toBe('I went to the sauna with Mikko.');
});

it('among many memories that share its words, the one of that day is found', async () => {
  const many = mneme.withNamespace('busy');
  const rows = Array.from({ length: 400 }, (_, day) => ({
    text: day === 299 ? 'Tulips, forty of them, and mud up to the knees.' : `Did what I always do, number ${day}.`,
    eventTime: new Date(Date.UTC(2023, 0, 1 + day, 10)),
  }));
  await many.batchStore(rows);
  const referenceTime = new Date(Date.UTC(2023, 0, 1 + 300, 18));
  const { hits } = await untilRead(() =>
    many.recall({ minRelevance: 0, text: 'What did I do yesterday?', referenceTime }),
  );
  expect(hits[0]?.memory.text).toBe(rows[299]?.text);
});
