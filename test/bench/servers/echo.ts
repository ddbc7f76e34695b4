import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freeAddress, type ServerProcess, stopped, tied, whenListening } from './child.ts';
import { pidOf } from './mneme.ts';

const ENTRY = fileURLToPath(new URL('./echo-process.ts', import.meta.url));

/** Encoded answers in base64, by method; missing ones are empty. */
export type EchoAnswers = Partial<
  Record<'get' | 'list' | 'store' | 'batchStore' | 'recall' | 'workingGet' | 'workingSet', string>
>;

/** PEM files of a server. */
export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Starts a plain grpc-js server that repeats Mneme's answers, so that both send the same bytes. */
export async function startEcho(
  folder: string,
  answers: EchoAnswers,
  certificate?: ServerCertificate,
): Promise<ServerProcess> {
  const address = await freeAddress();
  const file = join(folder, `echo-${address.split(':')[1]}.json`);
  writeFileSync(file, JSON.stringify(answers));
  const args = [ENTRY, address, file, ...(certificate ? [certificate.cert, certificate.key] : [])];
  const child = tied(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }));
  await whenListening(child, address);
  return { pid: pidOf(child), address, stop: () => stopped(child) };
}

const HTTP_ENTRY = fileURLToPath(new URL('./http-echo-process.ts', import.meta.url));

/** Starts a bare server of HTTP/1.1 in Node that answers with these bytes. */
export async function startHttpEcho(answer: Uint8Array): Promise<ServerProcess> {
  const address = await freeAddress();
  const args = [HTTP_ENTRY, address, Buffer.from(answer).toString('base64')];
  const child = tied(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }));
  await whenListening(child, address);
  return { pid: pidOf(child), address, stop: () => stopped(child) };
}
