import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../../../clients/typescript/src/index.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let mneme: Mneme;
beforeAll(async () => {
  server = await startTestServer({ embedder: 'none' });
  mneme = connect(server.address, { namespace: 'limits' });
  await mneme.batchStore(Array.from({ length: 12 }, (_, at) => ({ text: `Shelf ${at} holds tea.` })));
});
afterAll(async () => {
  await mneme.close();
  await server.stop();
});

const countOf = async (limit?: number) =>
  (await mneme.recall({ text: 'tea', minRelevance: 0, ...(limit === undefined ? {} : { limit }) })).hits.length;

describe('a limit of 0 is the default', () => {
  it('in a recall › as no limit at all', async () => {
    expect(await countOf()).toBe(10);
    expect(await countOf(0)).toBe(10);
    expect(await countOf(11)).toBe(11);
  });

  it.each([-1, 1001])('a limit of %d › is refused', async (limit) => {
    await expect(countOf(limit)).rejects.toMatchObject({ violations: [{ field: expect.stringContaining('limit') }] });
  });

  it('in pages of a list and in procedures › as no limit at all', async () => {
    const found = [];
    for await (const memory of mneme.list({ pageSize: 0 })) found.push(memory);
    expect(found).toHaveLength(12);
    expect(await mneme.procedures.find('tea', { limit: 0 })).toEqual([]);
  });
});

describe('texts of filters and memories in other forms of Unicode', () => {
  it('a filter › compares code points, a recall by words does not', async () => {
    const other = connect(server.address, { namespace: 'forms' });
    await other.store({ id: 'nfd', text: 'Café at the corner'.normalize('NFD') });
    const counted = async (word: string) => (await other.count({ filter: `text:"${word}"` })).count;
    expect(await counted('Café'.normalize('NFD'))).toBe(1);
    expect(await counted('Café'.normalize('NFC'))).toBe(0);
    for (const form of ['NFC', 'NFD'])
      expect((await other.recall({ text: 'café'.normalize(form), minRelevance: 0 })).hits).toHaveLength(1);
    await other.close();
  });
});
