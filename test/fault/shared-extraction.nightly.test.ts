import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, DeadlineExceededError, type Mneme, UnavailableError } from '../../clients/typescript/src/index.ts';
import { collect } from '../client/support/collect.ts';
import { ChatEndpoint, type ChatRequest, claimsOf } from '../support/chat-endpoint.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { seededRandom } from '../support/random.ts';
import { Replica } from './replicas.ts';

const CONVERSATIONS = 3;
const MESSAGES = 24;
/** Of 10 s each. */
const FLUSHES_MAX = 12;

let postgres: PostgresServer;
let endpoint: ChatEndpoint;
const replicas: Replica[] = [];
const clients: Mneme[] = [];
beforeAll(async () => {
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
  endpoint = await ChatEndpoint.started();
});
afterEach(async () => {
  endpoint.reply = () => undefined;
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const replica of replicas.splice(0)) await replica.stop();
});
afterAll(async () => {
  await endpoint.close();
  await postgres.stop();
  postgres.remove();
});

async function start(): Promise<Replica> {
  const settings = { MNEME_EXTRACTOR: 'model', MNEME_EXTRACTOR_URL: endpoint.url, MNEME_EXTRACTOR_MODEL: 'm' };
  const replica = await Replica.start(postgres.url, settings);
  replicas.push(replica);
  return replica;
}

function clientOf(address: string, namespace: string): Mneme {
  const client = connect(address, { ...PATIENT_CLIENT, namespace, retry: false });
  clients.push(client);
  return client;
}

/** Message `at` of a conversation: every third one replaces an earlier statement. */
function textOf(namespace: string, conversation: number, at: number): string {
  const subject = `${namespace}${conversation}`;
  return at % 3 === 0 ? `${subject} lives_in city${at}` : `${subject}.${at} likes thing${at}`;
}

const messageOf = (namespace: string, conversation: number, at: number) =>
  ({
    role: 'user',
    sequence: at,
    text: textOf(namespace, conversation, at),
    eventTime: new Date(1_700_000_000_000 + at * 1000),
  }) as const;

/** Until everything is extracted; a server that is away, or works for another one, is asked again. */
async function flush(client: () => Mneme): Promise<void> {
  for (let left = FLUSHES_MAX; ; left--) {
    const flushed = await client()
      .conversations.flush({}, { timeoutMs: 10_000 })
      .catch((error: unknown) => {
        // On a busy machine the conversations of a dead server take longer than one flush waits.
        if (left > 0 && (error instanceof UnavailableError || error instanceof DeadlineExceededError)) return undefined;
        throw error;
      });
    if (flushed?.complete) return;
    if (left === 0) throw new Error(`the extraction does not end: ${JSON.stringify(flushed)}`);
  }
}

async function stateOf(mneme: Mneme, namespace: string): Promise<string[]> {
  const memories = await collect(mneme.list());
  return memories
    .map(({ type, text, supersededBy, scope, step }) =>
      [
        type,
        text.replaceAll(namespace, ''),
        supersededBy === undefined ? '' : 'superseded',
        scope.session,
        step,
      ].join(),
    )
    .sort();
}

/** First and last message of a request, and the conversation that it is about. */
function rangeOf({ lines }: ChatRequest, namespace: string): { conversation: string; first: number; last: number } {
  const numbers = lines.map(({ n }) => n);
  const [conversation = ''] = new RegExp(`^${namespace}\\d+`).exec(lines[0]?.text ?? '') ?? [];
  return { conversation, first: Math.min(...numbers), last: Math.max(...numbers) };
}

/** Requests about each conversation go on where the last one began or ended. */
function checkOrder(requests: readonly ChatRequest[], namespace: string): void {
  const before = new Map<string, { first: number; last: number }>();
  for (const request of requests) {
    const { conversation, first, last } = rangeOf(request, namespace);
    if (conversation === '') continue;
    const { first: least, last: most } = before.get(conversation) ?? { first: 0, last: -1 };
    expect(first).toBeGreaterThanOrEqual(least);
    expect(first).toBeLessThanOrEqual(most + 1);
    before.set(conversation, { first, last });
  }
}

/** Two servers, of which the second one is killed and started again. */
class Servers {
  private readonly first: Replica;
  private readonly second: Replica;
  private readonly clients = new Map<string, Mneme>();
  private isSecondDown = false;
  private restarting = Promise.resolve();

  private constructor(first: Replica, second: Replica) {
    this.first = first;
    this.second = second;
  }

