import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import '../../../src/memory/json.ts';
import { connect, type Mneme, path } from '../../../clients/typescript/src/index.ts';
import { PATIENT_CLIENT } from '../../support/patient.ts';
import { type ServedMneme, serveMneme } from '../support/serve-mneme.ts';
import { type McpHost, startMcpHost } from './support/mcp-host.ts';

const ANN = 1145678901234567890n;
const rawJson = JSON as unknown as { rawJSON(text: string): unknown };

let server: ServedMneme;
let mneme: Mneme;
let host: McpHost;
beforeAll(async () => {
  server = await serveMneme();
  mneme = connect(server.address, { ...PATIENT_CLIENT, namespace: 'n' });
  host = await startMcpHost('2025-11-25', ['--server', server.address, '--namespace', 'n']);
});
afterAll(async () => {
  await host.close();
  void mneme.close();
  await server.stop();
});

describe('A2 integers that a double cannot hold, in MCP', () => {
  it('the TypeScript client › stores, filters by and returns bigints', async () => {
    const { id } = await mneme.store({ id: 'ann', text: 'Ann', content: { user_id: ANN, list: [-(2n ** 64n), 1.5] } });
    await mneme.store({ id: 'bob', text: 'Bob', content: { user_id: ANN + 1n } });
    expect((await mneme.get(id)).content?.json()).toEqual({ user_id: ANN, list: [-(2n ** 64n), 1.5] });
    const found = await mneme.list({ filter: path('user_id').equals(ANN) }).next();
    expect(found.value?.id).toBe('ann');
    expect(await mneme.count({ filter: path('user_id').isIn([ANN, 5]) })).toMatchObject({ count: 1 });
    await mneme.session('s').set('k', { user_id: ANN });
    expect((await mneme.session('s').get('k'))?.value.json()).toEqual({ user_id: ANN });
  });

  it('recall and working memory › answer with all digits', async () => {
    const recalled = await host.call('recall', { filter_text: `content.user_id = ${ANN}`, limit: 5 });
    expect([recalled.isError, (recalled.structured['memories'] as unknown[]).length]).toEqual([false, 1]);
    const got = await host.call('working_memory_get', { session: 's', keys: ['k'] });
    expect([got.isError, got.text]).toEqual([false, `k: {"user_id":${ANN}}`]);
  });

  it.each([
    ['an integer', ANN],
    ['a negative one, in an array of an object', { ids: [5, -(2n ** 64n)], text: `${ANN}`, share: 0.5 }],
    ['the first beyond a double, and the last within', [2n ** 53n + 1n, 2 ** 53 - 1, 2n ** 53n]],
    ['an integer of 40 digits under a key that needs an escape', { 'a"\\': 10n ** 40n + 1n }],
  ])('working_memory_set with %s › keeps all digits', async (_, value) => {
    const set = await host.call('working_memory_set', { session: 's', key: 'exact', value });
    expect([set.isError, set.text]).toEqual([false, expect.stringContaining('Set exact')]);
    const stored = await mneme.session('s').get('exact');
    expect(stored?.value.text()).toBe(JSON.stringify(value));
  });

  it.each(['1145678901234567890.5', '1.5e20'])(
    'the number %s, which cannot be exact › is refused naming it, not stored',
    async (number) => {
      const value = { ids: [5, rawJson.rawJSON(number)] };
      const refused = await host.call('working_memory_set', { session: 's', key: 'r', value });
      expect([refused.isError, refused.text]).toEqual([
        true,
        'value.ids[1]: must be within ±(2^53 - 1), or an integer with all its digits: another number would be rounded. (INVALID_ARGUMENT)',
      ]);
      expect((await host.call('working_memory_get', { session: 's', keys: ['r'] })).text).toBe('r is not there');
    },
  );

  it('X8 an argument with half of a surrogate pair › is refused naming it', async () => {
    const refused = await host.call('remember', { memories: [{ text: 'half \ud83d' }] });
    expect([refused.isError, refused.text]).toEqual([
      true,
      'memories[0].text: must be whole Unicode characters, got half of a surrogate pair at position 5. (INVALID_ARGUMENT)',
    ]);
  });
});
