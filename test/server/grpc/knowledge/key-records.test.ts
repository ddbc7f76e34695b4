import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Memory, type Mneme } from '../../../../clients/typescript/src/index.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let mneme: Mneme;
beforeAll(async () => {
  server = await startTestServer({ embedder: 'none' });
  mneme = connect(server.address, { namespace: 'keys' });
  await mneme.facts.assertFact({ subject: 'user', attribute: 'home_city', value: 'Bern' });
  await mneme.facts.assertFact({ subject: 'user', attribute: 'home_city', value: 'Oslo' });
  await mneme.store({ text: 'A note of a scope.', type: 'fact_key', scope: { agent: 'ada' } });
});
afterAll(async () => {
  await mneme.close();
  await server.stop();
});

async function texts(memories: AsyncIterable<Memory>): Promise<string[]> {
  const found: string[] = [];
  for await (const { text } of memories) found.push(text);
  return found;
}

describe('P12b records of the server', () => {
  it('lists and counts › have none, whatever the filter that does not name their type', async () => {
    for (const query of [
      {},
      { filter: 'importance >= 0' },
      { filter: 'type != "note"' },
      { filter: 'NOT type = "note"' },
    ]) {
      expect(await texts(mneme.list(query))).not.toContain('');
      expect((await mneme.count(query)).count).toBe(3);
    }
    expect((await mneme.count({ includeInvalid: false })).count).toBe(2);
  });

  it('a filter that names their type › has them, and memories of that type with a scope', async () => {
    const filter = 'type = "fact_key"';
    expect((await texts(mneme.list({ filter }))).sort()).toEqual(['', 'A note of a scope.']);
    expect((await mneme.count({ filter })).count).toBe(2);
  });

  it('a recall of all that was ever valid › has none', async () => {
    const { hits } = await mneme.recall({ filter: 'importance >= 0', includeInvalid: true, limit: 50 });
    expect(hits.map(({ memory }) => memory.text)).not.toContain('');
    expect(hits).toHaveLength(3);
    const recent = await mneme.recall({ preset: { name: 'recent' }, includeInvalid: true, limit: 50 });
    expect(recent.hits.map(({ memory }) => memory.text)).not.toContain('');
  });

  it('an export › has them', async () => {
    expect(await texts(mneme.exportMemories())).toContain('');
  });
});
