import { describe, expect, it } from '@jest/globals';
import { activeUs, lifeAfter, NEW_LIFE, withNotes } from '../../src/memory/lifecycle.ts';
import {
  allows,
  checkGeneration,
  checkTransition,
  mustBeWritable,
  type SessionState,
} from '../../src/memory/session.ts';

describe('the states of a session', () => {
  const states: readonly SessionState[] = ['active', 'paused', 'terminating', 'terminated'];
  it.each([
    ['spawn', []],
    ['pause', ['active']],
    ['resume', ['paused']],
    ['terminate', ['active', 'paused']],
    ['delete', ['active', 'paused', 'terminated']],
  ] as const)('%s › is allowed from %j alone', (transition, allowed) => {
    expect(states.filter((state) => allows(state, transition))).toEqual(allowed);
  });

  it('a transition that is not allowed › is refused with state and transition; a terminating session is reported as terminated', () => {
    const error = { reason: 'SESSION_STATE', metadata: { name: 'x', state: 'terminated', transition: 'pause' } };
    expect(() => checkTransition('x', 'terminating', 'pause')).toThrow(expect.objectContaining(error));
    checkTransition('x', 'active', 'pause');
  });

  it('writes › are accepted while it is active, and while it is paused but not frozen', () => {
    const takes = (state: SessionState, isFrozen: boolean) => {
      try {
        mustBeWritable('x', { state, isFrozen });
        return true;
      } catch (error) {
        expect(error).toMatchObject({ reason: 'SESSION_NOT_ACTIVE' });
        return false;
      }
    };
    expect(takes('active', false)).toBe(true);
    expect(takes('paused', false)).toBe(true);
    expect([takes('paused', true), takes('terminating', false), takes('terminated', false)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('another generation than expected › VERSION_MISMATCH', () => {
    checkGeneration('x', undefined, 4);
    checkGeneration('x', 4, 4);
    expect(() => checkGeneration('x', 3, 4)).toThrow(expect.objectContaining({ reason: 'VERSION_MISMATCH' }));
  });
});

describe('a life', () => {
  it('of pauses and activity › counts activity only', () => {
    let life = lifeAfter(NEW_LIFE, 'spawn', 100);
    life = lifeAfter(life, 'pause', 130, { checkpointId: 'c' });
    expect([activeUs(life, 1000), life.checkpointId]).toEqual([30, 'c']);
    life = lifeAfter(life, 'resume', 1000);
    expect(activeUs(life, 1005)).toBe(35);
    life = lifeAfter(life, 'terminate', 1010, { outcome: 'success' });
    expect([activeUs(life, 9999), life.outcome]).toEqual([40, 'success']);
    expect(life.steps.map(({ transition }) => transition)).toEqual(['spawn', 'pause', 'resume', 'terminate']);
  });

  it('when the clock is set back › loses no time', () => {
    const life = lifeAfter(lifeAfter(NEW_LIFE, 'spawn', 100), 'pause', 50);
    expect(activeUs(life, 0)).toBe(0);
  });

  it('of endless pauses › keeps the first step and the latest ones', () => {
    let life = lifeAfter(NEW_LIFE, 'spawn', 0);
    for (let at = 1; at < 1000; at++) life = lifeAfter(life, at % 2 ? 'pause' : 'resume', at);
    expect(life.steps.length).toBe(200);
    expect([life.steps[0]?.transition, life.steps.at(-1)?.atUs]).toEqual(['spawn', 999]);
  });

  it('notes › are added, replaced, and removed by an empty value', () => {
    expect(withNotes({ a: '1', b: '1' }, { a: '', b: '2', c: '3' })).toEqual({ b: '2', c: '3' });
  });
});
