import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { decayedConfidence } from '../../../src/memory/facts/confidence.ts';
import { storeMemories } from '../../../src/server/operations/memories/store-memories.ts';
import { call } from '../operations/support.ts';
import { factsAfter } from './everyday/everyday.ts';
import { BACKENDS, DAY_US, FactBench, NOWHERE, SPACE, START_US } from './support.ts';

const DAYS_OF_FIVE_YEARS = 1826;
const LONG_AGO_US = START_US - DAYS_OF_FIVE_YEARS * DAY_US;

describe.each(BACKENDS)('P2 confidence decays from the last assertion (%s)', (backend) => {
  let bench: FactBench;
  beforeEach(async () => {
    bench = await FactBench.open(backend);
  });
  afterEach(() => bench.close());

  const confidences = async () =>
    (await bench.list()).map(({ fact: { confidence, assertedAtUs } }) =>
      decayedConfidence(confidence, { assertedAtUs, nowUs: bench.clock.us, halfLifeDays: 365 }),
    );

  it('asserted, valid since years ago › as sure as it was asserted; half of it a year later', async () => {
    await bench.assert({ attribute: 'employer', value: 'Initech', validFromUs: LONG_AGO_US, confidence: 0.8 });
    expect(await confidences()).toEqual([0.8]);
    bench.clock.us += 365 * DAY_US;
    expect(await confidences()).toEqual([0.4]);
  });

  it('asserted again › decays from then', async () => {
    await bench.assert({ value: 'Lisbon', validFromUs: LONG_AGO_US, confidence: 0.8, sources: ['a'] });
    bench.clock.us += 365 * DAY_US;
    await bench.assert({ value: 'Lisbon', validFromUs: LONG_AGO_US, confidence: 0.8, sources: ['b'] });
    expect(await confidences()).toEqual([0.88]);
  });

  it('extracted from a message of last year › decays from the message', async () => {
    const saidAtUs = START_US - 365 * DAY_US;
    await bench.assert({ value: 'Lisbon', validFromUs: LONG_AGO_US, saidAtUs, isExplicit: false, confidence: 0.8 });
    expect(await confidences()).toEqual([0.4]);
  });

  it('stored already, with the begin as its time of assertion › decays from when it was recorded', async () => {
    const json = {
      ...{ schema: 'mneme.fact.v1', subject: 'user', attribute: 'employer', value: 'Initech', confidence: 0.8 },
      ...{ reinforcements: 0, sources: ['a'], trust: 'explicit' },
      ...{ recorded_at: '2024-01-01T00:00:00.000000Z', asserted_at: '2019-01-01T00:00:00.000000Z' },
    };
    const memory = {
      ...{ scope: NOWHERE, type: 'fact', text: 'The user works at Initech.', textDerived: false, tags: [] },
      ...{ importance: 0.5, priority: 0, source: { speaker: '', uri: '', origin: '' } },
      content: { mediaType: 'application/json', data: Buffer.from(JSON.stringify(json)) },
      validFromUs: LONG_AGO_US,
    };
    await storeMemories(bench.deps, { namespace: SPACE, memories: [memory], onConflict: 'fail' }, call);
    expect(await confidences()).toEqual([0.8]);
  });
});

describe('P2 confidence of facts in messages', () => {
  it.each(['I have lived in Lisbon since 2019.', 'I joined Initech in May.', 'I moved to Rome three years ago.'])(
    '%s › asserted when it was said',
    async (text) => {
      const [stored] = await factsAfter([text]);
      expect(stored && new Date(stored.fact.assertedAtUs / 1000).toISOString()).toBe('2026-03-02T12:00:00.000Z');
    },
  );
});
