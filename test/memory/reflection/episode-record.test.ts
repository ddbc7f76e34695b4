import { describe, expect, it } from '@jest/globals';
import type { Memory } from '../../../src/memory/memory.ts';
import { comparable, episodeRecordOf } from '../../../src/memory/reflection/episode-record.ts';
import { WHOLE_NAMESPACE } from '../../../src/memory/scope.ts';

type Part = Partial<Pick<Memory, 'type' | 'tags' | 'text'>>;

function recordOf(json: unknown, part: Part = {}) {
  const content = { mediaType: 'application/json', data: Buffer.from(JSON.stringify(json) ?? '') };
  const fields = { id: 'e1', type: 'episode', scope: WHOLE_NAMESPACE, eventAtUs: 5, tags: [], text: '', ...part };
  return episodeRecordOf(json === undefined ? fields : { ...fields, content });
}

describe('records of episodes', () => {
  it('an episode of RecordEpisode › its task, outcome, actions, lessons, duration and tokens', () => {
    const json = {
      ...{ task: 'deploy', outcome: 'failure', lessons: ['wait'], actions: ['pushed', 'waited'] },
      ...{ duration_seconds: 12.5, tokens_used: 300 },
    };
    expect(recordOf(json, { tags: ['failure', 'web'] })).toEqual({
      ...{ id: 'e1', atUs: 5, scope: WHOLE_NAMESPACE, task: 'deploy', outcome: 'failure', tags: ['web'] },
      ...{ actions: ['pushed', 'waited'], lessons: ['wait'], metadata: [], durationSeconds: 12.5, tokens: 300 },
    });
  });

  it('an episode of a session › its own actions without transitions, its metadata and its active time', () => {
    const json = {
      ...{ session: 'namespaces/n/sessions/s', task: 't', outcome: 'success', lessons: [] },
      actions: [{ action: 'ran the tests' }, { action: 'session start' }, { action: 'session terminate' }],
      metadata: { model: 'small', branch: 'main' },
      ...{ duration_seconds: 90, active_seconds: 60, tokens_used: null },
    };
    const record = recordOf(json);
    expect(record).toMatchObject({ actions: ['ran the tests'], metadata: ['branch=main', 'model=small'] });
    expect(record).toMatchObject({ durationSeconds: 60 });
    expect(record?.tokens).toBeUndefined();
  });

  it('a memory of type episode without content › outcome by its tag, task by its first line', () => {
    expect(recordOf(undefined, { tags: ['success', 'web'], text: 'moved the archive\nmore' })).toMatchObject({
      ...{ outcome: 'success', task: 'moved the archive', tags: ['web'] },
    });
  });

  it.each([
    ['of a conversation', { outcome: null }, {}],
    ['of a session that expired', { outcome: 'expired' }, { tags: ['success'] }],
    ['with two outcomes as tags', undefined, { tags: ['success', 'failure'] }],
    ['of another type', { outcome: 'success' }, { type: 'note' }],
    ['with a strange content', [1], {}],
  ] as const)('an episode %s › none', (_, json, part) => {
    expect(recordOf(json, part as Part)).toBeUndefined();
  });

  it('strange fields › left out', () => {
    const json = {
      outcome: 'success',
      task: 7,
      actions: [3, '', ' \u0000 ', { action: 1 }],
      lessons: 'x',
      metadata: [],
      duration_seconds: -1,
    };
    expect(recordOf(json, { text: 'the text' })).toMatchObject({
      task: 'the text',
      actions: [],
      lessons: [],
      metadata: [],
    });
    expect(recordOf({ ...json, task: `${'x'.repeat(400)}\n` })?.task).toBe(`${'x'.repeat(199)}…`);
  });

  it('texts that are compared › without case, marks at the edges, numbers and identifiers', () => {
    expect(comparable('Fix issue 12.')).toBe(comparable('fix  issue 7'));
    expect(comparable('revert 3f2a91c')).toBe('revert #');
    expect(comparable('the deadbee effect')).toBe('deadbee effect');
  });
});