  static async start(): Promise<Servers> {
    return new Servers(await start(), await start());
  }

  /** Of the second server, or of the first while that one is down. */
  client(namespace: string, place: number): Mneme {
    const { address } = place === 0 || this.isSecondDown ? this.first : this.second;
    const key = `${address} ${namespace}`;
    const client = this.clients.get(key) ?? clientOf(address, namespace);
    this.clients.set(key, client);
    return client;
  }

  restartSecond(): void {
    this.restarting = this.restarting.then(async () => {
      this.isSecondDown = true;
      await this.second.restart();
      this.isSecondDown = false;
    });
  }

  restarted(): Promise<void> {
    return this.restarting;
  }
}

describe('two servers that share PostgreSQL extract from the same conversations', () => {
  async function run(namespace: string, servers: Servers, onAppend: (count: number) => void = () => undefined) {
    let count = 0;
    const talk = async (conversation: number) => {
      for (let sequence = 0; sequence < MESSAGES; sequence++) {
        const message = messageOf(namespace, conversation, sequence);
        const append = (mneme: Mneme) => mneme.conversations.append(`c${conversation}`, [message]);
        // Each message at the other server; where that one is killed meanwhile, at the first.
        await append(servers.client(namespace, (sequence + conversation) % 2)).catch((error: unknown) => {
          if (!(error instanceof UnavailableError)) throw error;
          return append(servers.client(namespace, 0));
        });
        onAppend(++count);
      }
    };
    await Promise.all(Array.from({ length: CONVERSATIONS }, (_, conversation) => talk(conversation)));
    await flush(() => servers.client(namespace, 0));
    return stateOf(servers.client(namespace, 0), namespace);
  }

  it('without faults › each conversation is extracted in order, both servers say that nothing is left', async () => {
    const servers = await Servers.start();
    const from = endpoint.requests.length;
    const state = await run('calm', servers);
    const requests = endpoint.requests.slice(from);
    checkOrder(requests, 'calm');
    expect(requests.flatMap(({ lines }) => lines)).toHaveLength(CONVERSATIONS * MESSAGES);
    for (const mneme of [servers.client('calm', 0), servers.client('calm', 1)]) {
      expect(await stateOf(mneme, 'calm')).toEqual(state);
      expect(await mneme.conversations.getExtractionStatus()).toMatchObject({ pendingCount: 0, failedCount: 0 });
    }
  }, 240_000);

  it('one is killed amid intake and extraction, the other goes on › the end state is that of a run without faults', async () => {
    const random = seededRandom('shared-extraction');
    const servers = await Servers.start();
    const expected = await run('whole', servers);
    const killAtRequest = new Set([2 + random.int(4), 8 + random.int(4)]);
    const from = endpoint.requests.length;
    endpoint.reply = (request, count) => {
      if (!killAtRequest.has(count - from)) return undefined;
      servers.restartSecond();
      return random.int(2) === 0 ? 'hang' : { content: claimsOf(request) };
    };
    const killAtAppend = 10 + random.int(20);
    const state = await run('split', servers, (count) => {
      if (count === killAtAppend) servers.restartSecond();
    });
    expect([`seed ${random.seed}`, ...state]).toEqual([`seed ${random.seed}`, ...expected]);
    checkOrder(endpoint.requests.slice(from), 'split');
    await servers.restarted();
    await flush(() => servers.client('split', 1));
    expect(await stateOf(servers.client('split', 1), 'split')).toEqual(expected);
  }, 240_000);

  it('one stands still with an answer in hand, the other goes on › the late answer is not written', async () => {
    const [one, two] = [await start(), await start()];
    const [first, second] = [clientOf(one.address, 'still'), clientOf(two.address, 'still')];
    const from = endpoint.requests.length;
    endpoint.reply = (request, count) => {
      if (count > from + 1) return undefined;
      one.freeze();
      return { content: claimsOf({ lines: request.lines.map(({ n }) => ({ n, text: 'user lives_in nowhere' })) }) };
    };
    const messages = [0, 1, 2, 3, 4].map((at) => messageOf('still', 0, at));
    await first.conversations.append('c', messages);
    while (endpoint.requests.length === from) await new Promise(setImmediate);
    await flush(() => second);
    const state = await stateOf(second, 'still');
    one.thaw();
    await flush(() => first);
    expect(await stateOf(first, 'still')).toEqual(state);
    expect(state.filter((line) => line.includes('nowhere'))).toEqual([]);
    expect(state.filter((line) => line.startsWith('fact,'))).toHaveLength(5);
  }, 120_000);
});
