import { describe, expect, it } from '@jest/globals';
import { faultsOf, foundBy, planOf, stored } from './resolve.ts';

const memories = [
  stored('a', {
    importance: 0.9,
    tier: 'long_term',
    tags: ['red'],
    lastAccessedAtUs: 1,
    json: { position: { room: 'hall', floors: [1, 2] }, health: 80, name: 'Ann' },
  }),
  stored('b', {
    importance: 0.754,
    lastAccessedAtUs: 3,
    json: { position: { room: 'attic' }, health: 20, tags: ['x'] },
  }),
  stored('c', { importance: 0.3, lastAccessedAtUs: 2, type: 'state', tags: ['red', 'blue'] }),
];

describe('importance', () => {
  it.each([
    [{ min_importance: 0.75 }, ['a', 'b']],
    [{ max_importance: 0.75 }, ['b', 'c']],
    [{ sort_order: 'asc' }, ['c', 'b', 'a']],
    [{ sort_by: ['recency'] }, ['b', 'c', 'a']],
    [{ min_importance: 0.5, tier: 'ltm' }, ['a']],
    [{ tier: 'nowhere' }, []],
  ])('%j', (parameters, expected) => {
    expect(foundBy('importance', parameters, memories)).toEqual(expected);
  });

  it('compares and orders at 2 decimals, halves to the even one', () => {
    const close = [0.866, 0.8649, 0.875, 0.8749, 0.995].map((importance, at) =>
      stored(`m${at}`, { importance, lastAccessedAtUs: at }),
    );
    expect(foundBy('importance', { min_importance: 0.874, max_importance: 0.8745 }, close)).toEqual(['m0', 'm3']);
    expect(foundBy('importance', { min_importance: 0.88, max_importance: 0.9 }, close)).toEqual(['m2']);
    expect(foundBy('importance', { min_importance: 0.9, max_importance: 0.99 }, close)).toEqual(['m4']);
    const sort_by = ['importance', 'recency'];
    expect(foundBy('importance', { min_importance: 0.87, max_importance: 0.871, sort_by }, close)).toEqual([
      'm3',
      'm0',
    ]);
  });

  it('accepts a text that is a number', () => {
    expect(foundBy('importance', { min_importance: '0.75', max_importance: ' 0.8 ' }, memories)).toEqual(['b']);
    expect(planOf('importance', { top_n: '2' })).toMatchObject({ limitMax: 2 });
  });

  it('returns at most top_n, and exactly as many unless a limit is set', () => {
    expect(planOf('importance', { top_n: 15 })).toMatchObject({ limitDefault: 15, limitMax: 15 });
    expect(planOf('importance', { top_n: 1e9 })).toMatchObject({ limitDefault: 1000 });
  });

  it.each([
    [{ min_importance: -0.5 }, 'min_importance'],
    [{ min_importance: 'high' }, 'min_importance'],
    [{ min_importance: 0.9, max_importance: 0.1 }, 'min_importance'],
    [{ top_n: 0 }, 'top_n'],
    [{ top_n: '-1' }, 'top_n'],
    [{ max_importance: '' }, 'max_importance'],
    [{ sort_by: ['age'] }, 'sort_by'],
  ])('refuses %j', (parameters, field) => {
    expect(faultsOf('importance', parameters)).toEqual([`preset.parameters.${field}`]);
  });
});

describe('path', () => {
  it.each([
    [{ path: 'content.position.room', value: 'hall' }, ['a']],
    [{ path: 'position.floors', value: 2 }, ['a']],
    [{ path: 'content.position.floors.0', value: '1' }, ['a']],
    [{ path: 'content.position.room', regex: '^.tt' }, ['b']],
    [{ path: 'content.health', gt: 20 }, ['a']],
    [{ path: 'content.health', lt: 80 }, ['b']],
    [{ path: 'content.name', exists: false }, ['b', 'c']],
    [{ path: 'content.name' }, ['a']],
  ])('%j', (parameters, expected) => {
    expect(foundBy('path', parameters, memories)).toEqual(expected);
  });

  it.each([
    [{ path: 'a b' }, 'path'],
    [{ path: 'a', regex: '(' }, 'regex'],
    [{ path: 'a', exists: false, value: 1 }, 'exists'],
  ])('refuses %j', (parameters, field) => {
    expect(faultsOf('path', parameters)).toEqual([`preset.parameters.${field}`]);
  });
});

