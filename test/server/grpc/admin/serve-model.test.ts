import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HUB_FILES, ModelHub } from '../../../support/model-hub.ts';
import { installStandIn } from '../../../support/transformers-stand-in.ts';

const MAIN = fileURLToPath(new URL('../../../../src/cli/main.ts', import.meta.url));
const MODEL = 'Xenova/some-model';

let folder: string;
let hub: ModelHub;
let child: ChildProcess | undefined;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-serve-model-'));
  installStandIn(folder);
  hub = await ModelHub.started();
});
afterEach(async () => {
  if (child && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await hub.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts `mneme serve` with a stand-in for packages that the checkout lacks. */
function serve(hubUrl = hub.url) {
  const flags = ['--listen', '127.0.0.1:0', '--data', join(folder, 'data')];
  const embedder = ['--embedder', 'transformers', '--embedder-model', MODEL, '--embedder-hub', hubUrl];
  const started = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', MAIN, 'serve', ...flags, ...embedder],
    {
      env: { PATH: process.env.PATH, NODE_PATH: join(folder, 'node_modules') },
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  child = started;
  const output = { stdout: '', stderr: '' };
  started.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  started.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const ended = once(started, 'close').then(([code]) => ({ code: code as number | null, ...output }));
  return {
    ended,
    stop: (signal: NodeJS.Signals) => started.kill(signal),
    /** Until the output has the text. */
    async until(stream: 'stdout' | 'stderr', text: string): Promise<void> {
      const failed = ended.then((end) => Promise.reject(new Error(`the server ended: ${JSON.stringify(end)}`)));
      while (!output[stream].includes(text)) await Promise.race([once(started[stream], 'data'), failed]);
    },
  };
}

/** Messages of the log. */
function messages(stderr: string): unknown[] {
  return stderr
    .trim()
    .split('\n')
    .map((line) => {
      const { msg, file, bytes, model, hub: from } = JSON.parse(line) as Record<string, unknown>;
      return { msg, file, bytes, model, hub: from };
    });
}

describe('mneme serve with a model that is not there yet', () => {
  it('without a terminal › the log reports the source of each file, without control characters; then it serves', async () => {
    const server = serve();
    await server.until('stdout', 'Ctrl-C');
    server.stop('SIGTERM');
    const { code, stdout, stderr } = await server.ended;

    expect(code).toBe(0);
    expect(stdout).toContain(`transformers (${MODEL})`);
    for (const sign of ['\r', '\u001b']) expect(stdout + stderr).not.toContain(sign);
    expect(messages(stderr)).toEqual([
      { msg: 'downloading a model', model: MODEL, hub: hub.url },
      ...Object.entries(HUB_FILES).map(([file, { length }]) => ({ msg: 'downloading', file, bytes: length })),
    ]);
  });

  it('Ctrl-C during the download › exits with code 0, without having served; no partial file remains', async () => {
    hub.reply = (file) => (file === 'onnx/model.onnx' ? { silentAfter: 1000 } : undefined);
    const server = serve();
    await server.until('stderr', '"file":"onnx/model.onnx"');
    server.stop('SIGINT');
    const { code, stdout } = await server.ended;

    expect({ code, stdout }).toEqual({ code: 0, stdout: 'SIGINT: stopping; once more ends at once\n' });
    expect(readdirSync(join(folder, 'data/models', MODEL, 'onnx'))).toEqual([]);
  });

  it('the model is unknown to the hub › one line reports it, with code 1; the data folder is unlocked', async () => {
    hub.files = {};
    const { code, stdout, stderr } = await serve().ended;
    const last = stderr.trim().split('\n').at(-1);

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(last).toMatch(new RegExp(`^mneme: the model ${MODEL} cannot be downloaded: ${hub.url}/\\S+ answered 404: `));
    hub.files = HUB_FILES;
    const second = serve();
    await second.until('stdout', 'Ctrl-C');
    second.stop('SIGTERM');
    expect(await second.ended).toMatchObject({ code: 0 });
  });
});
