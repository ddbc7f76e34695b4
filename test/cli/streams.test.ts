import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { freePort } from '../support/free-port.ts';
import { LiveMneme } from './support/live-mneme.ts';
import { runMneme } from './support/run-mneme.ts';
import { type RunningMneme, startMneme } from './support/start-mneme.ts';

let data: string;
let server: RunningMneme;
/** Of the server that comes back, too. */
let listen: string;
const live: LiveMneme[] = [];
const start = () => startMneme({ data, listen, flags: ['--embedder', 'none'] });

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'mneme-cli-streams-'));
  listen = `127.0.0.1:${await freePort()}`;
  server = await start();
});
afterEach(async () => {
  for (const command of live.splice(0)) await command.stop();
});
afterAll(async () => {
  await server.stop();
  await rm(data, { recursive: true, force: true });
});

const mneme = (args: readonly string[], stdin: string | Uint8Array = '') =>
  runMneme(args, { stdin, env: { MNEME_SERVER: server.address } });
const lines = (text: string) => text.trimEnd().split('\n');

function begin(args: readonly string[]): LiveMneme {
  const command = new LiveMneme(args, { MNEME_SERVER: server.address });
  live.push(command);
  return command;
}

async function stored(namespace: string, id: string, text: string): Promise<void> {
  expect(await mneme(['store', text, '--namespace', namespace, '--id', id])).toMatchObject({ code: 0 });
}

async function forgotten(namespace: string, id: string): Promise<void> {
  expect(await mneme(['forget', id, '--namespace', namespace])).toMatchObject({ code: 0 });
}

/** Kills the server and starts it again once `meanwhile` is done. */
async function restarted(meanwhile: () => Promise<void>): Promise<void> {
  await server.stop('SIGKILL');
  await meanwhile();
  server = await start();
}

const GONE = /^mneme: .+ Trying until the server answers \(Ctrl-C ends\)\.\n/m;
const BACK = /mneme: the server answers again/;

describe('mneme watch', () => {
  it('changes › a block for each in order, for people and as JSON; --once and --count end it', async () => {
    const space = ['--namespace', 'changes'];
    await stored('changes', 'a', 'first');
    await mneme(['store', 'second', ...space, '--id', 'b']);
    await forgotten('changes', 'a');
    const received = await mneme(['watch', ...space, '--from', '1', '--once']);
    expect([received.code, received.stderr]).toEqual([0, '']);
    const [made, one, two, twoAbout, gone] = lines(received.stdout);
    expect(made).toMatch(/^ +\d+ {2}namespace created/);
    // Of a memory that was erased since, only its former presence is reported.
    expect(one).toMatch(/^ +\d+ {2}stored {4}a$/);
    expect(two).toMatch(/^ +\d+ {2}stored {4}second$/);
    expect(twoAbout).toMatch(/^ {18}\d{4}-\d\d-\d\d \d\d:\d\d {2}statement {2}b$/);
    expect(gone).toMatch(/^ +\d+ {2}deleted {3}a$/);
    const counted = await mneme(['watch', ...space, '--from', '1', '--count', '3', '--json']);
    const events = lines(counted.stdout).map((line) => JSON.parse(line));
    expect(events.map(({ kind, id }) => `${kind} ${id}`)).toEqual(['namespace_created ', 'stored a', 'stored b']);
    expect(events[2]).toMatchObject({ leaves: false, memory: { text: 'second' } });
  }, 240_000);

  it('moves between tiers › enter and leave a tier, and are reported with --moved', async () => {
    const space = ['--namespace', 'moves'];
    await stored('moves', 'a', 'tea');
    await mneme(['demote', 'a', ...space]);
    const from = ['--from', '1', '--once'];
    const left = await mneme(['watch', ...space, ...from, '--tier', 'short_term']);
    expect(lines(left.stdout).at(-1)).toMatch(/^ +\d+ {2}leaves {4}a$/);
    const entered = await mneme(['watch', ...space, ...from, '--tier', 'intermediate', '--json']);
    expect(JSON.parse(lines(entered.stdout).at(-1) ?? '')).toMatchObject({ kind: 'moved', leaves: false });
    const all = await mneme(['watch', ...space, ...from, '--moved']);
    expect(lines(all.stdout).at(-2)).toMatch(/^ +\d+ {2}moved {5}to intermediate: tea$/);
    expect((await mneme(['watch', ...space, ...from])).stdout).not.toMatch(/moved/);
  }, 240_000);

  it('a revision of the future, a namespace that is not there, no server › one line and the exit code', async () => {
    await stored('there', 'a', 'x');
    const future = await mneme(['watch', '--namespace', 'there', '--from', '999999']);
    expect([future.code, future.stderr]).toEqual([
      5,
      expect.stringMatching(/^mneme: the newest revision is \d+, got 999999\n$/),
    ]);
    expect(await mneme(['watch', '--namespace', 'nowhere', '--from', '-1'])).toMatchObject({ code: 2 });
    const alone = ['watch', 'subscribe x', 'subscriptions consume jobs --consumer c', 'ingest'];
    for (const command of alone) {
      const { code, stderr } = await mneme([...command.split(' '), '--server', '127.0.0.1:1'], '{"text":"a"}\n');
      expect([command, code, stderr]).toEqual([
        command,
        4,
        expect.stringMatching(/^mneme: no server answers at 127\.0\.0\.1:1: .+\n$/),
      ]);
    }
  }, 240_000);

  it('the server goes and comes back › both are said, nothing is missed; Ctrl-C ends it', async () => {
    await stored('back', 'a', 'before');
    const watch = begin(['watch', '--namespace', 'back']);
    await watch.says(/watching from revision \d+ on/);
    await stored('back', 'b', 'seen');
    await watch.says(/seen/);
    await restarted(() => watch.says(GONE));
    await watch.says(BACK);
    await stored('back', 'c', 'after');
    await watch.says(/after/);
    expect(await watch.interrupt()).toBe(130);
    expect(lines(watch.stdout).map((line) => line.split(/ +/).at(-1))).toEqual(['seen', 'b', 'after', 'c']);
    expect(watch.stderr.match(new RegExp(GONE, 'gm'))).toHaveLength(1);
  }, 240_000);
});

