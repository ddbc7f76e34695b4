/** Runs `@modelcontextprotocol/conformance` against MCP over HTTP of a server: `make test-mcp`. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { McpHttpMount } from '../../../../src/cli/mcp/http-mount.ts';
import { type OnChange, RecallWatches } from '../../../../src/cli/mcp/recall-watches.ts';
import { createMnemeMcpServer } from '../../../../src/cli/mcp/serve-stdio.ts';
import type { McpDeps } from '../../../../src/cli/mcp/tool.ts';
import { configFrom } from '../../../../src/server/config/config.ts';
import { createServer } from '../../../../src/server/server.ts';
import { Outcomes } from '../../../support/outcomes.ts';
import { addFixtures } from './fixtures.ts';
import { requestState } from './input-tools.ts';

const isVerbose = process.argv.includes('--verbose');
const SUITES = fileURLToPath(new URL('../../../../.toolchain/mcp-conformance/node_modules', import.meta.url));
const RUNS: readonly (readonly [suite: string, ...args: string[]])[] = [
  ['mcp-conformance-stable', '--suite', 'all', '--spec-version', '2025-11-25'],
  ['mcp-conformance-next', '--requirements', '2025-11-25'],
  ['mcp-conformance-next', '--requirements', '2026-07-28'],
];

/** The suite subscribes to its own resource, which is not a recall. */
class WatchesUnderTest extends RecallWatches {
  override add(uri: string, onChange: OnChange): Promise<() => void> {
    return uri === 'test://watched-resource' ? Promise.resolve(() => {}) : super.add(uri, onChange);
  }
}

/** Mneme's server, with the suite's additional requirements. */
function createServerUnderTest(deps: McpDeps) {
  const server = createMnemeMcpServer(deps, {
    capabilities: { logging: {}, prompts: { listChanged: false }, completions: {} },
    requestState: { verify: requestState.verify },
  });
  addFixtures(server);
  return server;
}

interface Result {
  readonly code: number;
  readonly output: string;
}

function run(suite: string, args: readonly string[], url: string): Promise<Result> {
  const child = spawn(process.execPath, [`${SUITES}/${suite}/dist/index.js`, 'server', '--url', url, ...args]);
  let output = '';
  const read = (chunk: Buffer) => {
    output += chunk;
    if (isVerbose) process.stdout.write(chunk);
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** One line for each scenario, and whether the run is passed. */
function report([suite, ...args]: readonly string[], { code, output }: Result): boolean {
  const { version } = JSON.parse(readFileSync(`${SUITES}/${suite}/package.json`, 'utf8')) as { version: string };
  console.log(`\n@modelcontextprotocol/conformance ${version} server ${args.join(' ')}`);
  const summary = output.slice(output.lastIndexOf('=== SUMMARY ==='));
  for (const [line] of summary.matchAll(/^[✓✗] .*$/gm)) console.log(`  ${line}`);
  const [, notScored] = /^(Not scored.*)$/m.exec(summary) ?? [];
  if (notScored !== undefined) console.log(`  ${notScored}`);
  const hasRun = /^[✓✗] /m.test(summary);
  console.log(code === 0 && hasRun ? '  passed' : `  FAILED (exit code ${code})`);
  return code === 0 && hasRun;
}

const data = mkdtempSync(join(tmpdir(), 'mneme-mcp-conformance-'));
const server = createServer(configFrom({ flags: { listen: '127.0.0.1:0', data, logLevel: 'warn' } }), {
  mounts: [
    ({ channelFor }) =>
      new McpHttpMount({
        channelFor,
        version: 'test',
        onError: (error) => isVerbose && console.error(error),
        create: createServerUnderTest,
        watch: (served, onError) => new WatchesUnderTest(served, onError),
      }),
  ],
});
await server.start();
const url = `http://${server.address}/mcp`;
try {
  const outcomes = new Outcomes('test/cli/mcp/conformance');
  for (const [suite, ...args] of RUNS) {
    outcomes.note(`${suite} ${args.join(' ')}`, report([suite, ...args], await run(suite, args, url)));
  }
  console.log();
  outcomes.finish();
} finally {
  await server.stop();
  rmSync(data, { recursive: true, force: true });
}
