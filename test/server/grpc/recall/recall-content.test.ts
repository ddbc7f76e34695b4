import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Mneme, type RecallQuery, type Tier, where } from '../../../../clients/typescript/src/index.ts';
import { PATIENT_CLIENT } from '../../../support/patient.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const MEMORIES: readonly [id: string, text: string, tier: Tier][] = [
  ['buoy', 'The yellow buoy lies at the entry of the harbour, behind the pier.', 'long_term'],
  ['master', 'Harbour, harbour, harbour: the harbour master speaks of nothing else.', 'short_term'],
  ['crane', 'The yellow crane at the harbour lifts containers.', 'intermediate'],
  ['fog', 'In the fog nobody saw the yellow lighthouse.', 'short_term'],
  ['net', 'A fisherman mends a net.', 'long_term'],
  ['ferry', 'The ferry to the island leaves at nine.', 'short_term'],
];

function content(query: unknown): Pick<RecallQuery, 'preset'> {
  return { preset: { name: 'content', parameters: { query } } };
}

describe('Preset content', () => {
  let server: TestServer;
  let mneme: Mneme;
  beforeAll(async () => {
    server = await startTestServer();
    mneme = connect(server.address, { ...PATIENT_CLIENT, namespace: 'harbour' });
    for (const [id, text, tier] of MEMORIES) {
      await mneme.store({ id, text, type: id.length > 4 ? 'long' : 'short' });
      if (tier !== 'short_term') await mneme.demote([id], { toTier: tier });
    }
  });
  afterAll(async () => {
    void mneme.close();
    await server.stop();
  });

  async function found(query: RecallQuery): Promise<[string, number][]> {
    const { hits } = await mneme.recall(query);
    return hits.map(({ memory, relevance }) => [memory.id, relevance]);
  }

  it('puts all the words before some of them, whichever tier has them', async () => {
    expect(await found(content('yellow buoy harbour'))).toEqual([
      ['buoy', 1],
      ['crane', expect.closeTo(2 / 3)],
      ['master', expect.closeTo(1 / 3)],
      ['fog', expect.closeTo(1 / 3)],
    ]);
    expect(await found({ ...content({ buoy: 'yellow' }), limit: 1 })).toEqual([['buoy', 1]]);
    expect(await found({ ...content('harbour crane'), filter: where.type.equals('long') })).toEqual([
      ['crane', 1],
      ['master', 0.5],
    ]);
  });

  it('has only memories with all the words at a relevance of 1', async () => {
    expect(await found({ ...content('yellow harbour'), minRelevance: 1 })).toEqual([
      ['crane', 1],
      ['buoy', 1],
    ]);
    expect(await found({ ...content('yellow walrus'), minRelevance: 1 })).toEqual([]);
  });

  it('keeps the order in RecallStream, by tier and at the end', async () => {
    const answered: string[][] = [];
    for await (const event of mneme.recallStream({ ...content('yellow harbour'), limit: 2 })) {
      const isShown = event.kind === 'merged' || (event.kind === 'hits' && event.tier === 'intermediate');
      const hits = event.kind === 'hits' ? event.hits : event.kind === 'merged' ? event.answer.hits : [];
      if (isShown) answered.push(hits.map(({ memory }) => memory.id));
    }
    expect(answered[0]).toEqual(['crane']);
    expect(answered.at(-1)?.toSorted()).toEqual(['buoy', 'crane']);
  });

  it('is one part of several, with the greatest relevance of the parts', async () => {
    const strategies = {
      content: { parameters: { query: 'yellow buoy' }, weight: 2 },
      path: { parameters: { path: 'type', value: 'short' }, weight: 0.1 },
    };
    const [first, second] = await found({ preset: { name: 'combined', parameters: { strategies } } });
    expect([first, second?.[0]]).toEqual([['buoy', 1], expect.stringMatching(/crane|fog/)]);
  });

  it('places a later memory with all the words first in a standing answer', async () => {
    const answers: string[][] = [];
    for await (const { hits, isProgress } of mneme.subscribe({ ...content('walrus buoy'), limit: 2 })) {
      if (isProgress) continue;
      answers.push(hits.map(({ memory }) => memory.id));
      if (answers.length === 1) await mneme.store({ id: 'walrus', text: 'A walrus sleeps on the buoy.' });
      else break;
    }
    expect(answers).toEqual([['buoy'], ['walrus', 'buoy']]);
    await mneme.delete('walrus');
  });
});
