import { describe, expect, it } from '@jest/globals';
import { admits } from '../../../src/memory/evaluate-filter.ts';
import type { Filter } from '../../../src/memory/filter.ts';
import type { Plan } from '../../../src/search/presets/preset.ts';
import { PRESETS } from '../../../src/search/presets/presets.ts';
import { scorerOf } from '../../../src/search/scoring/scorer.ts';
import { foundBy, NOW_US, planOf, stored } from './resolve.ts';

const MINUTE_US = 60_000_000;

/** The minimal parameters of each preset. */
const LEAST: { readonly [name: string]: object } = {
  attribute: { query: 'x' },
  attributes: { attributes: { a: 1 } },
  by_step: { step: 1 },
  compound: { field: 'a', value: 1 },
  content: { query: 'x' },
  hybrid: { query_state: { health: 1 } },
  match: { example: { a: 1 } },
  path: { path: 'a' },
  sequence: { reference_id: 'm' },
  similarity: { query: 'x' },
  step_based: { reference_step: 1 },
  step_range: { start_step: 0, end_step: 9 },
  tag: { tag: 'red' },
  time_range: { start_time: '2000-01-01', end_time: '2100-01-01' },
};

/** Conditions that memories must fulfil, in every part of the plan. */
function filtersOf(plan: Plan): Filter[] {
  if (plan.kind === 'nothing') throw new Error('nothing is looked for');
  if (plan.kind === 'fused') return plan.parts.flatMap(({ plan: part }) => filtersOf(part));
  const filters = [plan.filter, plan.kind === 'sequence' ? plan.keptFilter : undefined].filter(
    (one) => one !== undefined,
  );
  return [filters.length === 1 && filters[0] ? filters[0] : { kind: 'all', filters }];
}

function from(source: string) {
  const fields = { tier: 'long_term', type: 'state', tags: ['red'], step: 1, eventAtUs: NOW_US } as const;
  return stored(source, { ...fields, json: { a: 1, metadata: { source } } });
}

const wanted = from('mail');
const narrowing = { tier: 'ltm', memory_type: 'state', metadata_filter: { 'content.metadata.source': 'mail' } };

describe.each([...PRESETS.keys()].filter((name) => name !== 'combined'))('%s', (name) => {
  it.each(Object.keys(narrowing))('is narrowed by %s', (parameter) => {
    const provided = { ...LEAST[name], tier: 'ltm', [parameter]: narrowing[parameter as keyof typeof narrowing] };
    const others = {
      tier: { ...wanted, tier: 'short_term' as const },
      memory_type: { ...wanted, type: 'action' },
      metadata_filter: from('phone'),
    };
    for (const filter of filtersOf(planOf(name, provided))) {
      expect(admits(filter, wanted)).toBe(true);
      expect(admits(filter, others[parameter as keyof typeof others])).toBe(false);
    }
  });
});

describe('path', () => {
  it('is case-sensitive by default', () => {
    const hall = [stored('hall', { json: { room: 'Hall' } })];
    const pattern = { path: 'content.room', regex: '^hall$' };
    expect(foundBy('path', pattern, hall)).toEqual([]);
    expect(foundBy('path', { ...pattern, case_sensitive: false }, hall)).toEqual(['hall']);
  });
});

describe('window and temporal', () => {
  const memories = [0, 10, 44, 45, 46].map((minutes) =>
    stored(`${minutes}`, { eventAtUs: NOW_US - minutes * MINUTE_US, step: minutes }),
  );

  it('last_minutes is counted from now, its start left out', () => {
    expect(foundBy('window', { last_minutes: 45 }, memories)).toEqual(['0', '10', '44']);
  });

  it('start_time and end_time of temporal are inclusive, and nearness is to the end', () => {
    const bounds = { start_time: '2024-07-17T13:45:00Z', end_time: '2024-07-17T14:20:00Z' };
    expect(foundBy('temporal', bounds, memories)).toEqual(['10', '44', '45']);
  });

  it('time is another name for timestamp', () => {
    const at = '2024-07-17T13:46:00Z';
    expect(foundBy('temporal', { time: at }, memories)).toEqual(foundBy('temporal', { timestamp: at }, memories));
    expect(foundBy('temporal', { time: at }, memories)[0]).toBe('44');
  });
});

describe('step_based', () => {
  it.each([
    [1, 0.75],
    [2, Math.sqrt(0.75)],
    [0.5, 0.75 ** 2],
  ])('with step_weight %d › at half of the range the score is %d', (step_weight, score) => {
    const plan = planOf('step_based', { reference_step: 100, step_range: 50, step_weight });
    if (plan.kind !== 'scored') throw new Error(plan.kind);
    expect(scorerOf(plan.scoring)(stored('m', { step: 125 }), () => undefined)?.score).toBeCloseTo(score, 12);
  });
});

describe('hybrid and match', () => {
  it('hybrid compares the named fields, each item of an array separately', () => {
    const plan = planOf('hybrid', { query_state: { mood: 'calm', bag: ['key', 'map'] }, fields: ['mood', 'bag'] });
    const attributes = plan.kind === 'fused' ? plan.parts.find(({ name }) => name === 'attributes')?.plan : undefined;
    if (attributes?.kind !== 'scored') throw new Error('no attributes are compared');
    const json = { mood: 'calm', bag: ['map'] };
    expect(scorerOf(attributes.scoring)(stored('m', { json }), () => json)?.score).toBeCloseTo(2 / 3, 12);
  });

  it.each([
    ['hybrid', { query_state: { room: 'hall' } }],
    ['match', { example: { room: 'hall' } }],
  ])('%s repeats emphasized values', (name, provided) => {
    const plan = planOf(name, { ...provided, context_weights: { room: 0.4 } });
    const cue = plan.kind === 'fused' ? plan.parts[0]?.plan : plan;
    expect(cue).toMatchObject({ kind: 'cue', text: 'room hall room hall' });
  });
});

describe('sequence', () => {
  it('orders by the time at a path, and after_count alone has nothing before', () => {
    const plan = planOf('sequence', { reference_id: 'm', after_count: 2, timestamp_field: 'content.at' });
    expect(plan).toMatchObject({ beforeCount: 0, afterCount: 2, timePath: 'content.at' });
  });
});
