import { describe, expect, test } from '@jest/globals';
import { type ContextCandidate, folded, queryOf } from '../../../src/memory/context/context.ts';
import { WRITERS } from '../../../src/memory/context/formats.ts';
import { restates, StatementIndex, statementOf } from '../../../src/memory/context/restatements.ts';
import { KIND_LIMITS, type Selection, selectEntries } from '../../../src/memory/context/select.ts';
import { seededRandom } from '../../support/random.ts';

/** One token for each word or sign. */
const count = (text: string) => text.match(/\w+|[^\s\w]/g)?.length ?? 0;

const memory = (id: string, text: string, changes: Partial<ContextCandidate> = {}): ContextCandidate => ({
  name: `namespaces/n/memories/${id}`,
  part: '',
  kind: 'message',
  text,
  source: 'Ada',
  atUs: 1_700_000_000_000_000,
  relevance: 0.5,
  trust: 'user',
  reason: 'rank 1 of recall',
  ...changes,
});

const select = (candidates: readonly ContextCandidate[], changes: Partial<Selection> = {}) =>
  finished(
    selectEntries(candidates, {
      budget: 1000,
      limits: KIND_LIMITS,
      minRelevance: 0,
      conversation: [],
      query: '',
      writer: WRITERS.xml,
      count,
      ...changes,
    }),
  );

