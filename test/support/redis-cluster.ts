import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type RedisConfig, RedisServer } from './redis-server.ts';

const run = promisify(execFile);
const POLL_MS = 50;
const READY_MS_MAX = 60_000;

/** Three masters with a replica each. */
export class RedisCluster {
  readonly servers: readonly RedisServer[];

  private constructor(servers: readonly RedisServer[]) {
    this.servers = servers;
  }

  /**
   * `nodeTimeoutMs`: silence after which a replica takes over; by default none does while a busy machine delays a
   * master.
   */
  static async started({
    nodeTimeoutMs = 15_000,
    config: more = {},
  }: {
    nodeTimeoutMs?: number;
    config?: RedisConfig;
  } = {}): Promise<RedisCluster> {
    const config = {
      'cluster-enabled': 'yes',
      'cluster-node-timeout': String(nodeTimeoutMs),
      'repl-diskless-sync-delay': '0',
      ...more,
    };
    const servers: RedisServer[] = [];
    const cluster = new RedisCluster(servers);
    try {
      for (let count = 0; count < 6; count++) servers.push(await RedisServer.started(config));
      const addresses = servers.map(({ port }) => `127.0.0.1:${port}`);
      await run('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes']);
      await until('the cluster is up', () => cluster.isReady());
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  get urls(): string[] {
    return this.servers.map(({ url }) => url);
  }

  /** The master of a key now. */
  async masterOf(key: string): Promise<RedisServer> {
    for (const server of this.servers) {
      // The others refer to it, its replica too, or do not answer.
      const answer = await server.command('EXISTS', key).catch(() => undefined);
      if (answer !== undefined) return server;
    }
    throw new Error(`no master for ${key}`);
  }

  /** Resolves when a replica has all writes to the master of a key: the master answers its clients first. */
  async replicated(key: string): Promise<void> {
    const master = await this.masterOf(key);
    await until('the replica has caught up', async () => {
      const report = String(await master.command('INFO', 'replication'));
      const offset = /^master_repl_offset:(\d+)/m.exec(report)?.[1];
      return offset !== undefined && new RegExp(`^slave0:.*,offset=${offset},`, 'm').test(report);
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  /** A killed master is replaced only by a replica that has caught up. */
  private async isReady(): Promise<boolean> {
    const reports = this.servers.map(
      async (server) => `${await server.command('CLUSTER', 'INFO')}${await server.command('INFO', 'replication')}`,
    );
    return (await Promise.all(reports)).every(
      (report) =>
        report.includes('cluster_state:ok') &&
        (report.includes('role:slave')
          ? report.includes('master_link_status:up')
          : report.includes('connected_slaves:1')),
    );
  }
}

/** Polls until it is so; fails after 60 s. For states that only the server itself knows and does not announce. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const endsAtMs = performance.now() + READY_MS_MAX;
  while (!(await isSo())) {
    if (performance.now() > endsAtMs) throw new Error(`not within ${READY_MS_MAX} ms: ${what}`);
    await delay(POLL_MS);
  }
}
