import { describe, expect, it } from '@jest/globals';
import { DEFAULT_TIER_POLICY, promotionOf, tierBelow } from '../../src/memory/tier-policy.ts';
import { type SettingChange, settingViolations, TIER_SETTINGS, tierPolicyOf } from '../../src/memory/tier-settings.ts';

const NONE = new Map<string, string>();
const policy = (settings: Record<string, string>) => tierPolicyOf(new Map(Object.entries(settings)));
const faults = (...changes: SettingChange[]) =>
  settingViolations(changes, { server: NONE, own: NONE }, 'settings').map(
    ({ field, description }) => `${field} ${description}`,
  );

describe('tierPolicyOf', () => {
  it('no settings › the default', () => {
    expect(policy({})).toEqual(DEFAULT_TIER_POLICY);
  });

  it('every setting › changes only its own part of the policy', () => {
    const values: Record<string, string> = {
      'short_term.memory_limit': '50',
      'short_term.bytes_limit': '1000000',
      'short_term.ttl': '90s',
      'intermediate.memory_limit': '150',
      'intermediate.bytes_limit': '2000000',
      'intermediate.ttl': 'none',
      'intermediate.abstract_bytes': '100',
      'intermediate.compression_level': '5',
      'intermediate.vector': 'i8',
      'intermediate.vector_dimension': '64',
      'intermediate.drop_keys': 'debug_info, trace',
      'intermediate.round_decimals': '3',
      'long_term.abstract_bytes': '50',
      'long_term.compression_level': '19',
      'long_term.vector': 'f32',
      'long_term.vector_dimension': '32',
      'long_term.drop_keys': 'trace',
      'long_term.round_decimals': '1',
      'long_term.types': 'fact,episode',
      'importance.reward_weight': '0.7',
      'importance.retrieval_weight': '0.8',
      'importance.recency_weight': '0.9',
      'importance.surprise_weight': '1',
      'importance.reward_max': '1.5',
      'importance.retrieval_max': '20',
      'importance.recency': '7d',
      'importance.decay_factor': '0.5',
      'importance.decay_interval': '100 steps',
      'promotion.retrieval_count': '3',
      'promotion.importance': '0.25',
    };
    expect(Object.keys(values)).toEqual(Object.keys(TIER_SETTINGS));
    const changedBy = Object.entries(values).map(([key, value]) => JSON.stringify(policy({ [key]: value })));
    expect(new Set([JSON.stringify(DEFAULT_TIER_POLICY), ...changedBy]).size).toBe(changedBy.length + 1);
    const all = policy(values);
    expect(all.rules.short_term).toMatchObject({ memoryLimit: 50, bytesLimit: 1_000_000, ttlUs: 90_000_000 });
    expect(all.rules.intermediate).toEqual({
      memoryLimit: 150,
      bytesLimit: 2_000_000,
      resolution: {
        abstractBytesMax: 100,
        compressionLevel: 5,
        vector: 'i8',
        vectorDimension: 64,
        lossy: { dropKeys: ['debug_info', 'trace'], decimals: 3 },
      },
    });
    expect(all.rules.long_term.resolution).toMatchObject({
      compressionLevel: 19,
      lossy: { dropKeys: ['trace'], decimals: 1 },
    });
    expect(all.longTermTypes).toEqual(['fact', 'episode']);
    expect(all.importance).toEqual({
      rewardWeight: 0.7,
      retrievalWeight: 0.8,
      recencyWeight: 0.9,
      surpriseWeight: 1,
      rewardMax: 1.5,
      retrievalMax: 20,
      recencyUs: 7 * 86_400_000_000,
      decay: { factor: 0.5, per: 'step', interval: 100 },
    });
    expect(all.promotion).toEqual({ retrievalCountMin: 3, importanceMin: 0.25 });
  });

  it('settings of types › one rule for each type and tier', () => {
    const { types } = policy({
      'type.state.short_term.memory_limit': '20',
      'type.state.short_term.ttl': '10m',
      'type.fact.intermediate.ttl': 'none',
    });
    expect(types).toEqual([
      { type: 'state', tier: 'short_term', memoryLimit: 20, ttlUs: 600_000_000 },
      { type: 'fact', tier: 'intermediate', memoryLimit: 0 },
    ]);
  });

  it('two layers › the later one wins, key by key', () => {
    const server = new Map([
      ['short_term.memory_limit', '7'],
      ['short_term.ttl', '1s'],
    ]);
    const { short_term } = tierPolicyOf(server, new Map([['short_term.ttl', '2s']])).rules;
    expect(short_term).toMatchObject({ memoryLimit: 7, ttlUs: 2_000_000 });
  });
});

