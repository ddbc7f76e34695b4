import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, DeadlineExceededError, type Mneme, UnavailableError } from '../../clients/typescript/src/index.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { collect } from '../client/support/collect.ts';
import { firstOrAll } from '../support/all-tests.ts';
import { ChatEndpoint, claimsOf } from '../support/chat-endpoint.ts';
import { freePort } from '../support/free-port.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { seededRandom } from '../support/random.ts';
import { BACKENDS, type BackendOfServer, startBackend } from './backend-of-server.ts';

const CONVERSATIONS = 4;
const MESSAGES = 30;
/** Of 10 s each. */
const FLUSHES_MAX = 12;

/** Message `at` of a conversation: every third one replaces an earlier statement. */
function textOf(conversation: number, at: number): string {
  return at % 3 === 0 ? `user${conversation} lives_in city${at}` : `friend${conversation}.${at} likes thing${at}`;
}

describe.each(firstOrAll(BACKENDS))('a server with %s killed in the middle of intake and extraction', (name) => {
  let backend: BackendOfServer;
  let endpoint: ChatEndpoint;
  let folder: string;
  let listen: string;
  let server: RunningMneme;
  const start = () => {
    const flags = ['--extractor', 'model', '--extractor-url', endpoint.url, '--extractor-model', 'm'];
    return startMneme({ listen, data: folder, flags, env: backend.env, isQuiet: true });
  };
  beforeAll(async () => {
    endpoint = await ChatEndpoint.started();
    backend = await startBackend(name);
    folder = await mkdtemp(join(tmpdir(), 'mneme-extraction-crash-'));
    listen = `127.0.0.1:${await freePort()}`;
    server = await start();
  });
  afterAll(async () => {
    await restarting.catch(() => undefined);
    await server?.stop();
    await backend?.stop();
    await endpoint.close();
    await rm(folder, { recursive: true, force: true });
  });
  const clients: Mneme[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    endpoint.reply = () => undefined;
  });

  let restarting = Promise.resolve();
  const restart = async () => {
    await server.stop('SIGKILL');
    server = await start();
  };
  const kill = () => {
    restarting = restarting.then(restart);
    return restarting;
  };

  /** Like an agent that numbers its messages: unacknowledged messages are sent again. */
  async function repeated<T>(call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof UnavailableError)) throw error;
        await restarting;
      }
    }
  }

  /** Without a value where the answer of a busy server, which is made at the deadline, arrives too late. */
  async function flush(mneme: Mneme) {
    try {
      return await repeated(() => mneme.conversations.flush({}, { timeoutMs: 10_000 }));
    } catch (error) {
      if (error instanceof DeadlineExceededError) return undefined;
      throw error;
    }
  }

  /** Appends all messages, repeats failed requests, and returns the state at the end. */
  async function run(namespace: string, onAppend: (count: number) => void) {
    const mneme = connect(listen, { ...PATIENT_CLIENT, namespace });
    clients.push(mneme);
    let count = 0;
    const talk = async (conversation: number) => {
      for (let at = 0; at < MESSAGES; at++) {
        const eventTime = new Date(1_700_000_000_000 + at * 1000);
        const message = { role: 'user', sequence: at, text: textOf(conversation, at), eventTime } as const;
        await repeated(() => mneme.conversations.append(`c${conversation}`, [message]));
        onAppend(++count);
      }
    };
    await Promise.all(Array.from({ length: CONVERSATIONS }, (_, conversation) => talk(conversation)));
    await restarting;
    let flushed = await flush(mneme);
    for (let left = FLUSHES_MAX; !flushed?.complete && left > 0; left--) {
      await restarting;
      flushed = await flush(mneme);
    }
    expect(flushed).toMatchObject({ complete: true, conversations: [] });
    const memories = await collect(mneme.list());
    return memories
      .map(({ type, text, supersededBy, scope, step }) =>
        [type, text, supersededBy === undefined ? 'current' : 'superseded', scope.session, step].join(' | '),
      )
      .sort();
  }

  it('the end state › equals that of a run without', async () => {
    const random = seededRandom('extraction-crash');
    const expected = await run('calm', () => undefined);
    expect(expected.filter((line) => line.startsWith('message'))).toHaveLength(CONVERSATIONS * MESSAGES);
    expect(expected.filter((line) => line.startsWith('fact')).length).toBeGreaterThan(CONVERSATIONS * 20);

    const killAtAppend = new Set([10 + random.int(30), 60 + random.int(30)]);
    const killAtRequest = new Set([1 + random.int(3), 4 + random.int(2)]);
    let requests = 0;
    endpoint.reply = (request) => {
      if (!killAtRequest.has(++requests)) return undefined;
      // The model has answered, and the server dies before or while it stores the answer.
      void kill();
      return random.int(2) === 0 ? 'hang' : { content: claimsOf(request) };
    };
    const state = await run('killed', (count) => {
      if (killAtAppend.has(count)) void kill();
    });

    // One of each conversation, and those at which the server was killed.
    expect(requests).toBeGreaterThanOrEqual(CONVERSATIONS + killAtRequest.size);
    expect([`seed ${random.seed}`, ...state]).toEqual([`seed ${random.seed}`, ...expected]);
  }, 240_000);
});