describe('mneme subscribe', () => {
  it('what enters and leaves › is shown as it happens, also after the server was away', async () => {
    await stored('music', 'a', 'a cello');
    const standing = begin(['subscribe', 'cello', '--namespace', 'music']);
    await standing.says(/^\+ +1 .+ a cello$/m);
    await stored('music', 'b', 'one more cello');
    await standing.says(/^\+ .+ one more cello$/m);
    await restarted(() => standing.says(GONE));
    await forgotten('music', 'a');
    await standing.says(/^- .+ a cello$/m);
    await standing.says(BACK);
    expect(await standing.interrupt()).toBe(130);
  }, 240_000);

  it('before the first memory › says that it waits, and shows what comes', async () => {
    const standing = begin(['subscribe', 'cello', '--namespace', 'early']);
    await standing.says(/^namespaces\/early does not exist: waiting for its first memory$/m);
    await standing.says(/^nothing found yet$/m);
    await stored('early', 'a', 'a cello');
    await standing.says(/^\+ +1 .+ a cello$/m);
    expect(await standing.interrupt()).toBe(130);
  }, 240_000);

  it('the text of one that is shown changes › is shown once, places and scores that move are not; --count counts what is', async () => {
    const client = connect(server.address, { namespace: 'strings' });
    await client.store({ id: 'a', text: 'a cello' });
    await client.store({ id: 'b', text: 'another cello' });
    const standing = begin(['subscribe', 'cello', '--namespace', 'strings', '--count', '3']);
    await standing.says(/^\+ +2 /m);
    const printed = standing.stdout;
    // How much it matters moves its score, and that of the other.
    await client.update('a', { importance: 1 });
    await client.update('a', { text: 'a cello, sold', source: { speaker: 'Ann' } });
    await standing.says(/^~ .+ a cello, sold\n.+ Ann {2}a$/m);
    await client.update('b', { importance: 0 });
    await client.store({ id: 'c', text: 'one more cello' });
    expect(await standing.ended).toBe(0);
    void client.close();
    const later = lines(standing.stdout.slice(printed.length)).filter((line) => /^\S/.test(line));
    expect(later.map((line) => [line.slice(0, 1), line.split(/ {2,}/).at(-1)])).toEqual([
      ['~', 'a cello, sold'],
      ['+', 'one more cello'],
    ]);
  }, 240_000);
});

