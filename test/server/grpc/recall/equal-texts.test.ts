import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Mneme, type RecallHit } from '../../../../clients/typescript/src/index.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
const clients: Mneme[] = [];
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await server.stop();
});

function inNamespace(namespace: string): Mneme {
  const client = connect(server.address, { namespace });
  clients.push(client);
  return client;
}

const shown = (hits: readonly RecallHit[]) => hits.map(({ memory, equalCount }) => [memory.text, equalCount]);

describe('A12 equal texts fill no answer', () => {
  it('twenty at once › one hit that counts the others, and different ones after it', async () => {
    const mneme = inNamespace('milk');
    await Promise.all(Array.from({ length: 20 }, () => mneme.store('I like oat milk.')));
    await mneme.store('I like milk chocolate.');
    await mneme.store('My sister drinks no milk.');
    const { hits } = await mneme.recall({ minRelevance: 0, text: 'What milk do I like?', limit: 5 });
    expect(shown(hits)).toEqual([
      ['I like oat milk.', 19],
      ['I like milk chocolate.', 0],
      ['My sister drinks no milk.', 0],
    ]);
    const [first] = (await mneme.recall({ minRelevance: 0, text: 'What milk do I like?', limit: 1 })).hits;
    expect(first?.equalCount).toBe(19);
  });

  it('in other case, space and marks, by another type, tag, session and way › they are equal', async () => {
    const mneme = inNamespace('forms');
    await mneme.store('The gate code is 4417.');
    await mneme.store({ text: 'the gate code is  4417', tags: ['code'], importance: 0.9 });
    await mneme.store({ text: 'The gate code is 4417!', type: 'note', scope: { session: 's' } });
    await mneme.conversations.append('c', [{ role: 'user', text: 'The gate code is 4417.' }]);
    await mneme.conversations.append('d', [{ role: 'user', text: 'The gate code is 4417.' }]);
    const { hits } = await mneme.recall({ minRelevance: 0, text: 'What is the gate code?', filter: 'type != "fact"' });
    expect(hits.map(({ equalCount }) => equalCount)).toEqual([4]);
  });

  it('of other speakers, scopes, contents, signs or words › they are not equal', async () => {
    const mneme = inNamespace('others');
    await mneme.store({ text: 'I play chess.', source: { speaker: 'Ann' } });
    await mneme.store({ text: 'I play chess.', source: { speaker: 'Bob' } });
    await mneme.store({ text: 'I play chess.', source: { speaker: 'Ann' }, scope: { agent: 'coach' } });
    await mneme.store({ text: 'I play chess.', source: { speaker: 'Ann' }, content: { board: 1 } });
    await mneme.store({ text: 'I play chess?', source: { speaker: 'Ann' } });
    await mneme.store({ text: 'I play -5 chess.', source: { speaker: 'Ann' } });
    await mneme.store({ text: 'I play chess.', source: { speaker: 'Ann' }, place: { location: 'club' } });
    await mneme.store({ text: 'I play chess.', source: { speaker: 'Ann' }, step: 4 });
    await mneme.store({ text: 'I play 5 chess.', source: { speaker: 'Ann' } });
    const { hits } = await mneme.recall({ minRelevance: 0, text: 'Who plays chess?', limit: 50 });
    expect(hits).toHaveLength(9);
    expect(hits.every(({ equalCount }) => equalCount === 0)).toBe(true);
  });

  it('asked for by time or place › each occurrence is a hit', async () => {
    const mneme = inNamespace('occurrences');
    for (const day of ['10', '11'])
      await mneme.store({ text: 'Took the medicine.', eventTime: `2026-11-${day}T08:00:00Z` });
    const text = 'When did I take the medicine?';
    const timeWindow = { startTime: '2026-11-01T00:00:00Z' };
    expect((await mneme.recall({ minRelevance: 0, text, timeWindow })).hits).toHaveLength(2);
    expect(
      (await mneme.recall({ minRelevance: 0, text, nearTime: { time: '2026-11-10T08:00:00Z' } })).hits,
    ).toHaveLength(2);
    expect(shown((await mneme.recall(text)).hits)).toEqual([['Took the medicine.', 1]]);
  });

  it('with a filter that is read, of each tier, by vector, and encoded or explained › each answer has them once', async () => {
    const mneme = inNamespace('ways');
    for (let at = 0; at < 30; at++) {
      await mneme.store({
        text: 'The boiler is red.',
        embedding: { values: [1, at / 100], model: 'm' },
        content: { a: 1 },
      });
    }
    await mneme.store({
      text: 'The boiler is in the cellar.',
      embedding: { values: [0.5, 1], model: 'm' },
      content: { a: 1 },
    });
    const expected = [
      ['The boiler is red.', 29],
      ['The boiler is in the cellar.', 0],
    ];
    const text = 'Which colour has the boiler?';
    const answers = [
      await mneme.recall({ minRelevance: 0, text, limit: 3, explain: true }),
      await mneme.recall({ minRelevance: 0, text, limit: 3, view: 'full' }),
      await mneme.recall({ minRelevance: 0, text, limit: 3, ranking: 'fusion' }),
      await mneme.recall({ minRelevance: 0, text, limit: 3, filter: 'content.a = 1' }),
      await mneme.recall({ minRelevance: 0, text, embedding: { values: [1, 0], model: 'm' }, limit: 3 }),
      await mneme.recall({ filter: 'content.a = 1', limit: 3 }),
    ];
    for (const { hits } of answers) expect(shown(hits).sort()).toEqual([...expected].sort());
    // A search of a vector store, which has an entry for each embedding.
    const { hits } = await mneme.recall({ embedding: { values: [1, 0], model: 'm' }, limit: 3 });
    expect(shown(hits)).toEqual(Array.from({ length: 3 }, () => ['The boiler is red.', 0]));
  });

  it('a stream of tiers and a subscription › have the hits of Recall', async () => {
    const mneme = inNamespace('streams');
    for (let at = 0; at < 6; at++) await mneme.store('The train leaves at nine.');
    await mneme.store('The train is blue.');
    const query = { text: 'When does the train leave?', limit: 2, minRelevance: 0 };
    const { hits } = await mneme.recall(query);
    expect(shown(hits)).toEqual([
      ['The train leaves at nine.', 5],
      ['The train is blue.', 0],
    ]);
    const streamed = new Map<string, unknown>();
    for await (const part of mneme.recallStream(query)) {
      if (part.kind === 'merged') streamed.set('merged', shown(part.answer.hits));
      if (part.kind === 'hits') streamed.set(part.tier, shown(part.hits));
    }
    expect(Object.fromEntries(streamed)).toMatchObject({ merged: shown(hits), short_term: shown(hits) });
    const states = new Set<string>();
    for await (const state of mneme.subscribe(query)) {
      states.add(JSON.stringify(shown(state.hits)));
      if (states.size === 1) await mneme.delete(hits[0]?.memory.id ?? '').catch(() => undefined);
      else break;
    }
    expect([...states].map((state) => JSON.parse(state))).toEqual([
      shown(hits),
      [
        ['The train leaves at nine.', 4],
        ['The train is blue.', 0],
      ],
    ]);
  });
});
