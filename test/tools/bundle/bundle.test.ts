import { once } from 'node:events';
import {
  appendFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ServerReflectionRequest,
  type ServerReflectionResponse,
} from '../../../gen/ts/grpc/reflection/v1/reflection.ts';
import { withOwnPaths } from '../../../tools/bundle/build-bundle.ts';
import { PROGRAM, runMneme } from '../../cli/support/run-mneme.ts';
import { startMneme } from '../../cli/support/start-mneme.ts';
import { ServerReflectionClient } from '../../support/service-clients.ts';
import { Checkout } from './checkout.ts';

type Program = readonly [string, ...string[]];

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PROBE = new URL('../../support/module-probe.ts', import.meta.url).href;
const BUNDLE: Program = [PROGRAM];
const SOURCES: Program = [process.execPath, '--disable-warning=ExperimentalWarning', join(ROOT, 'src/cli/main.ts')];
/** The bundle's own files, and those of the native modules in each of three threads. The sources are some 1,030 files. */
const FILES_MAX = 150;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-bundle-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the bundle', () => {
  it('starts a server from few files, none of them a source', async () => {
    const list = join(folder, 'loaded');
    // The first start may make the bundle.
    await runMneme(['--version']);
    const mneme = await startMneme({
      env: { MNEME_TEST_MODULE_PROBE: list, NODE_OPTIONS: `--import=${PROBE}` },
    });
    await runMneme(['store', 'The piano is tuned.', '--server', mneme.address]);
    await runMneme(['recall', 'piano', '--server', mneme.address]);
    await mneme.stop();

    const loaded = readFileSync(list, 'utf8').trim().split('\n');
    expect(new Set(loaded.map((line) => line.split(' ')[0])).size).toBe(3);
    expect(loaded.length).toBeLessThanOrEqual(FILES_MAX);
    expect(loaded.filter((line) => /\/(src|gen)\//.test(line))).toEqual([]);
  });

  it('keeps the names of classes that are recognized by name', () => {
    const cache = join(ROOT, '.cache/mneme-bundle');
    const { key } = JSON.parse(readFileSync(join(cache, 'state.json'), 'utf8')) as { readonly key: string };
    const files = globSync(join(cache, key, '*.mjs')).map((path) => readFileSync(path, 'utf8'));
    const renamed = files.flatMap(
      (text) =>
        text.match(
          /class (Client|Socket|Connection|Disconnects|Max|Reconnect|Root|Simple|Blob|Error)\w*(Error|Reply)\d+ /g,
        ) ?? [],
    );

    expect(files.length).toBeGreaterThan(1);
    expect(renamed).toEqual([]);
  });

  it('answers as the sources do', async () => {
    const [ofBundle, ofSources] = [await answersOf(BUNDLE), await answersOf(SOURCES)];

    expect(ofBundle).toEqual(ofSources);
    expect(ofBundle.join('\n')).toContain('Caroline plays the cello.');
  });
});

/** What the program prints for some commands, without times and random ids. */
async function answersOf(program: Program): Promise<string[]> {
  const [command, ...before] = program;
  const mneme = await startMneme({ program });
  const run = async (args: readonly string[], stdin = ''): Promise<string> => {
    const server = ['--server', mneme.address, '--timeout', '60s'];
    const { code, stdout, stderr } = await runMneme([...before, ...args, ...server], { program: command, stdin });
    return `${args.join(' ')}: ${code}\n${stdout}${stderr}`
      .replaceAll(mneme.address, 'ADDRESS')
      .replaceAll(VARYING, '*');
  };
  const answers: string[] = [];
  for (const [args, stdin] of COMMANDS) answers.push(await run(args, stdin));
  await mneme.stop();
  return answers;
}

const VARYING =
  /"(createTime|updateTime|uptime|startTime|checksum)":"[^"]*"|\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d+(\.\d+)? (ms|MB|kB)\b/g;
const AT = ['--event-time', '2026-11-20T09:00:00Z'];
/** Recency is counted from it, so that both runs have equal scores. */
const FROM = ['--reference-time', '2026-11-21T09:00:00Z'];
const LINES = ['The boiler was serviced.', 'Bruno sold his piano.', 'Dana prefers tea.']
  .map((text, at) => JSON.stringify({ id: `line-${at}`, text, eventTime: '2026-11-20T10:00:00Z' }))
  .join('\n');