function finished<T>(steps: Generator<void, T, void>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const idsOf = (entries: readonly { readonly candidate: ContextCandidate }[]) =>
  entries.map(({ candidate }) => candidate.name.split('/').at(-1));
const reasons = (selected: ReturnType<typeof select>) =>
  Object.fromEntries(selected.omitted.map(({ candidate, reason }) => [candidate.name.split('/').at(-1) ?? '', reason]));

describe('entries of a context', () => {
  test('an entry that does not fit · is omitted, and a smaller one after it is included', () => {
    const long = Array.from({ length: 200 }, (_, at) => `word${at}`).join(' ');
    const selected = select(
      [memory('a', 'the key is in the drawer'), memory('b', long, { kind: 'other' }), memory('c', 'it rains')],
      {
        budget: 90,
      },
    );

    expect(idsOf(selected.entries)).toEqual(['a', 'c']);
    expect(reasons(selected)).toEqual({ b: 'budget' });
    expect(selected.tokens).toBeLessThanOrEqual(90);
    expect(selected.tokens).toBe(count(selected.context));
  });

  test('long messages · are cut to sentences with the words of the query, unless there is room', () => {
    const [plain, answer] = ['The weather was fine. ', 'Ada plays the cello. '];
    const long = memory('a', plain.repeat(20) + answer + plain.repeat(20).trim());
    const others = Array.from({ length: 30 }, (_, at) => memory(`m${at}`, `${plain.repeat(20)}${answer}${at}`));
    const query = 'What does Ada play?';
    const whole = select([long], { budget: 1500, query });
    expect(whole.entries.map(({ candidate }) => candidate)).toEqual([long]);
    const { entries, tokens } = select([long, ...others], { budget: 1500, query, limits: KIND_LIMITS });
    expect(entries.length).toBeGreaterThan(20);
    expect(entries.every(({ candidate }) => candidate.text.includes(answer.trim()))).toBe(true);
    const cut = entries.filter(({ candidate }) => candidate.reason.endsWith('an excerpt'));
    expect(cut.length).toBeGreaterThan(15);
    expect(cut.every(({ candidate }) => candidate.text.includes('…'))).toBe(true);
    expect(tokens).toBeLessThanOrEqual(1500);
  });

  test('a kind with a limit · has no more entries and no more of the budget than that', () => {
    const facts = ['Ada likes tea', 'Ben plays chess', 'Cleo sails'].map((text, at) =>
      memory(`f${at}`, text, { kind: 'fact' }),
    );
    const limits = { ...KIND_LIMITS, fact: { maxEntries: 2, maxShare: 1 } };
    expect(reasons(select(facts, { limits }))).toEqual({ f2: 'kind_limit' });
    const share = { ...KIND_LIMITS, fact: { maxEntries: 9, maxShare: 0.01 } };
    expect(idsOf(select(facts, { limits: share }).entries)).toEqual(['f0']);
    const none = { ...KIND_LIMITS, fact: { maxEntries: 9, maxShare: 0 } };
    expect(select(facts, { limits: none }).entries).toEqual([]);
  });

  test('messages · stay in their order, after the other kinds', () => {
    const selected = select([
      memory('late', 'we meet at nine', { atUs: 3 }),
      memory('early', 'the train leaves at eight', { atUs: 1 }),
      memory('fact', 'the station is closed', { kind: 'fact' }),
      memory('task', 'travel', { kind: 'working' }),
    ]);
    expect(idsOf(selected.entries)).toEqual(['task', 'fact', 'early', 'late']);
  });

  test('a restatement · is included once, and verbatim messages are kept', () => {
    const derived = { kind: 'fact', trust: 'untrusted', source: 'rules' } as const;
    const selected = select([
      memory('fact', 'Rex is the dog of Ada.', derived),
      memory('said', 'rex is the dog of Ada'),
      memory('again', 'Rex  is the dog of ada!'),
      memory('ben', 'Rex is the dog of Ada', { source: 'Ben' }),
    ]);
    expect(idsOf(selected.entries)).toEqual(['said', 'ben']);
    expect(reasons(selected)).toEqual({ fact: 'duplicate', again: 'duplicate' });
  });

  test('duplicates of the conversation, secrets, blanks and irrelevant entries · are omitted with their reasons', () => {
    const selected = select(
      [
        memory('said', 'I moved to Lyon'),
        memory('low', 'it rains', { relevance: 0.01 }),
        memory('empty', '  '),
        memory('secret', 'hunter2', { isSecret: true, kind: 'working' }),
      ],
      { conversation: ['I moved to Lyon.'], minRelevance: 0.1 },
    );
    expect(selected).toMatchObject({ entries: [], context: '', tokens: 0 });
    expect(reasons(selected)).toEqual({
      said: 'in_conversation',
      low: 'low_relevance',
      empty: 'no_text',
      secret: 'secret',
    });
  });

  test('any candidates and any budget · the budget holds, and each candidate is an entry or omitted', () => {
    const random = seededRandom('select');
    for (let round = 0; round < 300; round++) {
      const candidates = Array.from({ length: random.int(30) }, (_, at) =>
        memory(
          `m${at}`,
          Array.from({ length: random.int(40) }, () => random.pick(['a1', 'b', 'tea', '<', ':'])).join(' '),
          {
            kind: random.pick(['working', 'fact', 'procedure', 'episode', 'other', 'message'] as const),
          },
        ),
      );
      const budget = random.int(300);
      for (const writer of Object.values(WRITERS)) {
        const selected = select(candidates, { budget, writer });
        expect(selected.tokens).toBeLessThanOrEqual(budget);
        expect([...idsOf(selected.entries), ...idsOf(selected.omitted)].toSorted()).toEqual(
          candidates.map(({ name }) => name.split('/').at(-1)).toSorted(),
        );
      }
    }
  });
});

describe('restatements', () => {
  const same = (one: string, other: string) => restates(statementOf(one), statementOf(other));

  test('numbers and negations · make another statement of the same words', () => {
    const log = 'the nightly backup of the harbour database ended after step';
    expect(same(`${log} 41`, `${log} 42`)).toBe(false);
    expect(same('Ada can swim very well in the cold harbour', 'Ada can not swim very well in the cold harbour')).toBe(
      false,
    );
    expect(same('Ada swims well', 'Ada swims WELL!')).toBe(true);
    expect(same('', '')).toBe(false);
  });
});

describe('statements among many', () => {
  test('any texts · are found as by comparing each with each', () => {
    const random = seededRandom('statements');
    for (let round = 0; round < 200; round++) {
      const words = ['tea', 'harbour', 'swims', 'not', 'the', 'plays', '7', '8', 'cello', 'rain', 'blue', 'drawer'];
      const texts = Array.from({ length: 40 }, () =>
        Array.from({ length: random.int(18) }, () => random.pick(words)).join(' '),
      );
      const statements = texts.map(statementOf);
      const index = new StatementIndex<number>(statements);
      for (const [at, statement] of statements.entries()) {
        const expected = statements.slice(0, at).findIndex((one) => restates(one, statement));
        expect(index.find(statement, () => true) ?? -1).toBe(expected);
        index.add(statement, at);
      }
    }
  });
});

describe('messages of a conversation', () => {
  const user = { role: 'user', text: 'Where is it?' } as const;
  const assistant = { role: 'assistant', text: 'In the drawer.' } as const;
  const tool = { role: 'tool', text: '{}' } as const;

  test('the query · is the last message of the user, otherwise that of the assistant', () => {
    expect(queryOf([assistant, user])).toBe('Where is it?');
    expect(queryOf([user, assistant, tool])).toBe('In the drawer.');
    expect(queryOf([user, tool])).toBe('');
    expect(queryOf([])).toBe('');
  });

  test('the context · is appended to the last text of the user, and nothing else changes', () => {
    expect(folded([user, assistant, user, tool], 'MEMORY')).toEqual([
      user,
      assistant,
      { role: 'user', text: 'Where is it?\n\nMEMORY' },
      tool,
    ]);
    expect(folded([{ role: 'user', text: '' }], 'MEMORY')).toEqual([{ role: 'user', text: 'MEMORY' }]);
    expect(folded([user], '')).toEqual([user]);
  });
});
