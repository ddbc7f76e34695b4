import { describe, expect, it } from '@jest/globals';
import { PRESETS } from '../../../src/search/presets/presets.ts';
import { faultsOf, planOf } from './resolve.ts';

describe('similarity', () => {
  it('looks for the words of a text or a state by vector alone', () => {
    expect(planOf('similarity', { query: 'a red door' })).toMatchObject({
      kind: 'cue',
      text: 'a red door',
      minSimilarity: 0.6,
    });
    expect(planOf('similarity', { query: { room: 'hall' }, min_score: 0.2 })).toMatchObject({
      text: 'room hall',
      minSimilarity: 0.2,
      weights: { keyword: 0, vector: 1 },
    });
  });

  it('accepts a vector or a memory', () => {
    expect(planOf('similarity', { query: [0.5, 0] })).toMatchObject({ kind: 'cue', vector: [0.5, 0] });
    expect(planOf('similarity', { memory_id: 'm1' })).toMatchObject({ kind: 'cue', similarToId: 'm1' });
  });

  it('finds nothing by a degenerate query', () => {
    for (const query of ['', '  ', {}, [], null]) expect(planOf('similarity', { query })).toEqual({ kind: 'nothing' });
  });

  it('finds nothing nearer than equal, and everything with a low minimum cosine', () => {
    expect(planOf('similarity', { query: 'x', min_score: 1.1 })).toEqual({ kind: 'nothing' });
    expect(planOf('similarity', { memory_id: 'm1', min_score: 2 })).toEqual({ kind: 'nothing' });
    expect(planOf('similarity', { query: 'x', min_score: -2 })).toMatchObject({ kind: 'cue', minSimilarity: -2 });
  });

  it('repeats emphasized values of a state', () => {
    const plan = planOf('similarity', { query: { room: 'hall', health: 3 }, context_weights: { room: 0.7 } });
    expect(plan).toMatchObject({ text: 'room hall health 3 room hall room hall' });
  });

  it.each([
    [{}, 'query'],
    [{ query: 'x', memory_id: 'y' }, 'query'],
    [{ query: 'x', min_score: 'high' }, 'min_score'],
    [{ query: [0, 0] }, 'query'],
    [{ query: { a: 1 }, context_weights: { a: 0 } }, 'context_weights'],
    [{ query: { a: 1 }, context_weights: { a: -1 } }, 'context_weights.a'],
  ])('refuses %j', (parameters, field) => {
    expect(faultsOf('similarity', parameters)).toEqual([`preset.parameters.${field}`]);
  });
});

describe('match', () => {
  it('looks for the fields of the example that are named', () => {
    const example = { content: 'a door', metadata: { type: 'note', source: 'mail' } };
    expect(planOf('match', { example, fields: ['content', 'metadata.type'] })).toMatchObject({
      text: 'content a door type note',
    });
    expect(planOf('match', { example, fields: ['content.metadata.source'] })).toMatchObject({ text: 'source mail' });
  });

  it('finds nothing when the example has none of the named fields', () => {
    for (const fields of [['b'], []]) {
      expect(planOf('match', { example: { a: 1 }, fields })).toEqual({ kind: 'nothing' });
    }
  });

  it.each([
    [{}, 'example'],
    [{ example: {} }, 'example'],
    [{ example: 'a' }, 'example'],
    [{ example: { a: 1 }, fields: 'a' }, 'fields'],
  ])('refuses %j', (parameters, field) => {
    expect(faultsOf('match', parameters)).toContain(`preset.parameters.${field}`);
  });
});

describe('hybrid and combined', () => {
  it('omit parts without weight', () => {
    const hybrid = planOf('hybrid', { query_state: { health: 3 }, vector_weight: 0 });
    expect(hybrid).toMatchObject({ kind: 'fused', parts: [{ name: 'attributes', weight: 0.3 }] });
    const strategies = { recent: { weight: 0 }, importance: { weight: 2, parameters: { min_importance: 0.5 } } };
    expect(planOf('combined', { strategies })).toMatchObject({ parts: [{ name: 'importance', weight: 2 }] });
  });

  it.each([
    ['hybrid', { query_state: { a: 1 }, vector_weight: 0, attribute_weight: 0 }, 'vector_weight'],
    ['hybrid', { query_state: {} }, 'query_state'],
    ['combined', { strategies: {} }, 'strategies'],
    ['combined', { strategies: { recent: { weight: 0 } } }, 'strategies'],
    ['combined', { strategies: { recent: { weight: -1 } } }, 'strategies.recent.weight'],
    ['combined', { strategies: { combined: {} } }, 'strategies.combined'],
    ['combined', { strategies: { tag: {} } }, 'strategies.tag.parameters.tag'],
    ['combined', { strategies: { tag: { parameters: { tag: 'a' }, boost: 1 } } }, 'strategies.tag.boost'],
  ])('%s refuses %j', (name, parameters, field) => {
    expect(faultsOf(name, parameters)).toEqual([`preset.parameters.${field}`]);
  });
});

describe('sequence', () => {
  it.each([
    [{ reference_id: 'm' }, { beforeCount: 2, afterCount: 2 }],
    [
      { reference_id: 'm', sequence_size: 4 },
      { beforeCount: 1, afterCount: 2 },
    ],
    [
      { reference_id: 'm', before_count: 3 },
      { beforeCount: 3, afterCount: 0 },
    ],
    [{ reference_id: 'm', time_window_minutes: 5 }, { windowUs: 300_000_000 }],
  ])('%j', (parameters, expected) => {
    expect(planOf('sequence', parameters)).toMatchObject({ kind: 'sequence', ...expected });
  });

  it('includes the whole of a time window, whatever the counts', () => {
    for (const counts of [{ sequence_size: 3 }, { before_count: 1, after_count: 1 }]) {
      const plan = planOf('sequence', { reference_id: 'm', time_window_minutes: 5, ...counts });
      expect(plan).not.toHaveProperty('beforeCount');
      expect(plan).not.toHaveProperty('afterCount');
    }
  });

  it.each([
    [{}, 'reference_id'],
    [{ reference_id: 'm', sequence_size: 0 }, 'sequence_size'],
    [{ reference_id: 'm', sequence_size: 3, after_count: 1 }, 'sequence_size'],
    [{ reference_id: 'm', time_window_minutes: -1 }, 'time_window_minutes'],
  ])('refuses %j', (parameters, field) => {
    expect(faultsOf('sequence', parameters)).toContain(`preset.parameters.${field}`);
  });
});

describe('every preset', () => {
  it('describes its results and each parameter', () => {
    for (const { name, description, parameters } of PRESETS.values()) {
      expect([name, description.endsWith('.'), parameters.every((parameter) => parameter.description !== '')]).toEqual([
        name,
        true,
        true,
      ]);
    }
  });

  it('refuses a parameter that it does not have', () => {
    for (const name of PRESETS.keys()) expect(faultsOf(name, { no_such: 1 })).toContain('preset.parameters.no_such');
  });

  it('is refused by a name that none has', () => {
    expect(faultsOf('recentest', {})).toEqual(['preset.name']);
  });
});
