import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { longText, SHORT_TEXTS } from '../support/long-texts.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';

const ANSWER = 'The spare key of the boat house hangs behind the blue barometer.';

describe('a server killed directly after it acknowledged a long text', () => {
  let data: string;
  let server: RunningMneme;
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'mneme-long-crash-'));
    server = await startMneme({ data });
  });
  afterAll(async () => {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  });

  it('returns it bit for bit, finds it by its passage, and finds nothing of the text that it replaced', async () => {
    const before = connect(server.address, PATIENT_CLIENT);
    const [old, text] = [longText(300_000, 'It was sold in spring.'), longText(1_000_000, ANSWER)];
    try {
      await before.batchStore(Object.entries(SHORT_TEXTS).map(([id, short]) => ({ id, text: short })));
      await before.store({ id: 'long', text: old });
      await before.recall('Where is the spare key?');
      await before.update('long', { text });
    } finally {
      await server.stop('SIGKILL');
      void before.close();
    }
    server = await startMneme({ data });
    const after = connect(server.address, PATIENT_CLIENT);
    try {
      const { hits } = await after.recall({ text: 'Where is the spare key of the boat house?', minRelevance: 0 });
      expect(hits[0]?.memory.id).toBe('long');
      expect(hits[0]?.passage?.text).toContain(ANSWER);
      expect((await after.get('long')).text === text).toBe(true);
      const sold = await after.recall({ text: 'What was sold in spring?', limit: 60, minRelevance: 0 });
      expect(sold.hits.find(({ memory }) => memory.id === 'long')?.passage?.text ?? '').not.toContain('sold in spring');
    } finally {
      void after.close();
    }
  });
});
