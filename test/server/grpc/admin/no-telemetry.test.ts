import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { OtlpCollector } from '../../../support/otlp-collector.ts';
import { ask } from '../support/ask.ts';
import { store } from '../support/memories.ts';
import { connect } from '../support/test-server.ts';

const MAIN = fileURLToPath(new URL('../../../../src/cli/main.ts', import.meta.url));
const PROBES = ['module-probe', 'connection-probe'].map(
  (name) => new URL(`../../../support/${name}.ts`, import.meta.url).href,
);

/** Packages of telemetry that a server has loaded, and connections that it has made, from its start to its stop. */
async function observed(flags: readonly string[]): Promise<{ packages: string[]; connections: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'mneme-telemetry-'));
  const [modules, sockets] = [join(folder, 'modules'), join(folder, 'sockets')];
  const args = [MAIN, 'serve', '--listen', '127.0.0.1:0', '--data', join(folder, 'data'), ...flags];
  const env = {
    PATH: process.env.PATH,
    NODE_OPTIONS: PROBES.map((probe) => `--import=${probe}`).join(' '),
    NODE_NO_WARNINGS: '1',
    MNEME_TEST_MODULE_PROBE: modules,
    MNEME_TEST_CONNECTION_PROBE: sockets,
  };
  const child = spawn(process.execPath, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    let output = '';
    for await (const piece of child.stdout.setEncoding('utf8')) {
      output += piece;
      if (output.includes('Ctrl-C')) break;
    }
    const clients = connect(/address +(\S+)/.exec(output)?.[1] ?? '');
    await store(clients, 'namespaces/a', { text: 'The cat sleeps.' });
    await ask(
      clients.recalls,
      clients.recalls.recall,
      RecallRequest.fromPartial({ parent: 'namespaces/a', text: 'cat' }),
    );
    clients.close();
    child.kill('SIGTERM');
    await ended;
    const linesOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []);
    const packages = linesOf(modules).flatMap(
      (line) => /node_modules\/(@opentelemetry|prom-client)\//.exec(line)?.[1] ?? [],
    );
    return { packages: [...new Set(packages)].sort(), connections: linesOf(sockets) };
  } finally {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

it('a server with default settings › connects to nothing, and loads no package of telemetry', async () => {
  expect(await observed([])).toEqual({ packages: [], connections: [] });
});

it('with a collector › the packages are loaded, and the connections to it are seen', async () => {
  const collector = await new OtlpCollector().start();
  const { packages, connections } = await observed(['--otlp-url', collector.url]);
  await collector.close();

  expect(packages).toContain('@opentelemetry');
  expect(connections.length).toBeGreaterThan(0);
  expect(collector.spans.length).toBeGreaterThan(0);
});
