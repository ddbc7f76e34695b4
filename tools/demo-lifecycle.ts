/**
 * A whole life on the terminal: an agent works in steps, is paused, and is killed; the server is killed too; both start
 * again; the agent goes on where it was and ends in a memory that recall finds. Exits with 1 where any of it is not so.
 * `make demo-lifecycle` keeps sessions in the data folder, with ARGS=--redis in a redis-server of its own; with
 * ARGS=--python the agent is the one of `clients/python`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../clients/typescript/src/index.ts';
import { PATIENT_CLIENT, PATIENT_ENV } from '../test/support/patient.ts';
import { RedisServer } from '../test/support/redis-server.ts';

const data = mkdtempSync(join(tmpdir(), 'mneme-demo-'));
const redis = process.argv.includes('--redis') ? await RedisServer.started({ appendonly: 'yes' }) : undefined;
const running = new Set<ChildProcess>();

/** Starts a program; resolves with what it said as soon as that matches, or it ends. */
async function run(name: string, file: string, args: readonly string[], until: RegExp, env = {}) {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  running.add(child);
  let said = '';
  let told = 0;
  const ended = once(child, 'close').then(() => running.delete(child));
  const matched = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk;
      // A line may come in pieces.
      for (let end = said.indexOf('\n', told); end >= 0; end = said.indexOf('\n', told)) {
        console.log(`  ${name.padEnd(6)} | ${said.slice(told, end)}`);
        told = end + 1;
      }
      if (until.test(said)) resolve();
    });
  });
  await Promise.race([matched, ended]);
  if (!until.test(said)) throw new Error(`${name} ended without what was expected of it`);
  return {
    said,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    ended,
  };
}

async function serve() {
  const flags = ['serve', '--listen', '127.0.0.1:0', '--data', data, '--log-level', 'error'];
  const server = await run(
    'server',
    'bin/mneme',
    flags,
    /address +\S+[^\n]*\n/,
    redis ? { ...PATIENT_ENV, MNEME_REDIS_URL: redis.url } : {},
  );
  return { ...server, address: /address +(\S+)/.exec(server.said)?.[1] ?? '' };
}

const CLIENT = process.argv.includes('--python') ? 'python' : 'typescript';

function agent(address: string, command: 'work' | 'resume') {
  return run('agent', `clients/${CLIENT}/agent-example`, [address, command], /paused|recalled: episode/);
}

function tell(what: string): void {
  console.log(`\n== ${what}`);
}

try {
  tell(`a server starts, with sessions in ${redis ? 'Redis' : 'its data folder'}`);
  let server = await serve();
  tell('the agent remembers, works for two steps and is paused');
  const first = await agent(server.address, 'work');
  tell('agent and server are killed (kill -9)');
  await first.kill();
  await server.kill();
  tell('both start again, and the agent goes on where it was, until the session ends');
  server = await serve();
  const second = await agent(server.address, 'resume');
  await second.ended;
  if (!/step 2 of 4\n/.test(second.said) || !/step 3: the museum/.test(second.said))
    throw new Error('it did not go on at step 3');
  tell('the server is killed once more; the memory is there, and a later session of the agent finds it');
  await server.kill();
  server = await serve();
  const mneme = connect(server.address, { ...PATIENT_CLIENT, namespace: 'city' });
  const scope = { project: 'city', agentType: 'guide', agent: 'ada', session: 'next-tour' };
  const { hits } = await mneme.recall({ text: 'what is worth an afternoon?', scope });
  const found = hits[0]?.memory;
  console.log(`  recall | ${found?.text.replaceAll('\n', '\n         | ')}`);
  const { state } = await mneme.lifecycle.get('tour');
  await mneme.close();
  const content = found?.content?.json() as { state?: { seen?: readonly string[] } } | undefined;
  if (found?.type !== 'episode' || content?.state?.seen?.length !== 4) throw new Error('the episode is not whole');
  if (state !== 'terminated') throw new Error(`the session is ${state}`);
  await server.kill();
  console.log('\nIt all went as it should.');
} catch (error) {
  console.error(`\ndemo-lifecycle: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  for (const child of running) child.kill('SIGKILL');
  await redis?.stop();
  rmSync(data, { recursive: true, force: true });
}
