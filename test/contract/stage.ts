import type { JsonValue } from '@bufbuild/protobuf';
import { Client, credentials } from '@grpc/grpc-js';
import { CA_CERTIFICATE, CLIENT_CERTIFICATE, CLIENT_KEY } from '../client/support/certificates.ts';
import { type Link, openLink } from '../support/link.ts';
import { bytesOf, jsonOf, methodOf, pathOf } from './api.ts';
import { FakeServer } from './fake-server.ts';
import type { Values } from './match.ts';
import type { MnemeProcess, ServerSpec } from './mneme-process.ts';
import { GarbageServer, WebServer } from './network.ts';
import type { Place, Scenario } from './scenario.ts';
import type { ServerPool } from './server-pool.ts';

/** Resources of one scenario: its server, and others that it names. */
export class Stage {
  private server: MnemeProcess | undefined;
  /** Of a server that no other scenario uses at the same time. */
  private readonly ownSpec: ServerSpec | undefined;
  private readonly pool: ServerPool;
  private fake: FakeServer | undefined;
  private link: Link | undefined;
  private garbage: GarbageServer | undefined;
  private web: WebServer | undefined;
  private direct: Client | undefined;

  constructor({ server }: Scenario, shared: MnemeProcess, pool: ServerPool) {
    this.ownSpec = server === undefined || server === false ? undefined : server;
    this.server = server === undefined ? shared : undefined;
    this.pool = pool;
  }

  async open(): Promise<void> {
    if (this.ownSpec) this.server = await this.pool.take(this.ownSpec);
  }

  /** Names that scenarios can refer to from the start. */
  values(namespace: string): Values {
    return new Map<string, unknown>([
      ['ns', namespace],
      ['ca', CA_CERTIFICATE],
      ['client_cert', CLIENT_CERTIFICATE],
      ['client_key', CLIENT_KEY],
    ]);
  }

  async addressOf(place: Place): Promise<string> {
    switch (place) {
      case 'server':
        return this.process.address;
      case 'link':
        this.link ??= await openLink(() => this.fake?.address ?? this.process.address);
        return this.link.address;
      case 'fake':
        return (await this.startedFake()).address;
      case 'garbage':
        if (!this.garbage) {
          this.garbage = new GarbageServer();
          await this.garbage.start();
        }
        return this.garbage.address;
      case 'web':
        if (!this.web) {
          this.web = new WebServer();
          await this.web.start();
        }
        return this.web.address;
      case 'nowhere': {
        // A recently free port: nothing listens there now.
        const gone = new GarbageServer();
        await gone.start();
        gone.stop();
        return gone.address;
      }
    }
  }

  async startedFake(): Promise<FakeServer> {
    if (!this.fake) {
      this.fake = new FakeServer();
      await this.fake.start();
    }
    return this.fake;
  }

  get process(): MnemeProcess {
    if (!this.server) throw new Error('the scenario has no server');
    return this.server;
  }

  get openedLink(): Link {
    if (!this.link) throw new Error('nothing is connected through the link');
    return this.link;
  }

  /** Asks the server without the client that is tested. */
  ask(rpc: string, request: JsonValue): Promise<unknown> {
    this.direct ??= new Client(this.process.address, credentials.createInsecure());
    const { direct } = this;
    const method = methodOf(rpc);
    return new Promise((resolve, reject) => {
      direct.makeUnaryRequest(
        pathOf(method),
        (bytes: Buffer) => bytes,
        (bytes: Buffer) => bytes,
        bytesOf(method, 'input', request),
        (error, bytes) => (bytes ? resolve(jsonOf(method, 'output', bytes)) : reject(error)),
      );
    });
  }

  /** `isPassed`: the scenario has left its server as it should be. */
  async close(isPassed: boolean): Promise<void> {
    this.direct?.close();
    await this.link?.stop();
    this.fake?.stop();
    this.garbage?.stop();
    this.web?.stop();
    if (this.ownSpec && this.server) await this.pool.giveBack(this.server, isPassed);
  }
}
