import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Mneme, MnemeError } from '../../../../clients/typescript/src/index.ts';
import { KnowledgeServiceService } from '../../../../gen/ts/mneme/v1/knowledge_service.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let mneme: Mneme;
beforeAll(async () => {
  server = await startTestServer({ embedder: 'none' });
  mneme = connect(server.address, { namespace: 'long' });
  await mneme.store({ text: 'The boiler was serviced in May.' });
  await mneme.store({ text: 'Lunch is at noon.' });
});
afterAll(async () => {
  await mneme.close();
  await server.stop();
});

/** Lines as of a log, which no memory has. */
const LOG = Array.from({ length: 900 }, (_, at) => `worker ${at} answered request ${at * 7} without fault`).join('\n');

const reasonOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error: unknown) => (error instanceof MnemeError ? error.reason : error),
  );

describe('A6 a question above 8 KiB', () => {
  it.each([
    ['at its beginning', `When was the boiler serviced? ${LOG}`],
    ['at its end', `${LOG} When was the boiler serviced?`],
    ['in another script', `${'漢字 '.repeat(9000)}boiler`],
    ['with signs of four bytes', `${'😢 '.repeat(9001)} boiler`],
  ])('with the words %s › is answered, and degraded names the text', async (_, text) => {
    const { hits, degraded } = await mneme.recall(text, { timeoutMs: 20_000 });
    expect(hits[0]?.memory.text).toContain('boiler');
    expect(degraded).toEqual([{ part: 'text', reason: expect.stringContaining('8192 of its beginning and end') }]);
  });

  it('a context › degraded names the text', async () => {
    const { text, degraded } = await mneme.buildContext(
      { query: `When was the boiler serviced? ${LOG}` },
      { timeoutMs: 20_000 },
    );
    expect(text).toContain('boiler');
    expect(degraded.map(({ part }) => part)).toEqual(['text']);
  });

  it('a stream of tiers and a subscription › degraded names the text', async () => {
    const text = `When was the boiler serviced? ${LOG}`;
    const named = [{ part: 'text', reason: expect.stringContaining('8192') }];
    for await (const part of mneme.recallStream(text, { timeoutMs: 20_000 })) {
      if (part.kind === 'merged') expect(part.answer).toMatchObject({ degraded: named });
    }
    for await (const { hits, degraded } of mneme.subscribe({ text, minRelevance: 0 })) {
      expect(hits[0]?.memory.text).toContain('boiler');
      expect(degraded).toEqual(named);
      break;
    }
  });

  it('procedures › are found, and degraded names the text', async () => {
    await mneme.procedures.record({ title: 'Restart the boiler', steps: ['Press the red button.'] });
    const request = { parent: 'namespaces/long', situation: `The boiler is off. ${LOG}` };
    const { procedures, degraded } = await mneme.raw(KnowledgeServiceService.findProcedures, request);
    expect(procedures[0]?.procedure?.title).toBe('Restart the boiler');
    expect(degraded.map(({ part }) => part)).toEqual(['text']);
    expect((await mneme.procedures.find('The boiler is off.'))[0]?.procedure.title).toBe('Restart the boiler');
    expect(await reasonOf(mneme.procedures.find('x'.repeat(1_048_577)))).toBe('FIELD_INVALID');
    expect(await reasonOf(mneme.procedures.find(' '))).toBe('FIELD_INVALID');
  });

  it('a shorter one › is searched for as a whole', async () => {
    expect((await mneme.recall(`boiler ${'x '.repeat(400)}`)).degraded).toEqual([]);
  });

  it('above 1 MiB › is refused', async () => {
    expect(await reasonOf(mneme.recall('x'.repeat(1_048_577)))).toBe('FIELD_INVALID');
  });
});

describe('P5 a search by vector where no memory has one', () => {
  it.each([3, 256, 384])('preset similarity with %d values › NO_VECTORS', async (count) => {
    const preset = { name: 'similarity', parameters: { query: Array.from({ length: count }, () => 0.1) } };
    expect(await reasonOf(mneme.recall({ preset }))).toBe('NO_VECTORS');
  });

  it('where a memory has one › it is found; another dimension is refused', async () => {
    const other = connect(server.address, { namespace: 'vectors' });
    await other.store({ text: 'a', embedding: { values: [1, 0, 0], model: 'm' } });
    const preset = (query: number[]) => ({ preset: { name: 'similarity', parameters: { query } } });
    expect((await other.recall(preset([1, 0, 0]))).hits).toHaveLength(1);
    expect(await reasonOf(other.recall(preset([1, 0])))).toBe('DIMENSION_MISMATCH');
    await other.close();
  });
});
