import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { collect } from '../client/support/collect.ts';
import { MnemeProcess } from '../contract/mneme-process.ts';
import { firstOrAll } from '../support/all-tests.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { PROXIES, type ProxyName, type RunningProxy, startProxy } from '../support/proxies.ts';
import { seededRandom, type TestRandom } from '../support/random.ts';

const WORKERS = 8;
/** Calls that are answered between two events. */
const CALLS = 150;
/** Longer than the health checks of the proxies take to notice. */
const DRAIN_WAIT_MS = 4000;

/** Calls without an end through a client, one after the other in each worker. */
class Load {
  readonly failures: string[] = [];
  /** Ids of memories whose writes were acknowledged. */
  readonly stored: string[] = [];
  /** Calls that have ended. */
  answered = 0;
  private isOver = false;
  private wake: (() => void) | undefined;
  private readonly running: Promise<void>;

  /** The servers share nothing, so the reads are of the server: others would ask for revisions that the other one does not have. */
  constructor(mneme: Mneme, random: TestRandom) {
    this.running = Promise.all(Array.from({ length: WORKERS }, () => this.work(mneme, random))).then(() => undefined);
  }

  /** Resolves when this many more calls have ended. */
  async passed(count: number): Promise<void> {
    const until = this.answered + count;
    while (this.answered < until) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  private async work(mneme: Mneme, random: TestRandom): Promise<void> {
    while (!this.isOver) {
      try {
        if (random.chance(1 / 3)) await mneme.admin.getServerInfo();
        else this.stored.push((await mneme.store({ text: `tea ${random.int(1000)}` })).id);
      } catch (error) {
        this.failures.push(String(error));
      }
      this.answered++;
      this.wake?.();
    }
  }
}

describe.each(firstOrAll(PROXIES))('servers that are replaced behind %s', (name: ProxyName) => {
  const spec = { flags: { 'drain-wait-ms': DRAIN_WAIT_MS, 'max-connection-age-ms': 2000 } };
  const servers = [new MnemeProcess(spec, new Map()), new MnemeProcess(spec, new Map())] as const;
  let proxy: RunningProxy;
  const clients: Mneme[] = [];
  const client = (address: string) => {
    const mneme = connect(address, { ...PATIENT_CLIENT, namespace: 'load' });
    clients.push(mneme);
    return mneme;
  };
  beforeAll(async () => {
    await Promise.all(servers.map((server) => server.start()));
    proxy = await startProxy(
      name,
      servers.map(({ address }) => address),
    );
  });
  afterEach(() => {
    for (const each of clients.splice(0)) void each.close();
  });
  afterAll(async () => {
    await proxy.stop();
    await Promise.all(servers.map((server) => server.remove()));
  });

  // nginx asks no server for its health and does not repeat a call that it has sent: a call over a connection that ends is answered
  // with 502, and all attempts of the client may meet such connections.
  const failedShareMax = name === 'nginx' ? 0.01 : 0;

  it(`one by one with SIGTERM, under load › ${failedShareMax * 100} % of the calls fail at most, and no acknowledged write is lost`, async () => {
    const load = new Load(client(proxy.address), seededRandom('drain'));
    await load.passed(CALLS);
    for (const server of servers) {
      await server.stop();
      await load.passed(CALLS);
      await server.start();
      await load.passed(CALLS);
    }
    await load.end();

    expect(load.failures.filter((failure) => !failure.startsWith('UnavailableError'))).toEqual([]);
    if (load.failures.length > load.answered * failedShareMax) expect(load.failures.slice(0, 5)).toEqual([]);
    const kept = await Promise.all(servers.map(({ address }) => collect(client(address).list())));
    const ids = new Set(kept.flat().map(({ id }) => id));
    expect(load.stored.filter((id) => !ids.has(id))).toEqual([]);
  });
});
