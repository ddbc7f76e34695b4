import { describe, expect, it } from '@jest/globals';
import { faultsOf, foundBy, stored } from './resolve.ts';

const note = (id: string, content: string, metadata: object = {}) => stored(id, { json: { content, metadata } });

const memories = [
  note('long', 'Meeting with Alice about the new project and everything around it', {
    type: 'meeting',
    tags: ['planning'],
  }),
  note('short', 'a meeting', { type: 'note', tags: ['project'], source: 'mail', count: 5 }),
  note('other', 'Nothing of the kind', { type: 'note', tags: ['projects'], importance: 'high' }),
];

describe('attribute › a text', () => {
  it('is found as a part of texts and as a whole label, first where it is the largest part', () => {
    expect(foundBy('attribute', { query: 'meeting' }, memories)).toEqual(['long', 'short']);
    expect(foundBy('attribute', { query: 'meeting', metadata_fields: ['content.none'] }, memories)).toEqual([
      'short',
      'long',
    ]);
    expect(foundBy('attribute', { query: 'project' }, memories).sort()).toEqual(['long', 'short']);
  });

  it('is case-sensitive on request', () => {
    expect(foundBy('attribute', { query: 'Meeting', case_sensitive: true }, memories)).toEqual(['long']);
  });

  it('finds nothing when it is empty, or an empty object', () => {
    expect(foundBy('attribute', { query: '' }, memories)).toEqual([]);
    expect(foundBy('attribute', { query: {} }, memories)).toEqual([]);
  });

  it('is looked for in the fields named only', () => {
    const query = { query: 'mail', content_fields: ['content.none'], metadata_fields: ['content.metadata.source'] };
    expect(foundBy('attribute', query, memories)).toEqual(['short']);
  });
});

describe('attribute › content and metadata', () => {
  it('any of which suffices, or all of which are needed', () => {
    const query = { content: 'meeting', metadata: { type: 'note' } };
    expect(foundBy('attribute', { query }, memories).sort()).toEqual(['long', 'other', 'short']);
    expect(foundBy('attribute', { query, match_all: true }, memories)).toEqual(['short']);
  });

  it('of a key that is not a field is looked for in the metadata, and does not match everything', () => {
    expect(foundBy('attribute', { query: { metadata: { count: 5 } } }, memories)).toEqual(['short']);
    expect(foundBy('attribute', { query: { metadata: { count: '5' } } }, memories)).toEqual(['short']);
    expect(foundBy('attribute', { query: { metadata: { absent: true } } }, memories)).toEqual([]);
  });
});

describe('attribute › a regular expression', () => {
  it('is found anywhere in a field', () => {
    expect(foundBy('attribute', { query: 'alice.*project', use_regex: true }, memories)).toEqual(['long']);
  });

  it('that is none is looked for as it is written', () => {
    expect(foundBy('attribute', { query: '[meeting', use_regex: true }, memories)).toEqual([]);
  });

  it('that needs lookaround is refused rather than looked for as it is written', () => {
    expect(faultsOf('attribute', { query: '(?=meeting)', use_regex: true })).toContain('preset.parameters.query');
  });

  it('that would run forever elsewhere takes time linear in the text', () => {
    const hostile = [note('a', `${'a'.repeat(50_000)}b`)];
    const startedAtMs = performance.now();
    expect(foundBy('attribute', { query: '^(a+)+$', use_regex: true }, hostile)).toEqual([]);
    expect(performance.now() - startedAtMs).toBeLessThan(20_000);
  });
});

describe('attribute › scoring', () => {
  it.each(['length_ratio', 'term_frequency', 'bm25'])('%s ranks larger shares first', (scoring_method) => {
    const found = foundBy(
      'attribute',
      { query: 'meeting', metadata_fields: ['content.none'], scoring_method },
      memories,
    );
    expect(found).toEqual(['short', 'long']);
  });

  it('binary counts how many fields match', () => {
    expect(foundBy('attribute', { query: 'meeting', scoring_method: 'binary' }, memories)).toEqual(['long', 'short']);
  });
});

describe('attribute › bad input', () => {
  it.each([
    [{}, 'query'],
    [{ query: null }, 'query'],
    [{ query: 'x', scoring_method: 'tfidf' }, 'scoring_method'],
    [{ query: 'x', content_fields: 'content' }, 'content_fields'],
    [{ query: 'x', fuzzy: true }, 'fuzzy'],
    [{ query: { title: 'x' } }, 'query.title'],
    [{ query: 'x', metadata_filter: { a: { $near: 1 } } }, 'metadata_filter.a'],
  ])('%j is refused with the name of the parameter', (parameters, parameter) => {
    expect(faultsOf('attribute', parameters)).toEqual([`preset.parameters.${parameter}`]);
  });
});
