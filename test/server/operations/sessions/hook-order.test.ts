import { describe, expect, it } from '@jest/globals';
import { type LifecycleEvent, NEW_LIFE } from '../../../../src/memory/lifecycle.ts';
import { type HookVerdict, LifecycleHooks } from '../../../../src/server/operations/sessions/lifecycle/hooks.ts';

const EVENT: LifecycleEvent = {
  id: 'e',
  transition: 'pause',
  phase: 'before',
  session: {
    namespace: 'n',
    id: 's',
    scope: { project: '', agentType: '', agent: '', session: 's' },
    state: 'active',
    generation: 1,
    metadata: {},
    createdAtUs: 1,
    updatedAtUs: 1,
    isFrozen: false,
    life: NEW_LIFE,
    defaultTtlUs: 0,
    idleTtlUs: 0,
  },
  atUs: 1,
  metadata: { run: '1' },
  checkpointId: '',
  episodeId: '',
  refusal: '',
  durationMs: 0,
};

/** Hooks that record their calls and answers. */
async function registered(...hooks: readonly [name: string, priority?: number, verdict?: HookVerdict][]) {
  const all = new LifecycleHooks(100);
  const log: string[] = [];
  const received: Record<string, LifecycleEvent['metadata']> = {};
  for (const [name, priority, verdict] of hooks) {
    await all.register({
      name,
      phases: ['before', 'after'],
      priority,
      async handle({ metadata }) {
        log.push(`${name}?`);
        received[name] = metadata;
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`${name}!`);
        return verdict;
      },
    });
  }
  const ask = (phase: 'before' | 'after' = 'before') => all.ask(phase, EVENT, AbortSignal.timeout(10_000));
  return { ask, log, received };
}

describe('hooks of several priorities', () => {
  it('are asked one priority after the other, the highest first; of one at once, as they were registered', async () => {
    const { ask, log } = await registered(['a'], ['low', -1], ['b'], ['high', 5]);
    const { reports } = await ask();

    expect(reports.map(({ hook }) => hook)).toEqual(['high', 'a', 'b', 'low']);
    expect(log).toEqual(['high?', 'high!', 'a?', 'b?', 'a!', 'b!', 'low?', 'low!']);
    log.length = 0;
    await ask('after');
    expect(log).toEqual(['high?', 'high!', 'a?', 'b?', 'a!', 'b!', 'low?', 'low!']);
  });

  it('get the notes of earlier hooks; for one key the last note counts', async () => {
    const { ask, received } = await registered(
      ['late', -1, { metadata: { tone: 'late' } }],
      ['early', 1, { metadata: { tone: 'early', by: 'early' } }],
    );
    const { notes } = await ask();

    expect(received).toEqual({ early: { run: '1' }, late: { run: '1', tone: 'early', by: 'early' } });
    expect(notes).toEqual({ tone: 'late', by: 'early' });
  });

  it('when one refuses › later ones are not called', async () => {
    const { ask, log } = await registered(['last', -1], ['guard', 1, { veto: 'no' }], ['next', 0]);
    const { veto, reports } = await ask();

    expect(veto).toEqual({ hook: 'guard', reason: 'no' });
    expect(reports.map(({ hook }) => hook)).toEqual(['guard']);
    expect(log).toEqual(['guard?', 'guard!']);
  });
});

describe('a hook whose timeout has a fraction of a millisecond', () => {
  it('is asked as any other', async () => {
    const all = new LifecycleHooks(100);
    await all.register({
      name: 'a',
      phases: ['before'],
      timeoutMs: 50_000.065536,
      handle: () => Promise.resolve(undefined),
    });
    const { reports } = await all.ask('before', EVENT, AbortSignal.timeout(60_000));
    expect(reports.map(({ hook, result }) => [hook, result])).toEqual([['a', 'ok']]);
  });
});
