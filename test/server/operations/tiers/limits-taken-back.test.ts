import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { MnemeError } from '../../../../src/memory/errors.ts';
import type { SettingChange } from '../../../../src/memory/tier-settings.ts';
import { checkSettings } from '../../../../src/server/operations/namespaces/namespaces.ts';
import { updateTierConfig } from '../../../../src/server/operations/tiers/tier-config.ts';
import { InMemoryMemoryStore } from '../../../storage/in-memory/memory-store.ts';
import { newMemory } from '../../../support/new-memory.ts';

const SPACE = 'space';
const LIMIT = 'short_term.memory_limit';
const OF_TYPE = 'type.state.short_term.memory_limit';
const clock = { nowUs: () => 1_800_000_000_000_000 };

let store: InMemoryMemoryStore;
beforeEach(() => {
  store = new InMemoryMemoryStore();
});
afterEach(() => store.close());

const set = (namespace: string, ...settings: SettingChange[]) =>
  store.write({ kind: 'setTierSettings', namespace, settings, atUs: clock.nowUs() });

async function holding(count: number): Promise<void> {
  const memories = Array.from({ length: count }, (_, at) => newMemory({ id: `m${at}`, type: 'state' }));
  await store.write({
    kind: 'store',
    namespace: SPACE,
    createNamespace: true,
    onConflict: 'fail',
    atUs: clock.nowUs(),
    memories,
  });
}

const inSpace = (...settings: SettingChange[]) =>
  checkSettings({ store, view: store }, { name: SPACE, settings, allowDemotion: false });
const inServer = (settings: SettingChange[], allowDemotion = false) =>
  updateTierConfig({ store, view: store, clock }, settings, { allowDemotion });

const refusal = (asked: Promise<unknown>) =>
  asked.then(
    () => [],
    ({ violations }: MnemeError) => violations.map(({ field, description }) => `${field} ${description}`),
  );

describe('a limit that is reset', () => {
  it("in a namespace › refused where the server's limit is below its contents", async () => {
    await set('', [LIMIT, '50'], [OF_TYPE, '40']);
    await holding(80);
    await set(SPACE, [LIMIT, '100'], [OF_TYPE, '90']);

    expect(await refusal(inSpace([LIMIT, null], [OF_TYPE, null]))).toEqual([
      expect.stringMatching(
        /^namespace\.settings\[short_term\.memory_limit\] must be at least the current 80 .*fall to 50/,
      ),
      expect.stringMatching(
        /^namespace\.settings\[type\.state\.short_term\.memory_limit\] .*the current 80 .*fall to 40/,
      ),
    ]);
    await set('', [LIMIT, '80'], [OF_TYPE, null]);
    expect(await refusal(inSpace([LIMIT, null], [OF_TYPE, null]))).toEqual([]);
  });

  it('in a namespace › accepted where the limit increases, or stays, whatever its contents', async () => {
    await set('', [LIMIT, '50']);
    await holding(80);
    expect(await refusal(inSpace([LIMIT, null]))).toEqual([]);
    await set(SPACE, [LIMIT, '10']);
    expect(await refusal(inSpace([LIMIT, null]))).toEqual([]);
  });

  it('no limit in a namespace, one on the server › refused, for it falls', async () => {
    await set('', [LIMIT, '50']);
    await holding(80);
    await set(SPACE, [LIMIT, '0']);
    expect(await refusal(inSpace([LIMIT, null]))).toEqual([expect.stringContaining('fall to 50')]);
  });

  it('on the server › refused where the default is below the contents of a namespace without its own limit', async () => {
    await set('', [LIMIT, '20000']);
    await holding(10_001);

    expect(await refusal(inServer([[LIMIT, null]]))).toEqual([
      expect.stringMatching(/^settings\[short_term\.memory_limit\] .*10001 memories in namespaces\/space, .*10000/),
    ]);
    expect(await store.tierSettings('')).toEqual(new Map([[LIMIT, '20000']]));
    expect(await inServer([[LIMIT, null]], true)).toEqual(new Map());
  });

  it('on the server › accepted where larger namespaces have their own limit', async () => {
    await set('', [LIMIT, '20000']);
    await holding(10_001);
    await set(SPACE, [LIMIT, '15000']);
    expect(await refusal(inServer([[LIMIT, null]]))).toEqual([]);
  });

  it("a weight in a namespace › refused where all of the server's are 0", async () => {
    await set('', ...['reward', 'retrieval', 'recency'].map((name) => [`importance.${name}_weight`, '0'] as const));
    await holding(1);
    await set(SPACE, ['importance.reward_weight', '1'], ['importance.surprise_weight', '0']);
    expect(await refusal(inSpace(['importance.reward_weight', null]))).toEqual([
      expect.stringContaining('must not be 0'),
    ]);
  });
});
