import { describe, expect, it } from '@jest/globals';
import { type Conclusion, episodeOf, importanceOf } from '../../src/memory/episode.ts';
import { type LivingSession, NEW_LIFE } from '../../src/memory/lifecycle.ts';
import { globOf } from '../../src/memory/pattern.ts';
import type { Entry, SessionSnapshot } from '../../src/memory/session.ts';

const NOW_US = 1_700_000_000_000_000;
const SECOND_US = 1_000_000;

const session: LivingSession = {
  namespace: 'n',
  id: 's',
  scope: { project: '', agentType: '', agent: 'ada', session: 's' },
  state: 'active',
  generation: 3,
  metadata: { run: '7' },
  createdAtUs: NOW_US - 100 * SECOND_US,
  updatedAtUs: NOW_US - 10 * SECOND_US,
  isFrozen: false,
  defaultTtlUs: 0,
  idleTtlUs: 0,
  life: { ...NEW_LIFE, activeUs: 20 * SECOND_US, activeSinceUs: NOW_US - 10 * SECOND_US },
};
const conclusion: Conclusion = { outcome: 'success', task: '', lessons: [], actions: [], isRedacted: () => false };

function entry(key: string, mediaType: string, data: string): Entry {
  const content = { mediaType, data: Buffer.from(data) };
  return { key, version: 1, contentRevision: 1, bytes: data.length, createdAtUs: 0, updatedAtUs: 0, content };
}

function received(entries: Entry[], provided: Partial<Conclusion> = {}, rest: Partial<SessionSnapshot> = {}) {
  const snapshot = { revision: 1, entries, notes: [], ...rest };
  const episode = episodeOf(session, snapshot, { ...conclusion, ...provided }, NOW_US);
  return { ...episode, json: JSON.parse(Buffer.from(episode.content.data).toString()) as Record<string, unknown> };
}

describe('an episode', () => {
  it('of values of any media type › holds JSON as JSON, text as text, other bytes in base64', () => {
    const { json, itemCount } = received([
      entry('json', 'application/json', '{"a":[null]}'),
      entry('text', 'text/plain', 'naïve'),
      entry('image', 'image/png', 'x'),
      entry('__proto__', 'application/json', '1'),
    ]);

    expect(json.state).toEqual(
      JSON.parse(
        '{"json":{"a":[null]},"text":"naïve","image":{"media_type":"image/png","base64":"eA=="},"__proto__":1}',
      ),
    );
    expect(itemCount).toBe(4);
  });

  it('reports measured times; uncounted tokens are unknown, not 0', () => {
    expect(received([]).json).toMatchObject({ duration_seconds: 100, active_seconds: 30, tokens_used: null });
    expect(received([], { tokensUsed: 0 }).json.tokens_used).toBe(0);
  });

  it('of redacted values › names them and contains none of them', () => {
    const secret = globOf('secret*');
    const { json, text, itemCount } = received(
      [entry('secret_key', 'application/json', '"hush"'), entry('city', 'application/json', '"Oslo"')],
      { isRedacted: (key) => secret.matches(key) },
    );

    expect(JSON.stringify(json) + text).not.toContain('hush');
    expect(json.state).toEqual({ secret_key: { redacted: true }, city: 'Oslo' });
    expect(itemCount).toBe(1);
  });

  it('of keys that name a secret › contains none of them, whatever the request', () => {
    const keys = ['token', 'github_token', 'apiKey', 'AWS-Secret', 'db.password', 'api_key'];
    const { json, text } = received([
      ...keys.map((key) => entry(key, 'text/plain', 'hush')),
      entry('tokens_used', 'application/json', '7'),
      entry('city', 'text/plain', 'Oslo'),
    ]);

    expect(JSON.stringify(json) + text).not.toContain('hush');
    expect(json.state).toMatchObject({ token: { redacted: true }, tokens_used: 7, city: 'Oslo' });
  });

  it('is found by its words: notes are in its text, values are not', () => {
    const note = (data: string, mediaType = 'text/plain') => ({
      sequence: 1,
      atUs: NOW_US,
      content: { mediaType, data: Buffer.from(data) },
    });
    const notes = [note('the ferry leaves at nine'), note('{"port":3}', 'application/json')];
    const { text, json } = received([entry('card', 'text/plain', '4111')], {}, { notes });

    expect(text).toBe('A session of ada succeeded.\nNote: the ferry leaves at nine');
    expect(json.scratchpad).toMatchObject([{ note: 'the ferry leaves at nine' }, { note: { port: 3 } }]);
  });

  it('larger than the limit › is cut at whole values and reports it', () => {
    const large = entry('large', 'text/plain', 'x'.repeat(20_000));
    const many = Array.from({ length: 30 }, (_, at) => entry(`k${at}`, 'text/plain', '"'.repeat(16_000)));
    const one = received([large]);
    const all = received(many);

    expect(one.json.state).toEqual({ large: { truncated: true, media_type: 'text/plain', bytes: 20_000 } });
    expect([one.isTruncated, one.json.truncated]).toEqual([true, true]);
    expect(all.content.data.length).toBeLessThanOrEqual(1_048_576);
    expect(all.isTruncated).toBe(true);
    expect(Buffer.byteLength(all.text)).toBeLessThanOrEqual(65_536);
  });

  it('of texts that grow when they are written as JSON › still fits into a memory', () => {
    const many = Array.from({ length: 16 }, (_, at) => entry(`k${at}`, 'text/plain', '\u0001'.repeat(16_000)));
    const { json, content, isTruncated, itemCount } = received(many);

    expect(content.data.length).toBeLessThanOrEqual(1_048_576);
    expect([json.state, json.truncated, isTruncated, itemCount]).toEqual([null, true, true, 0]);
  });

  it('without a task from the caller › uses that of the task state, and its text describes it', () => {
    const task = {
      taskId: 't',
      description: 'book a ferry',
      status: 'in_progress' as const,
      detail: '',
      currentStep: 1,
      totalSteps: 2,
      progressPercent: 50,
      startedAtUs: 0,
      updatedAtUs: 0,
      version: 1,
    };
    const { json, text } = received([], { lessons: ['ask early'], outcome: 'failure' }, { task });

    expect(json).toMatchObject({ task: 'book a ferry', task_state: { progress_percent: 50 } });
    expect(text).toBe('A session of ada failed: book a ferry\nLesson: ask early');
  });

  it('matters more for failures, lessons and long work, and never more than 1', () => {
    const lessons = Array.from({ length: 10 }, () => 'x');
    expect(importanceOf({ outcome: 'success', lessons: [] }, 0)).toBe(0.5);
    expect(importanceOf({ outcome: 'failure', lessons: ['x'] }, 0)).toBe(0.75);
    expect(importanceOf({ outcome: 'failure', lessons }, 1e15)).toBe(1);
    expect(received([], { importance: 0.1 }).importance).toBe(0.1);
  });
});
