import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../../../clients/typescript/src/index.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let mneme: Mneme;
beforeAll(async () => {
  server = await startTestServer({ embedder: 'none' });
  mneme = connect(server.address, { namespace: 'tokyo' });
  await mneme.batchStore([
    { text: 'Fixed the bicycle.', eventTime: '2026-11-20T08:00+09:00' },
    { text: 'Baked a lemon cake.', eventTime: '2026-11-19T15:00+09:00' },
    { text: 'Cleaned the windows.', eventTime: '2026-11-19T08:30+09:00' },
    { text: 'Played chess with Ken.', eventTime: '2026-11-18T20:00+09:00' },
  ]);
});
afterAll(async () => {
  await mneme.close();
  await server.stop();
});

const AT = '2026-11-20T20:00+09:00';
const YESTERDAY = ['Baked a lemon cake.', 'Cleaned the windows.'];

async function firstOf(question: Parameters<Mneme['recall']>[0], count: number): Promise<string[]> {
  const { hits } = await mneme.recall(question);
  return hits.slice(0, count).map(({ memory }) => memory.text);
}

describe('R5 days are those of the user', () => {
  it('a zone, an offset, and the offset of the reference time › the same days', async () => {
    const referenceTime = new Date(AT);
    const text = 'What happened yesterday?';
    for (const zoned of [
      { referenceTime, timeZone: 'Asia/Tokyo' },
      { referenceTime, timeZone: '+09:00' },
      { referenceTime: AT },
    ]) {
      expect((await firstOf({ text, ...zoned }, 2)).sort()).toEqual(YESTERDAY);
    }
    expect(await firstOf({ text: 'What did I do today?', referenceTime: AT }, 1)).toEqual(['Fixed the bicycle.']);
    expect(await firstOf({ text: 'What did I do this morning?', referenceTime: AT }, 1)).toEqual([
      'Fixed the bicycle.',
    ]);
  });

  it('a request without a zone › is of that of its namespace', async () => {
    const at = new Date(AT);
    const text = 'What happened yesterday?';
    const set = (zone: string | null) => mneme.namespaces.update('tokyo', { settings: { 'recall.time_zone': zone } });
    await set('Asia/Tokyo');
    try {
      expect((await firstOf({ text, referenceTime: at }, 2)).sort()).toEqual(YESTERDAY);
      expect((await firstOf({ text, referenceTime: at, timeZone: 'UTC' }, 4)).sort()).not.toEqual(YESTERDAY);
      await expect(set('Mars/Base')).rejects.toThrow('IANA name such as Europe/Berlin');
    } finally {
      await set(null);
    }
  });

  it('a context › names the days of the zone', async () => {
    const { text } = await mneme.buildContext({ query: 'What did I clean?', referenceTime: AT, minRelevance: 0 });
    expect(text).toContain('time="2026-11-19">Cleaned the windows.');
  });

  it('what is no zone › FIELD_INVALID, with the field', async () => {
    for (const call of [
      mneme.recall({ text: 'a', timeZone: 'Mars/Base' }),
      mneme.buildContext({ query: 'a', timeZone: 'Mars/Base' }),
    ]) {
      await expect(call).rejects.toThrow(
        'time_zone: must be an IANA name such as Europe/Berlin, or an offset such as +09:00, got "Mars/Base"',
      );
    }
  });
});
