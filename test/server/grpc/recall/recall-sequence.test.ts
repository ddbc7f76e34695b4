import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Mneme, type RecallQuery } from '../../../../clients/typescript/src/index.ts';
import { PATIENT_CLIENT } from '../../../support/patient.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let mneme: Mneme;

const START = Date.parse('2024-07-17T08:00:00Z');

beforeAll(async () => {
  server = await startTestServer({ embedder: 'none' });
  mneme = connect(server.address, { ...PATIENT_CLIENT, namespace: 'sequences' });
  const received = (id: string, type: string, hour: number, agent = 'ann') => ({
    id,
    type: 'event',
    scope: { agent },
    eventTime: new Date(START + hour * 3_600_000),
    content: { content: id, metadata: { type, floor: hour % 2 } },
  });
  await mneme.batchStore([
    received('m0', 'meeting', 0),
    received('m1', 'meeting', 1),
    received('task', 'task', 1.5),
    received('m2', 'meeting', 2),
    received('m3', 'meeting', 3),
    received('m4', 'meeting', 4),
    received('hers', 'meeting', 2.5, 'bea'),
  ]);
});

afterAll(async () => {
  void mneme.close();
  await server.stop();
});

async function sequenceOf(parameters: object, query: RecallQuery = {}): Promise<string[]> {
  const preset = { name: 'sequence', parameters: { reference_id: 'm2', ...parameters } };
  const { hits } = await mneme.recall({ scope: { agent: 'ann' }, ...query, preset });
  return hits.map(({ memory }) => memory.id);
}

describe('Recall by the preset sequence', () => {
  it('returns memories of the kind of the reference, half of the others before it and the remainder after', async () => {
    expect(await sequenceOf({})).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
    expect(await sequenceOf({ sequence_size: 4 })).toEqual(['m1', 'm2', 'm3', 'm4']);
    expect(await sequenceOf({ before_count: 0, after_count: 1 })).toEqual(['m2', 'm3']);
  });

  it('returns the whole of a time window with both its ends, whatever the counts', async () => {
    expect(await sequenceOf({ time_window_minutes: 60, sequence_size: 1 })).toEqual(['m1', 'm2', 'm3']);
    expect(await sequenceOf({ time_window_minutes: 59 })).toEqual(['m2']);
    expect(await sequenceOf({ time_window_minutes: 0 })).toEqual(['m2']);
  });

  it('is cut off at its end by a limit', async () => {
    expect(await sequenceOf({}, { limit: 2 })).toEqual(['m0', 'm1']);
  });

  it('selects by metadata_filter among the surrounding memories, in every view', async () => {
    const chosen = { sequence_size: 3, metadata_filter: { 'content.metadata.floor': 1 } };
    for (const view of ['metadata', 'basic', 'full'] as const) {
      expect(await sequenceOf(chosen, { view })).toEqual(['m1', 'm3']);
    }
  });

  it('knows no reference outside of the scope and the tier', async () => {
    const missing = { code: 'NOT_FOUND', reason: 'MEMORY_NOT_FOUND' };
    await expect(sequenceOf({ reference_id: 'hers' })).rejects.toMatchObject(missing);
    await expect(sequenceOf({ tier: 'ltm' })).rejects.toMatchObject(missing);
  });
});
