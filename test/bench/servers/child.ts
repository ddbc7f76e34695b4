import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientTls } from '../load/client-tls.ts';

export interface ServerProcess {
  readonly pid: number;
  readonly address: string;
  /** For its clients; absent without TLS. */
  readonly tls?: ClientTls;
  /** Stops it as an operator would; kills it after a minute. */
  stop(): Promise<void>;
}

/** Whatever happens to the run, no child process outlives it. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export function tied<C extends ChildProcess>(child: C): C {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

const STOP_MS = 60_000;
const START_MS = 60_000;
const RETRY_MS = 2;

export async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `127.0.0.1:${port}`;
}

export async function whenListening(child: ChildProcess, address: string): Promise<void> {
  const untilMs = performance.now() + START_MS;
  while (performance.now() < untilMs) {
    if (child.exitCode !== null) throw new Error(`the server ended with exit code ${child.exitCode}`);
    if (await isListening(address)) return;
    await sleep(RETRY_MS);
  }
  throw new Error(`nothing listens on ${address}`);
}

function isListening(address: string): Promise<boolean> {
  const [host = '', port = ''] = address.split(':');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Resolves when it has ended; kills it after a minute. */
export async function stopped(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exited;
  clearTimeout(timer);
}
