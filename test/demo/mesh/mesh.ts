import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type Mneme } from '../../../clients/typescript/src/index.ts';
import { type RunningMneme, startMneme } from '../../cli/support/start-mneme.ts';
import { freePort } from '../../support/free-port.ts';
import { PATIENT_CLIENT } from '../../support/patient.ts';
import { PostgresServer } from '../../support/postgres-server.ts';
import { type RunningProxy, startProxy } from '../../support/proxies.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { MeshCertificates } from './certificates.ts';

const SERVER_COUNT = 3;
const POLL_MS = 50;
/** Longer than the health checks of Envoy take to notice, and short enough for connections to be opened anew in a demo. */
const FLAGS = [
  '--embedder',
  'none',
  '--drain-wait-ms',
  '4000',
  '--max-connection-age-ms',
  '10000',
  '--tls-interval-ms',
  '500',
];

interface MeshOptions {
  readonly withRedis: boolean;
}

interface Server {
  readonly listen: string;
  readonly data: string;
  running: RunningMneme | undefined;
}

/** Three servers over one PostgreSQL, with sessions in Redis where it is asked for, behind Envoy, with mutual TLS everywhere. */
/** A machine that is slow is no fault: waits that a call would fail after are as long as its deadline. */
const PATIENT_SERVER = {
  MNEME_VIEW_BUILD_WAIT_MS: '60000',
  MNEME_POSTGRES_CONNECT_TIMEOUT_MS: '60000',
  MNEME_POSTGRES_STATEMENT_TIMEOUT_MS: '60000',
};

export class Mesh {
  readonly certificates: MeshCertificates;
  private readonly folder: string;
  private readonly postgres: PostgresServer;
  private readonly redis: RedisServer | undefined;
  private readonly servers: Server[] = [];
  private proxy: RunningProxy | undefined;

  private constructor(folder: string, postgres: PostgresServer, redis: RedisServer | undefined) {
    this.folder = folder;
    this.postgres = postgres;
    this.redis = redis;
    this.certificates = new MeshCertificates(folder);
  }

  static async started({ withRedis }: MeshOptions): Promise<Mesh> {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-mesh-'));
    const redis = withRedis ? await RedisServer.started({ appendonly: 'yes', appendfsync: 'always' }) : undefined;
    const mesh = new Mesh(folder, await PostgresServer.started({ version: 18 }), redis);
    try {
      for (let at = 0; at < SERVER_COUNT; at++) {
        const listen = `127.0.0.1:${await freePort()}`;
        mesh.servers.push({ listen, data: join(folder, `data-${at}`), running: undefined });
        await mesh.start(at);
      }
      mesh.proxy = await startProxy('envoy', mesh.addresses, { certificates: folder });
      return mesh;
    } catch (error) {
      await mesh.stop();
      throw error;
    }
  }

  /** Of Envoy, for callers. */
  get address(): string {
    return this.proxy?.address ?? '';
  }

  get addresses(): string[] {
    return this.servers.map(({ listen }) => listen);
  }

  async start(at: number): Promise<void> {
    const { listen, data } = this.server(at);
    const env = {
      MNEME_POSTGRES_URL: this.postgres.url,
      ...PATIENT_SERVER,
      ...(this.redis && { MNEME_REDIS_URL: this.redis.url, MNEME_UPPER_TIERS: 'redis' }),
    };
    const flags = [...FLAGS, ...this.certificates.serverFlags];
    this.server(at).running = await startMneme({
      listen,
      data,
      flags,
      env,
      isQuiet: true,
    });
  }

  /** Resolves when it has ended. */
  async end(at: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await this.server(at).running?.stop(signal);
    this.server(at).running = undefined;
  }

  async restartPostgres(mode: 'fast' | 'immediate'): Promise<void> {
    await this.postgres.stop(mode);
    await this.postgres.start();
  }

  async freezeRedis(ms: number): Promise<void> {
    this.redis?.freeze();
    await pause(ms);
    this.redis?.thaw();
  }

  /** Resolves when Envoy and all servers show the new certificates. */
  async rotateCertificates(): Promise<void> {
    await this.certificates.rotate();
    const shown = () =>
      Promise.all([
        this.certificates.isShownBy(this.address, 'envoy'),
        ...this.addresses.map((address) => this.certificates.isShownBy(address, 'server')),
      ]);
    while ((await shown()).includes(false)) await pause(POLL_MS);
  }

  /** A client of Envoy, or of one server. */
  client(address = this.address): Mneme {
    const [ca, cert, key] = this.certificates.ofCaller();
    return connect(address, { ...PATIENT_CLIENT, tls: { ca, cert, key } });
  }

  async stop(): Promise<void> {
    await this.proxy?.stop();
    await Promise.all(this.servers.map((_, at) => this.end(at, 'SIGKILL')));
    await this.postgres.stop('immediate');
    this.postgres.remove();
    await this.redis?.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private server(at: number): Server {
    const server = this.servers[at];
    if (!server) throw new Error(`no server ${at}`);
    return server;
  }
}