describe('mneme subscribe --count', () => {
  it('an answer that is there already › is the first one; one without memories is none', async () => {
    await stored('counted', 'a', 'a cello');
    const there = await mneme(['subscribe', 'cello', '--namespace', 'counted', '--count', '1']);
    expect([there.code, there.stdout]).toEqual([0, expect.stringMatching(/^\+ +1 .+ a cello\n/)]);
    const json = await mneme(['subscribe', 'cello', '--namespace', 'counted', '--count', '1', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ entered: ['a'] });
    const standing = begin(['subscribe', 'cello', '--namespace', 'counted-later', '--count', '1']);
    await standing.says(/^nothing found yet$/m);
    await stored('counted-later', 'b', 'another cello');
    expect(await standing.ended).toBe(0);
    expect(standing.stdout).toMatch(/^\+ +1 .+ another cello\n/);
  }, 240_000);
});

describe('mneme ingest', () => {
  it('a line that is not UTF-8, whole or at the end of the input › is reported with its number and skipped', async () => {
    const latin1 = (text: string) => Buffer.from(text, 'latin1');
    const parts = ['{"text":"Zoë"}\n', latin1('{"text":"Zoë"}\n'), '\n', '{"text":"b"}\n', latin1('{"text":"ö')];
    const space = ['--namespace', 'bytes'];
    const { code, stdout, stderr } = await mneme(
      ['ingest', ...space],
      Buffer.concat(parts.map((part) => Buffer.from(part))),
    );
    expect([code, stdout, lines(stderr)]).toEqual([
      9,
      'stored 2, already there 0, refused 2\n',
      ['mneme: stdin:2: not UTF-8', 'mneme: stdin:5: not UTF-8', 'mneme: 2 lines were not stored'],
    ]);
    const listed = lines((await mneme(['list', ...space, '--json'])).stdout).map((line) => JSON.parse(line) as unknown);
    expect(listed).toHaveLength(2);
    expect(listed).toEqual(expect.arrayContaining([{ text: 'Zoë' }, { text: 'b' }].map(expect.objectContaining)));
  }, 240_000);

  it('a line that holds no memory › is reported and skipped, and keeps its number', async () => {
    const all = '{"text":"a"}\nno JSON\n{"text":"b"}\n{"text":"c","colour":"red"}\n{"text":"d"}\n';
    const space = ['--namespace', 'lines', '--stream-id', 's'];
    const first = await mneme(['ingest', ...space], all);
    expect([first.code, first.stdout]).toEqual([9, 'stored 3, already there 0, refused 2\n']);
    expect(lines(first.stderr)).toEqual([
      expect.stringMatching(/^mneme: stdin:2:1: not JSON/),
      expect.stringMatching(/^mneme: stdin:4:13: colour is not a key/),
      'mneme: 2 lines were not stored',
    ]);
    const second = await mneme(['ingest', ...space, '--after', '4'], `${all}{"text":"e"}\n`);
    expect([second.code, second.stdout]).toEqual([0, 'stored 1, already there 1, refused 0\n']);
    expect(lines((await mneme(['list', '--namespace', 'lines', '--json'])).stdout)).toHaveLength(4);
  }, 240_000);

  it('Ctrl-C › what was read is on disk, and said', async () => {
    const ingest = begin(['ingest', '--namespace', 'interrupted', '--json']);
    ingest.write('{"text":"a"}\n{"text":"b"}\n');
    await ingest.says(/"acknowledged":2/);
    await restarted(() => ingest.says(GONE));
    ingest.write('{"text":"c"}\n');
    await ingest.says(/"acknowledged":3/);
    expect(await ingest.interrupt()).toBe(130);
    expect(ingest.stderr).toMatch(/mneme: storing what was read/);
    expect(lines((await mneme(['list', '--namespace', 'interrupted', '--json'])).stdout)).toHaveLength(3);
  }, 240_000);
});