describe('settingViolations', () => {
  it.each([
    ['a wrong tier', 'shortterm.memory_limit', '5', 'is not a setting'],
    ['long-term memories with a time to live', 'long_term.ttl', '5d', 'is not a setting'],
    ['a key of the language', 'constructor', '5', 'is not a setting'],
    ['a wrong tier of a type', 'type.state.long_term.ttl', '5d', 'is not a setting'],
    ['a wrong type', 'type.a-b.short_term.ttl', '5d', 'is not a setting'],
    ['a lifetime of zero', 'short_term.ttl', '0s', 'above zero'],
    ['a negative lifetime', 'short_term.ttl', '-5m', 'above zero'],
    ['a lifetime without unit', 'intermediate.ttl', '60', 'such as 90s'],
    ['a lifetime for a type', 'type.state.short_term.ttl', '0d', 'above zero'],
    ['a lifetime of ages', 'intermediate.ttl', '521w', 'up to 520w'],
    ['a negative limit', 'short_term.memory_limit', '-1', 'whole number from 0'],
    ['half a memory', 'short_term.memory_limit', '1.5', 'whole number from 0'],
    ['no number', 'short_term.bytes_limit', 'many', 'whole number from 0'],
    ['beyond the levels of zstd', 'long_term.compression_level', '20', 'from 0 to 19'],
    ['an unknown form', 'long_term.vector', 'f16', 'one of f32, bf16, i8'],
    ['too many dimensions', 'long_term.vector_dimension', '5000', 'from 0 to 4096'],
    ['a factor that grows', 'importance.decay_factor', '1.1', 'from 0 to 1'],
    ['not a number', 'importance.reward_weight', 'NaN', 'from 0 to 1000'],
    ['no reward that counts in full', 'importance.reward_max', '0', 'from 0.000001'],
    ['an interval of nothing', 'importance.decay_interval', '0 steps', 'number of steps'],
    ['an empty key to drop', 'long_term.drop_keys', 'a,,b', 'keys with commas'],
    ['a type of spaces', 'long_term.types', 'two words', 'types with commas'],
  ])('%s › named, with the expected value', (_, key, value, expected) => {
    const found = faults([key, value]);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`settings[${key}] `);
    expect(found[0]).toContain(expected);
  });

  it.each([
    ['cache.entrys', 'did you mean cache.entries? there are cache.{entries|'],
    ['promotion.retrieval_counts', 'did you mean promotion.retrieval_count? '],
    ['importance.x', 'there are importance.{'],
    ['type.x.long_term.ttl', 'settings of a type have the form type.{type}.'],
    ['x'.repeat(1_000_000), 'there are '],
  ])('%p is no setting › the refusal names the nearest setting', (key, expected) => {
    const [{ description = '' } = {}] = settingViolations([[key, '1']], { server: NONE, own: NONE }, 'settings');
    expect(description).toContain(`is not a setting; ${expected}`);
    expect(description.length).toBeLessThan(260);
  });

  it('one invalid key among valid ones › only that one is named', () => {
    const found = faults(['short_term.ttl', '1h'], ['short_term.ttll', '1h'], ['intermediate.ttl', '1d']);
    expect(found).toEqual([expect.stringContaining('settings[short_term.ttll] is not a setting')]);
  });

  it('all weights 0 › refused, also when some were 0 before', () => {
    const zero = ['retrieval', 'recency', 'surprise'].map((name) => [`importance.${name}_weight`, '0'] as const);
    expect(faults(...zero)).toEqual([]);
    const found = settingViolations(
      [['importance.reward_weight', '0']],
      { server: NONE, own: new Map(zero) },
      'settings',
    );
    expect(found).toEqual([
      { field: 'settings[importance.reward_weight]', description: expect.stringContaining('not be 0') },
    ]);
  });

  it('a control character in a key, an endless value, too many settings › refused in a short sentence', () => {
    const [found = ''] = faults(['a\u0000b', '1'], ['long_term.drop_keys', 'x'.repeat(9000)]);
    expect(found).toContain(String.raw`settings["a\u0000b"]`);
    expect(faults(['long_term.drop_keys', 'x'.repeat(9000)])[0]?.length).toBeLessThan(300);
    const many = Array.from({ length: 257 }, (_, at) => [`type.t${at}.short_term.ttl`, '1s'] as const);
    expect(faults(...many)).toEqual(['settings must be at most 256 settings, got 257']);
    expect(faults(...many.slice(0, 65))[0]).toContain('at most 64 types, got 65');
  });

  it('settings removed › accepted, unless they are unknown', () => {
    expect(faults(['short_term.ttl', null])).toEqual([]);
    expect(faults(['short_term.tl', null])).toHaveLength(1);
  });
});

describe('promotionOf, tierBelow', () => {
  const rule = { retrievalCountMin: 2, importanceMin: 0.5 };

  it('read often enough and important enough › one tier up, never beyond the first', () => {
    expect(promotionOf({ tier: 'long_term', retrievalCount: 2 }, 0.5, rule)).toBe('intermediate');
    expect(promotionOf({ tier: 'intermediate', retrievalCount: 2 }, 0.5, rule)).toBe('short_term');
    expect(promotionOf({ tier: 'short_term', retrievalCount: 9 }, 1, rule)).toBeUndefined();
    expect(promotionOf({ tier: 'long_term', retrievalCount: 1 }, 0.5, rule)).toBeUndefined();
    expect(promotionOf({ tier: 'long_term', retrievalCount: 2 }, 0.49, rule)).toBeUndefined();
  });

  it('types allowed in long-term memory › only these move there from intermediate memory', () => {
    expect(tierBelow('short_term', 'state', { longTermTypes: ['fact'] })).toBe('intermediate');
    expect(tierBelow('intermediate', 'state', { longTermTypes: ['fact'] })).toBeUndefined();
    expect(tierBelow('intermediate', 'fact', { longTermTypes: ['fact'] })).toBe('long_term');
    expect(tierBelow('intermediate', 'state', { longTermTypes: [] })).toBe('long_term');
    expect(tierBelow('long_term', 'fact', { longTermTypes: [] })).toBeUndefined();
  });
});
