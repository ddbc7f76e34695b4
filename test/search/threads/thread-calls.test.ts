import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type ThreadAnswer, ThreadCalls, type ThreadRequest } from '../../../src/search/threads/thread-calls.ts';
import { ThreadServer } from '../../../src/search/threads/thread-server.ts';

/** Answers each request with itself and the number of requests of its message; "end" ends the thread. */
const ECHO = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (requests) => {
    if (requests.some(({ request }) => request === 'end')) process.exit(1);
    parentPort.postMessage(requests.map(({ call, request }) => ({ call, answer: [request, requests.length] })));
  });`;

const workers: Worker[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.terminate();
});

function newCalls(): ThreadCalls<unknown> {
  return new ThreadCalls<unknown>({
    name: 'echo',
    start: () => {
      const worker = new Worker(ECHO, { eval: true });
      workers.push(worker);
      return worker;
    },
    isFast: (request) => request !== 'slow',
    kindOf: () => 'echo',
    onClosed: () => {},
    onNotice: () => {},
    onDeath: () => {},
  });
}

describe('calls into a thread', () => {
  it('several in one turn › the first leaves alone, the others as one message, in their order', async () => {
    const calls = newCalls();
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((request) => calls.ask(request)));
    expect(answers).toEqual([
      ['a', 1],
      ['b', 3],
      ['c', 3],
      ['d', 3],
    ]);
    expect(await calls.ask('e')).toEqual(['e', 1]);
  });

  it('a slow one among them › has a message of its own, in its place', async () => {
    const calls = newCalls();
    const answers = await Promise.all(['a', 'b', 'c', 'slow', 'd', 'slow'].map((request) => calls.ask(request)));
    expect(answers).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 2],
      ['slow', 1],
      ['d', 1],
      ['slow', 1],
    ]);
  });

  it('the thread ends with requests on the way › each fails, and the next call starts another thread', async () => {
    const calls = newCalls();
    const asked = ['end', 'b', 'c'].map((request) => calls.ask(request));
    for (const { status } of await Promise.allSettled(asked)) expect(status).toBe('rejected');
    expect(await calls.ask('d')).toEqual(['d', 1]);
    expect(workers).toHaveLength(2);
  });

  it('a request that cannot be sent › fails, and leaves nothing behind', async () => {
    const calls = newCalls();
    await expect(calls.ask(() => {})).rejects.toThrow('could not be cloned');
    expect(await calls.ask('a')).toEqual(['a', 1]);
  });
});

/** A server whose requests are durations in ms: of fast requests, a negative one that fails, or a promise. */
function newServer() {
  let nowMs = 0;
  const sent: (readonly ThreadAnswer[])[] = [];
  const answer = (request: number | Promise<string>): unknown => {
    if (typeof request !== 'number') return request;
    nowMs += Math.abs(request);
    if (request < 0) throw new Error('failed');
    return request;
  };
  const server = new ThreadServer<number | Promise<string>>(
    { send: (answers) => sent.push(answers), answer, isFast: (request) => typeof request === 'number' && request < 5 },
    () => nowMs,
  );
  const receive = (...requests: (number | Promise<string>)[]): void =>
    server.receive(requests.map((request, call): ThreadRequest<number | Promise<string>> => ({ call, request })));
  const callsOf = () => sent.map((answers) => answers.map(({ call }) => call));
  return { receive, sent, callsOf };
}

describe('a thread that serves calls', () => {
  it('fast requests of one message › answers of about a millisecond as one message', () => {
    const { receive, callsOf } = newServer();
    receive(0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3);
    expect(callsOf()).toEqual([
      [0, 1, 2, 3, 4],
      [5, 6],
    ]);
  });

  it('a slow request › no answer waits for it', () => {
    const { receive, callsOf } = newServer();
    receive(0.1, 50, 0.1, 0.1);
    expect(callsOf()).toEqual([[0], [1, 2, 3]]);
  });

  it('failures and promises › are answers of their calls alone', async () => {
    const { receive, sent } = newServer();
    receive(Promise.resolve('late'), 0.1, -0.1, Promise.reject(new Error('never')));
    await new Promise(setImmediate);
    expect(sent.flat().map((answer) => ('thrown' in answer ? answer.thrown.message : answer.answer))).toEqual([
      0.1,
      'failed',
      'late',
      'never',
    ]);
  });

  it('an answer that cannot be sent › is a failure of its call', () => {
    const sent: (readonly ThreadAnswer[])[] = [];
    const send = (answers: readonly ThreadAnswer[]): void => {
      structuredClone(answers);
      sent.push(answers);
    };
    new ThreadServer<number>({ send, answer: () => Symbol('unsendable'), isFast: () => true }).receive([
      { call: 7, request: 1 },
    ]);
    expect(sent).toMatchObject([[{ call: 7, thrown: { message: 'Symbol(unsendable) could not be cloned.' } }]]);
  });
});