const COMMANDS: readonly (readonly [string[], string?])[] = [
  [['store', 'Caroline plays the cello.', '--id', 'cello', '--speaker', 'Caroline', ...AT, '--json']],
  [
    [
      'store',
      '--id',
      'state',
      '--content',
      '{"door":"open","position":[1,2]}',
      '--type',
      'state',
      '--step',
      '12',
      ...AT,
    ],
  ],
  [['import', '-'], LINES],
  [['recall', 'Who makes music?', '--json', ...FROM]],
  [['recall', 'piano', '--explain', ...FROM]],
  [['list', '--json']],
  [['get', 'cello', 'missing']],
  [['store', '--importance', '7', 'too important']],
  [['presets']],
  [['recall', '--unknown-flag']],
  [['version']],
];

describe('a checkout of its own', () => {
  const checkout = new Checkout();
  const version = () => runMneme(['--version'], { program: checkout.program });
  afterAll(() => checkout.remove());

  it('makes a bundle at its first start, and no other while the sources stay', async () => {
    expect(await version()).toMatchObject({ code: 0, stderr: '' });
    const made = checkout.bundles();
    await version();
    utimesSync(checkout.path('src/cli/main.ts'), new Date(), new Date());
    await version();

    expect(made).toHaveLength(1);
    expect(checkout.bundles()).toEqual(made);
  });

  it('runs a changed source at once, and removes files of processes that were killed', async () => {
    const abandoned = join(checkout.cache, 'state.json.1');
    writeFileSync(abandoned, '{');
    utimesSync(abandoned, 0, 0);
    appendFileSync(checkout.path('src/cli/main.ts'), "\nprocess.stdout.write('changed\\n');\n");
    const changed = await version();

    expect(changed.stdout).toMatch(/changed\n$/);
    expect(checkout.bundles()).toHaveLength(2);
    expect(readdirSync(checkout.cache).sort()).toEqual([...checkout.bundles(), 'launch.mjs', 'state.json'].sort());
  });

  it('A10 a server whose packages are installed anew, and whose bundle is the oldest of many › loads its late parts', async () => {
    const mneme = await startMneme({ program: [checkout.program] });
    const used = checkout.bundles();
    rmSync(checkout.path('node_modules', '.cache'), { recursive: true, force: true });
    for (let number = 0; number < 16; number++) {
      mkdirSync(join(checkout.cache, `${number}`.padStart(16, '0')));
    }
    for (const name of used) utimesSync(join(checkout.cache, name), 0, 0);
    appendFileSync(checkout.path('src/cli/main.ts'), '// another bundle\n');
    await version();

    expect(checkout.bundles().length).toBeLessThan(16 + used.length + 1);
    const client = new ServerReflectionClient(mneme.address, credentials.createInsecure());
    const stream = client.serverReflectionInfo();
    const answered = once(stream, 'data');
    stream.write(ServerReflectionRequest.fromPartial({ messageRequest: { $case: 'listServices', value: '' } }));
    const [answer] = (await answered) as [ServerReflectionResponse];
    expect(answer.messageResponse?.$case).toBe('listServicesResponse');
    stream.end();
    client.close();
    await mneme.stop();
  });

  it('runs the sources where they cannot be bundled', async () => {
    appendFileSync(
      checkout.path('src/cli/main.ts'),
      "\nprocess.stdout.write('from ' + import.meta.filename + '\\n');\n",
    );
    const { code, stdout } = await version();

    expect(code).toBe(0);
    expect(stdout).toMatch(/from .*\/src\/cli\/main\.ts\n$/);
    expect(readdirSync(checkout.cache).filter((name) => name.startsWith('building-'))).toEqual([]);
  });
});

describe('paths in the bundle', () => {
  it('lead to the file of the project, and to the bundled entries of threads', () => {
    const source = "new URL('../assets/a.bin', import.meta.url); new URL('./writer-thread.ts', import.meta.url)";

    expect(withOwnPaths(source, 'src/a/b.ts')).toBe(
      "new URL('../assets/a.bin', __projectFile(\"src/a/b.ts\")); new URL('./writer-thread.mjs', import.meta.url)",
    );
  });

  it('are refused where they would mislead', () => {
    expect(() => withOwnPaths('import.meta.dirname', 'src/a.ts')).toThrow('src/a.ts: import.meta.dirname');
    expect(() => withOwnPaths("new URL('./other-thread.ts', import.meta.url)", 'src/a.ts')).toThrow('other-thread');
  });
});
