import { describe, expect, it } from '@jest/globals';
import { scorerOf } from '../../../src/search/scoring/scorer.ts';
import { foundBy, planOf, stored } from './resolve.ts';

const entry = (id: string, content: string, metadata: object) => stored(id, { json: { content, metadata } });

const memories = [
  entry('kickoff', 'Meeting about the meeting room', {
    type: 'meeting',
    tags: ['meeting', 'development'],
    importance: 'high',
    source: 'meeting minutes',
    floor: 3,
  }),
  entry('patch', 'Security patch 3', { type: 'note', tags: ['security'], importance: 'high', source: 'mail' }),
  entry('memo', 'A memo of a meeting', { type: 'meeting note', tags: ['dev', 'room'], importance: 'low' }),
];
const sorted = (query: unknown, parameters: object = {}) =>
  foundBy('attribute', { query, ...parameters }, memories).sort();

/** The score of a memory, which is absent when it is not found. */
function scoreOf(id: string, parameters: object): number | undefined {
  const plan = planOf('attribute', parameters);
  if (plan.kind !== 'scored') throw new Error(`it is ${plan.kind}`);
  const memory = memories.find((each) => each.id === id);
  return memory && scorerOf(plan.scoring)(memory, () => JSON.parse(String(memory.content?.data)))?.score;
}

describe('attribute › a single-value query', () => {
  it('with match_all must be found in every field, so a memory without one is omitted', () => {
    const fields = { content_fields: ['content.content'], metadata_fields: ['content.metadata.type'] };
    expect(sorted('meeting', { match_all: true })).toEqual([]);
    expect(sorted('meeting', { match_all: true, ...fields })).toEqual(['kickoff', 'memo']);
    expect(sorted('note', { match_all: true, ...fields })).toEqual([]);
  });

  it('is a whole item of tags, as it is written even among regular expressions', () => {
    const tags = { metadata_fields: ['content.metadata.tags'] };
    expect(sorted('dev', tags)).toEqual(['memo']);
    expect(sorted('^dev', { ...tags, use_regex: true })).toEqual([]);
    expect(sorted('DEV', { ...tags, case_sensitive: true })).toEqual([]);
  });

  it('may be a number or a truth value, looked for as it is written', () => {
    expect(sorted(3)).toEqual(['patch']);
    expect(sorted(3, { metadata_fields: ['content.metadata.floor'] })).toEqual(['kickoff', 'patch']);
    expect(sorted(true)).toEqual([]);
  });

  it('is looked for in the default fields when a list of them is empty', () => {
    expect(sorted('mail', { content_fields: [], metadata_fields: [] })).toEqual(['patch']);
  });
});

describe('attribute › values by label', () => {
  it.each([
    [{ metadata: { type: 'meet' } }, ['kickoff', 'memo']],
    [{ metadata: { tags: 'dev' } }, ['kickoff', 'memo']],
    [{ metadata: { floor: 3 } }, ['kickoff']],
    [{ metadata: { tags: ['dev', 'room'] } }, ['memo']],
    [{ metadata: { tags: ['room', 'dev'] } }, []],
    [{ content: 3 }, ['patch']],
  ])('%j is a part of the value, and an array all of it', (query, expected) => {
    expect(sorted(query)).toEqual(expected);
  });

  it('are regular expressions too, on each item of an array', () => {
    expect(sorted({ metadata: { tags: '^dev$' } }, { use_regex: true })).toEqual(['memo']);
    expect(sorted({ content: '^a', metadata: { type: 'note$' } }, { use_regex: true, match_all: true })).toEqual([
      'memo',
    ]);
  });

  it('all count with match_all, including several fields of a name', () => {
    const query = { content: 'meeting', metadata: { importance: 'high' } };
    expect(sorted(query, { match_all: true })).toEqual(['kickoff']);
    expect(sorted(query)).toEqual(['kickoff', 'memo', 'patch']);
    const metadata_fields = ['content.metadata.type', 'content.other.type'];
    expect(sorted({ metadata: { type: 'note' } }, { match_all: true, metadata_fields })).toEqual([]);
  });
});

describe('attribute › scores by formula', () => {
  const one = { metadata_fields: ['content.none'] };

  it.each([
    ['length_ratio', 7 / 30],
    ['term_frequency', 2 / 5],
    ['bm25', (2 * 2.2) / (2 + 1.2 * (0.25 + (0.75 * 5) / 100)) / 10],
    ['binary', 1],
  ])('%s, shared among the fields looked at', (scoring_method, expected) => {
    expect(scoreOf('kickoff', { query: 'meeting', scoring_method, ...one })).toBeCloseTo(expected / 2, 12);
  });

  it('scores 0.8 for a pattern and 0 for an item of tags', () => {
    expect(scoreOf('patch', { query: 'pat.h', use_regex: true, ...one })).toBeCloseTo(0.4, 12);
    expect(scoreOf('patch', { query: 'security', metadata_fields: ['content.metadata.tags'] })).toBeCloseTo(0.25, 12);
    expect(scoreOf('memo', { query: 'dev', metadata_fields: ['content.metadata.tags'] })).toBe(0);
  });

  it('counts the sum by the share of conditions that matched when all must', () => {
    const query = { content: 'patch', metadata: { importance: 'high' } };
    expect(scoreOf('patch', { query, match_all: true })).toBeCloseTo(5 / 16 + 1, 12);
    expect(scoreOf('patch', { query })).toBeCloseTo((5 / 16 + 1) / 2, 12);
  });
});
