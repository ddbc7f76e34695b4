import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { MnemeProcess } from './mneme-process.ts';

const CLIENTS = fileURLToPath(new URL('../../clients/', import.meta.url));
/** Maximum time of an example, including its build. */
const RUN_MS = 600_000;

/** Errors in the example of a client: `agent-example ADDRESS work` is killed once it has paused, then resumed. */
export async function exampleFault(language: string): Promise<string | undefined> {
  const file = `${CLIENTS}${language}/agent-example`;
  if (!existsSync(file)) return 'it has no agent-example';
  const server = new MnemeProcess({}, new Map());
  try {
    await server.start();
    const said = `${await run(file, [server.address, 'work'], /^paused/m)}${await run(file, [server.address, 'resume'])}`;
    const expected = readFileSync(`${CLIENTS}example-output.txt`, 'utf8');
    return said === expected ? undefined : `it says\n${said}\nexpected\n${expected}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await server.remove();
  }
}

/** Output of a program until it exits, or until it contains this text: then it is killed. */
async function run(file: string, args: readonly string[], killAt?: RegExp): Promise<string> {
  // A separate process group: its child processes are killed with it.
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  let said = '';
  let complained = '';
  let isKilled = false;
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk;
    if (!killAt || isKilled || !killAt.test(said) || !said.endsWith('\n')) return;
    isKilled = true;
    kill();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    complained += chunk;
  });
  const timer = setTimeout(kill, RUN_MS);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  if (code !== 0 && !isKilled) throw new Error(`${args.join(' ')} ended with ${code}: ${said}${complained}`);
  return said;
}
