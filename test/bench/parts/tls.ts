import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Group } from '../bench.ts';
import { makeCorpus } from '../data/corpus.ts';
import type { Measured } from '../load/load-client.ts';
import { RawTransport } from '../load/raw-transport.ts';
import { quantile } from '../quantile.ts';
import { overall } from '../rounds.ts';
import type { ServerProcess } from '../servers/child.ts';
import { threadUsOf } from '../servers/process-usage.ts';
import { getMessages, type Messages, storeBytes } from './call-messages.ts';
import { recallMessages } from './recall-messages.ts';
import { startTlsServers, type TlsServers } from './tls-servers.ts';

const PART = 'tls';
const MEMORIES = 1000;
const QUESTIONS = 100;
const IN_FLIGHT = [1, 32];
const ROUNDS = 7;
const ROUND_MS = 500;
const WARM_UP_MS = 1500;
const CONNECTIONS = 50;

const NAMES: Readonly<Record<keyof TlsServers, string>> = {
  plain: 'without TLS',
  tls: 'with TLS',
  mutual: 'with mTLS',
  echo: 'echo',
  echoTls: 'echo with TLS',
};
type Name = keyof TlsServers;
const ALL = Object.keys(NAMES) as Name[];
/** The echo with the same connections, but for the certificate of the client. */
const LIMITS = { plain: 'echo', tls: 'echoTls', mutual: 'echoTls' } as const;

/** What TLS, and a certificate of the client, add to calls and connections: all servers in turn. */
export const tlsGroup: Group = {
  parts: [PART],
  async run(bench) {
    const folder = join(bench.folder, PART);
    mkdirSync(folder);
    const corpus = makeCorpus(MEMORIES, QUESTIONS);
    const servers = await startTlsServers(bench, folder, corpus, MEMORIES);
    const calls = [
      { what: 'Get', messages: getMessages(MEMORIES) },
      { what: `Recall by vector of ${MEMORIES}`, messages: recallMessages(corpus, 'vector') },
      // Last: the others read what was there at first. Without a text, of which a search thread would make vectors later.
      { what: 'Store of 1 KB of bytes', messages: storeBytes(corpus) },
    ];
    for (const { what, messages } of calls) await measureCalls(bench, servers, what, messages);
    await measureConnections(bench, servers);
    for (const name of ALL) await servers[name].stop();
    rmSync(folder, { recursive: true });
  },
};

async function measureCalls(bench: Bench, servers: TlsServers, what: string, messages: Messages): Promise<void> {
  for (const inFlight of IN_FLIGHT) {
    const load = { ...messages, client: 'raw', inFlight, durationMs: ROUND_MS } as const;
    for (const name of ALL) await bench.client.run(servers[name], { ...load, durationMs: WARM_UP_MS });
    const rounds = await inTurns(ROUNDS, (name) => bench.client.run(servers[name], load));
    const of = (name: Name): Measured => overall(rounds[name]);
    const others = (['mutual', 'echo', 'echoTls'] as const).map((name) => [NAMES[name], of(name)] as const);
    const [subject, limit] = [of('tls'), of('plain')];
    bench.add({
      part: PART,
      what: `${what}, ${inFlight} in flight, with TLS`,
      subject,
      limit,
      limitName: NAMES.plain,
      beside: new Map(others),
      ratio: subject.perSecond / limit.perSecond,
    });
    const added = (name: Name, to: Name): number => mainUsOf(of(name).threadsUs) - mainUsOf(of(to).threadsUs);
    for (const name of ['tls', 'mutual'] as const) {
      bench.add({
        part: PART,
        what: `CPU of the main thread added to ${what}, ${inFlight} in flight, ${NAMES[name]}`,
        value: added(name, 'plain'),
        unit: 'µs',
        limit: added('echoTls', 'echo'),
        limitName: 'added to an echo',
      });
    }
  }
}

/** TLS has its work there. The time of the whole process is good to 10 ms only, and has work in the background. */
function mainUsOf(threadsUs: ReadonlyMap<string, number> | undefined): number {
  return threadsUs?.get('MainThread') ?? Number.NaN;
}

async function measureConnections(bench: Bench, servers: TlsServers): Promise<void> {
  const rounds = await inTurns(ROUNDS, (name) => connections(servers[name]));
  const of = (name: Name) => {
    const times = rounds[name].flatMap(({ tookMs }) => tookMs).sort((a, b) => a - b);
    const cpuUs = rounds[name].reduce((sum, round) => sum + round.cpuUs, 0) / times.length;
    return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), cpuUs };
  };
  for (const [name, limitName] of Object.entries(LIMITS) as [keyof typeof LIMITS, Name][]) {
    const [measured, limit] = [of(name), of(limitName)];
    const add = (what: string, part: keyof typeof measured, unit: string): void =>
      bench.add({
        ...{ part: PART, what: `${what} ${NAMES[name]}`, value: measured[part], unit },
        ...{ limit: limit[part], limitName: NAMES[limitName], ratio: measured[part] / limit[part] },
      });
    add('connection to the first frame of the server, p50,', 'p50', 'ms');
    add('connection to the first frame of the server, p99,', 'p99', 'ms');
    add('CPU of the main thread for a connection', 'cpuUs', 'µs');
  }
}

/** Connections one after another, none of which resumes a session of TLS. */
async function connections(server: ServerProcess): Promise<{ readonly tookMs: number[]; readonly cpuUs: number }> {
  const beforeUs = mainUsOf(threadUsOf(server.pid));
  const tookMs: number[] = [];
  for (let count = 0; count < CONNECTIONS; count++) {
    const startedMs = performance.now();
    const transport = await RawTransport.open(server.address, server.tls);
    tookMs.push(performance.now() - startedMs);
    transport.close();
  }
  return { tookMs, cpuUs: mainUsOf(threadUsOf(server.pid)) - beforeUs };
}

/** Measures every server in each round, so that other load affects all of them. */
async function inTurns<T>(rounds: number, measure: (name: Name) => Promise<T>): Promise<Record<Name, T[]>> {
  const results: Record<Name, T[]> = { plain: [], tls: [], mutual: [], echo: [], echoTls: [] };
  for (let round = 0; round < rounds; round++) for (const name of ALL) results[name].push(await measure(name));
  return results;
}
