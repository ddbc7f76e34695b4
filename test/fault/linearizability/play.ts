import { PostgresServer } from '../../support/postgres-server.ts';
import { seededRandom, type TestRandom } from '../../support/random.ts';
import { Replica } from '../replicas.ts';
import { History, type Operation } from './history.ts';

const SERVERS = 3;
/** Histories that are made at once. */
const AT_ONCE = 25;
/** Calls between two faults. */
const CALLS_MAX = 200;
/** How long a server is frozen at the most: longer than calls wait. */
const FROZEN_MS_MAX = 1500;

type Fault = 'killed' | 'frozen' | 'PostgreSQL restarted';

export interface Played {
  readonly operations: readonly Operation[];
  /** Calls that failed as no call may. */
  readonly wrong: readonly string[];
  readonly faults: ReadonlyMap<Fault, number>;
}

/** Makes histories over three servers while servers are killed and frozen, and PostgreSQL is restarted. */
export async function makeHistories(count: number, seed: string): Promise<Played> {
  const random = seededRandom('linearizability', seed);
  const postgres = await PostgresServer.started({ version: 18 });
  const servers: Replica[] = [];
  const faults = new Map<Fault, number>();
  try {
    const env = { MNEME_POSTGRES_URL: postgres.url };
    for (let at = 0; at < SERVERS; at++) servers.push(await Replica.startWith(env));
    const operations: Operation[] = [];
    const wrong: string[] = [];
    for (let made = 0; made < count; made += AT_ONCE) {
      const batch = new Batch(servers, postgres, random, faults);
      const ids = Array.from({ length: Math.min(AT_ONCE, count - made) }, (_, at) => `h${made + at + 1}`);
      const histories = await batch.make(`namespaces/batch-${made / AT_ONCE + 1}`, ids);
      operations.push(...histories.flatMap((history) => history.operations));
      wrong.push(...histories.flatMap((history) => history.faults));
    }
    return { operations, wrong, faults };
  } finally {
    for (const server of servers) await server.stop();
    await postgres.stop('immediate');
    postgres.remove();
  }
}

class Batch {
  private readonly servers: readonly Replica[];
  private readonly postgres: PostgresServer;
  private readonly random: TestRandom;
  private readonly faults: Map<Fault, number>;
  private readonly away = new Set<Replica>();
  private callCount = 0;
  private wake: () => void = () => {};

  constructor(servers: readonly Replica[], postgres: PostgresServer, random: TestRandom, faults: Map<Fault, number>) {
    this.servers = servers;
    this.postgres = postgres;
    this.random = random;
    this.faults = faults;
  }

  async make(parent: string, ids: readonly string[]): Promise<History[]> {
    const pickServer = () => this.random.pick(this.servers.filter((server) => !this.away.has(server)));
    const onCall = () => {
      this.callCount += 1;
      this.wake();
    };
    const histories = ids.map((id) => new History(id, parent, this.random, pickServer, onCall));
    let isOver = false;
    const working = Promise.all(histories.map((history) => history.make())).then(() => {
      isOver = true;
      this.wake();
    });
    while (!isOver) {
      const until = this.callCount + this.random.int(CALLS_MAX);
      while (!isOver && this.callCount < until) await new Promise<void>((resolve) => (this.wake = resolve));
      if (!isOver) await this.breakOne();
    }
    await working;
    return histories;
  }

  private async breakOne(): Promise<void> {
    const fault = this.random.pick(['killed', 'killed', 'frozen', 'frozen', 'PostgreSQL restarted'] as const);
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
    const server = this.random.pick(this.servers);
    if (fault === 'killed') {
      this.away.add(server);
      await server.restart();
      this.away.delete(server);
    } else if (fault === 'frozen') {
      server.freeze();
      await new Promise((resolve) => setTimeout(resolve, this.random.int(FROZEN_MS_MAX)));
      server.thaw();
    } else {
      await this.postgres.stop(this.random.pick(['fast', 'immediate']));
      await this.postgres.start();
    }
  }
}
