import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Mneme, type RecallQuery } from '../../../../clients/typescript/src/index.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let mneme: Mneme;
beforeAll(async () => {
  server = await startTestServer({ embedder: 'none' });
  mneme = connect(server.address, { namespace: 'grouped' });
  await mneme.batchStore([
    ...['one', 'two', 'three'].flatMap((session) =>
      [1, 2, 3].map((turn) => ({ text: `The boat of ${session} needs paint, part ${turn}.`, scope: { session } })),
    ),
    { text: 'A boat needs paint every spring.' },
    { text: 'My boat needs paint and oil.' },
  ]);
});
afterAll(async () => {
  await mneme.close();
  await server.stop();
});

async function sessionsOf(query: RecallQuery): Promise<string[]> {
  const { hits } = await mneme.recall({ minRelevance: 0, ...query });
  return hits.map(({ memory }) => memory.scope.session ?? '').sort();
}

describe('group_by session', () => {
  it('of each session only the best is a hit, and the limit is filled with others', async () => {
    const text = 'Which boat needs paint?';
    expect(await sessionsOf({ text, groupBy: 'session', limit: 10 })).toEqual(['', '', 'one', 'three', 'two']);
    expect(await sessionsOf({ text, limit: 10 })).toHaveLength(10);
    const best = await mneme.recall({ text, minRelevance: 0, limit: 3 });
    const grouped = await mneme.recall({ text, minRelevance: 0, limit: 3, groupBy: 'session' });
    expect(grouped.hits[0]?.memory.id).toBe(best.hits[0]?.memory.id);
    expect(new Set(grouped.hits.map(({ memory }) => memory.scope.session ?? memory.id)).size).toBe(3);
  });

  it('with a filter alone, and with diversity › the same groups', async () => {
    const filter = 'scope.session = "one" OR scope.session = "two"';
    expect(await sessionsOf({ filter, groupBy: 'session' })).toEqual(['one', 'two']);
    expect(await sessionsOf({ text: 'boat', filter, diversity: 0.5, groupBy: 'session' })).toEqual(['one', 'two']);
  });

  it('with a preset › FIELD_INVALID', async () => {
    const query = { text: 'x', preset: { name: 'attribute' }, groupBy: 'session' } as const;
    await expect(mneme.recall(query)).rejects.toThrow('group_by: must be absent with a preset');
  });
});