describe('compound', () => {
  const condition = (field: string, value: unknown, comparison = 'equals') => ({ field, value, comparison });

  it.each([
    [condition('content.health', 20, 'greater_than'), ['a']],
    [condition('content.health', 20, 'greater_than_equal'), ['a', 'b']],
    [condition('content.health', 80, 'less_than'), ['b']],
    [condition('content.position.room', 'hall', 'not_equals'), ['b']],
    [condition('content.name', 'nn', 'contains'), ['a']],
    [condition('content.name', 'nn', 'regex'), []],
    [condition('content.name', 'A.', 'regex'), ['a']],
    [{ operator: 'OR', conditions: [condition('content.health', 20), condition('type', 'state')] }, ['b', 'c']],
    [
      {
        conditions: [
          condition('content.health', 0, 'greater_than'),
          { operator: 'OR', conditions: [condition('content.name', 'Ann'), condition('content.name', 'Bob')] },
        ],
      },
      ['a'],
    ],
  ])('%j', (parameters, expected) => {
    expect(foundBy('compound', parameters, memories)).toEqual(expected);
  });

  it.each([
    [{}, 'conditions'],
    [{ conditions: [] }, 'conditions'],
    [{ conditions: [{ field: 'a' }] }, 'conditions[0].value'],
    [{ conditions: [condition('a', 1, 'like')] }, 'conditions[0].comparison'],
    [{ conditions: [condition('a', '(', 'regex')] }, 'conditions[0].value'],
    [{ conditions: [{ conditions: [{ field: 'a', value: 1, vlaue: 2 }] }] }, 'conditions[0].conditions[0].vlaue'],
  ])('refuses %j', (parameters, field) => {
    expect(faultsOf('compound', parameters)).toEqual([`preset.parameters.${field}`]);
  });
});

describe('tag, attributes and custom_filter', () => {
  it.each([
    ['tag', { tag: 'red' }, ['a', 'c']],
    ['tag', { tag: ['red', 'blue'], match_all: true }, ['c']],
    ['attributes', { attributes: { 'position.room': 'attic', health: 20 } }, ['b']],
    ['attributes', { attributes: { 'content.health': '80' } }, ['a']],
    ['attributes', { attributes: { 'position.floors': [1, 2] } }, ['a']],
    ['attributes', { attributes: { 'position.floors': [2, 1] } }, []],
    ['attributes', { attributes: { position: { floors: [1, 2], room: 'hall' } } }, ['a']],
    ['attributes', { attributes: { position: { room: 'hall' } } }, []],
    ['attributes', { attributes: { position: { $contains: { room: 'hall' } } } }, ['a']],
    ['custom_filter', { memory_type: 'state' }, ['c']],
  ])('%s %j', (name, parameters, expected) => {
    expect(foundBy(name, parameters, memories)).toEqual(expected);
  });
});

describe('metadata_filter', () => {
  it.each([
    [{ 'metadata.importance_score': { $gte: 0.75 } }, ['a', 'b']],
    [{ 'metadata.importance_score': { $lt: 0.75, $ne: 0.1 } }, ['c']],
    [{ 'content.position.room': 'hall' }, ['a']],
    [{ 'content.health': '20' }, ['b']],
    [{ 'content.position.floors': [1, 2] }, ['a']],
    [{ 'content.position.floors': [1, 3] }, []],
    [{ 'content.position.floors': [1] }, []],
    [{ 'content.position.floors': { $contains: [2] } }, ['a']],
    [{ 'content.position.floors': { $contains: 2 } }, ['a']],
    [{ 'content.position.floors': { $ne: [1, 2] } }, ['b', 'c']],
    [{ 'content.position': { room: 'attic' } }, ['b']],
    [{ 'content.metadata.tags': ['blue', 'red'] }, ['c']],
    [{ type: 'state' }, ['c']],
    [{ 'content.nothing': 'x' }, []],
    [{ current_tier: 'ltm' }, ['a']],
  ])('%j', (metadata_filter, expected) => {
    expect(foundBy('recent', { metadata_filter }, memories)).toEqual(expected);
  });
});
