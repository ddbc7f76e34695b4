import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { MnemeError } from '../../../src/memory/errors.ts';
import { FairCalls, type PausedRequest } from '../../../src/server/search-thread/fair-calls.ts';
import { PausedSteps } from '../../../src/server/search-thread/paused-work.ts';

interface Sent {
  readonly request: string | PausedRequest;
  answer(value: unknown): Promise<void>;
  fail(error: Error): Promise<void>;
}

/** Calls to a thread that the test answers for. */
function newCalls(window: number) {
  const clock = { nowMs: 0 };
  const sent: Sent[] = [];
  const ask = (request: string | PausedRequest): Promise<unknown> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    sent.push({
      request,
      answer: (value) => {
        resolve(value);
        return nextTurn();
      },
      fail: (error) => {
        reject(error);
        return nextTurn();
      },
    });
    return promise;
  };
  const calls = new FairCalls<string>({ ask, window }, () => clock.nowMs);
  const of = (caller: string) => ({ caller, namespace: 'n' });
  return { calls, clock, sent, of, requests: () => sent.map(({ request }) => request) };
}

describe('calls that share a thread', () => {
  it('more than the window › wait, and go on by caller', async () => {
    const { calls, sent, of, requests } = newCalls(2);
    const answers = ['a1', 'a2', 'a3', 'b1'].map((request) => calls.ask(request, of(request.slice(0, 1))));
    expect(requests()).toEqual(['a1', 'a2']);
    expect(calls.waitingCount).toBe(2);
    await sent[0]?.answer('A1');
    await sent[1]?.answer('A2');
    expect(requests().slice(2).sort()).toEqual(['a3', 'b1']);
    for (const { answer, request } of sent.slice(2)) await answer(`${request as string} is done`);
    expect(await Promise.all(answers)).toEqual(['A1', 'A2', 'a3 is done', 'b1 is done']);
  });

  it('work that the thread sets aside › goes on behind a caller with less work', async () => {
    const { calls, clock, sent, of, requests } = newCalls(1);
    const long = calls.ask('long', of('a'));
    const short = calls.ask('short', of('b'));
    clock.nowMs = 20;
    await sent[0]?.answer({ pausedTicket: 7 });
    expect(requests()).toEqual(['long', 'short']);
    await sent[1]?.answer('short is done');
    expect(requests()).toEqual(['long', 'short', { kind: 'resume', ticket: 7 }]);
    await sent[2]?.answer('long is done');
    expect(await Promise.all([long, short])).toEqual(['long is done', 'short is done']);
  });

  it('long searches of one caller › nine are begun, and the others wait until these are done', async () => {
    const { calls, sent, of, requests } = newCalls(1);
    const answers = Array.from({ length: 20 }, (_, at) => calls.ask(`search ${at}`, of('a')));
    for (let ticket = 0; ticket < 40; ticket++) await sent[ticket]?.answer({ pausedTicket: ticket });
    const begun = requests().filter((request) => typeof request === 'string');
    expect(begun).toHaveLength(9);
    for (let at = 40; at < 100; at++) await sent[at]?.answer('done');
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 20 }, () => 'done'));
  });

  it('slices are long › nothing is sent ahead of time', async () => {
    const { calls, clock, sent, of, requests } = newCalls(2);
    const answers = ['a', 'b', 'c', 'd'].map((request) => calls.ask(request, of(request)));
    clock.nowMs = 100;
    await sent[0]?.answer('');
    expect(requests()).toEqual(['a', 'b']);
    clock.nowMs = 110;
    await sent[1]?.answer('');
    expect(requests()).toEqual(['a', 'b', 'c', 'd']);
    for (const { answer } of sent.slice(2)) await answer('');
    await Promise.all(answers);
  });

  it('a call that has ended › is not carried out, and what was set aside is forgotten', async () => {
    const { calls, sent, of, requests } = newCalls(1);
    const [ended, running] = [new AbortController(), new AbortController()];
    const first = calls.ask('first', of('a'), running.signal);
    const waiting = calls.ask('waiting', of('b'), ended.signal);
    const failures = Promise.all([expect(waiting).rejects.toThrow('ended'), expect(first).rejects.toThrow('gone')]);
    ended.abort(new Error('ended'));
    running.abort(new Error('gone'));
    await sent[0]?.answer({ pausedTicket: 3 });
    await failures;
    expect(requests()).toEqual(['first', { kind: 'forget', ticket: 3 }]);
  });

  it('a failure › is that of its call alone', async () => {
    const { calls, sent, of, requests } = newCalls(1);
    const failing = calls.ask('failing', of('a'));
    const next = calls.ask('next', of('a'));
    await Promise.all([sent[0]?.fail(new Error('no')), expect(failing).rejects.toThrow('no')]);
    expect(requests()).toEqual(['failing', 'next']);
    await sent[1]?.answer('yes');
    expect(await next).toBe('yes');
  });

  it('closed › calls that wait and later ones fail, those at the thread end', async () => {
    const { calls, sent, of } = newCalls(1);
    const first = calls.ask('first', of('a'));
    const waiting = calls.ask('waiting', of('a'));
    calls.close(new MnemeError('DRAINING', 'stopping'));
    await expect(waiting).rejects.toThrow('stopping');
    await expect(calls.ask('later', of('a'))).rejects.toThrow('stopping');
    await sent[0]?.answer('done');
    expect(await first).toBe('done');
  });

  it('10,000 calls wait › one more fails with QUEUE_FULL', async () => {
    const { calls, of } = newCalls(1);
    const all = Array.from({ length: 10_001 }, () => calls.ask('', of('a')).catch(() => {}));
    await expect(calls.ask('', of('a'))).rejects.toMatchObject({ reason: 'QUEUE_FULL', metadata: { limit: '10000' } });
    calls.close(new MnemeError('DRAINING', 'stopping'));
    await Promise.all(all.slice(1));
  });
});

describe('work that is set aside', () => {
  it('after a slice › goes on where it was, to its result', () => {
    let nowMs = 0;
    const paused = new PausedSteps(() => nowMs, 1);
    function* work() {
      for (let step = 0; step < 5; step++) {
        nowMs += 8;
        yield;
      }
      return 'done';
    }
    expect(paused.run(work())).toEqual({ pausedTicket: 1 });
    expect(paused.answer({ kind: 'resume', ticket: 1 })).toBe('done');
    expect(() => paused.answer({ kind: 'resume', ticket: 1 })).toThrow('interrupted');
  });

  it('of a thread that has ended › is not gone on with by the next one', () => {
    function* work() {
      yield;
      return 'done';
    }
    const late = () => Number.POSITIVE_INFINITY;
    const before = new PausedSteps(late).run(work()) as { readonly pausedTicket: number };
    const next = new PausedSteps(late);
    expect(next.run(work())).not.toEqual(before);
    expect(() => next.answer({ kind: 'resume', ticket: before.pausedTicket })).toThrow('interrupted');
  });

  it('forgotten › ends, and its last steps are made', () => {
    let isEnded = false;
    const paused = new PausedSteps(() => Number.POSITIVE_INFINITY, 1);
    function* work() {
      try {
        for (;;) yield;
      } finally {
        isEnded = true;
      }
    }
    expect(paused.run(work())).toEqual({ pausedTicket: 1 });
    paused.answer({ kind: 'forget', ticket: 1 });
    expect(isEnded).toBe(true);
    expect(() => paused.answer({ kind: 'resume', ticket: 1 })).toThrow('interrupted');
  });
});
