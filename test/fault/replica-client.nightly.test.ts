import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect, type Mneme, type WatchEvent } from '../../clients/typescript/src/index.ts';
import { type Link, openLink } from '../support/link.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { Replica } from './replicas.ts';

let postgres: PostgresServer;
let link: Link;
let mneme: Mneme;
const replicas: Replica[] = [];
/** The server at the end of the link. */
let at = 0;

beforeEach(async () => {
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
  for (let count = 0; count < 2; count++) replicas.push(await Replica.start(postgres.url));
  at = 0;
  link = await openLink(() => replicas[at]?.clients.address ?? '');
  mneme = connect(link.address, { ...PATIENT_CLIENT, namespace: 'n' });
});
afterEach(async () => {
  void mneme.close();
  await link.stop();
  for (const replica of replicas.splice(0)) await replica.stop();
  await postgres.stop();
  postgres.remove();
});

/** The next connection leads to the other server. */
function change(): void {
  at = 1 - at;
  link.cut();
}

const writer = () => connect(replicas[0]?.clients.address ?? '', { ...PATIENT_CLIENT, namespace: 'n' });
const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `m${from + n}`);

/** The final state of a reader that applies all messages. */
class Mirror {
  readonly stored: string[] = [];
  readonly texts = new Map<string, string>();
  relistings = 0;
  private readonly events: AsyncGenerator<WatchEvent>;

  constructor(events: AsyncGenerator<WatchEvent>) {
    this.events = events;
  }

  async until(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      const { value: event, done } = await this.events.next();
      if (done) throw new Error('the watch has ended');
      if (event.kind === 'relisting') {
        this.relistings++;
        this.texts.clear();
      } else if (event.kind === 'deleted') this.texts.delete(event.id);
      else if (event.kind !== 'caught_up' && event.memory) {
        this.texts.set(event.id, event.memory.text);
        if (event.kind === 'stored') this.stored.push(event.id);
      }
    }
  }
}

describe('client › calls whose connection moves between two servers over one PostgreSQL', () => {
  it('read their writes at the other server', async () => {
    for (const id of numbered(20)) await mneme.store({ id, text: id });
    change();
    expect(await mneme.get('m19')).toMatchObject({ text: 'm19' });
    expect((await mneme.count()).count).toBe(20);
    change();
    expect(await mneme.get('m0')).toMatchObject({ text: 'm0' });
  }, 240_000);
});

describe('client › a watch whose connection moves between two servers over one PostgreSQL', () => {
  it('continues at the other by its token: every change once and in order', async () => {
    const other = connect(replicas[1]?.clients.address ?? '', { ...PATIENT_CLIENT, namespace: 'other' });
    for (const id of numbered(20)) await other.store({ id, text: id });
    void other.close();
    const writing = writer();
    await writing.store({ id: 'before', text: 'before' });
    const events = mneme.watch({ progress: true, onCompacted: 'fail' });
    const mirror = new Mirror(events);
    const first = await events.next();
    expect(first.value).toMatchObject({ kind: 'caught_up' });
    for (let round = 0; round < 6; round++) {
      for (const id of numbered(10, round * 10)) await writing.store({ id, text: id });
      change();
      await mirror.until(() => mirror.stored.includes(`m${round * 10 + 9}`));
    }
    await events.return(undefined);
    void writing.close();
    expect(mirror.stored).toEqual(numbered(60));
  }, 240_000);

  it('continues at one that was stopped meanwhile, without its data: no change is missed, nothing is listed again', async () => {
    const writing = writer();
    await writing.store({ id: 'before', text: 'before' });
    const events = mneme.watch({ progress: true });
    const mirror = new Mirror(events);
    expect((await events.next()).value).toMatchObject({ kind: 'caught_up' });
    for (const id of numbered(10)) await writing.store({ id, text: id });
    await mirror.until(() => mirror.stored.includes('m9'));
    const [, second] = replicas;
    await second?.kill();
    for (const id of numbered(10, 10)) await writing.store({ id, text: id });
    await second?.restart();
    const meanwhile = (async () => {
      for (const id of numbered(40, 20)) await writing.store({ id, text: id });
      await writing.delete('m0');
    })();
    change();
    // The last change may be seen here before it is acknowledged there: no later one follows.
    const left = numbered(59, 1).sort().join();
    await Promise.all([meanwhile, mirror.until(() => [...mirror.texts.keys()].sort().join() === left)]);
    await events.return(undefined);
    void writing.close();
    expect(mirror.relistings).toBe(0);
  }, 240_000);
});
