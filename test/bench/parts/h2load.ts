import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import type { Measured } from '../load/load-client.ts';
import { compare } from '../rounds.ts';
import type { ServerProcess } from '../servers/child.ts';
import { cpuUsOf } from '../servers/process-usage.ts';
import type { Messages } from './call-messages.ts';
import type { Pair } from './pair.ts';

const ROUNDS = 3;
const SECONDS = 1;
const IN_FLIGHT = 64;

/** The same calls by h2load of nghttp2, where it is installed, as a second opinion on the load that we make ourselves. */
export async function measureWithH2load(
  bench: Bench,
  { mneme, echo }: Pair,
  part: string,
  what: string,
  { path, messages }: Messages,
): Promise<void> {
  if (spawnSync('h2load', ['--version']).error) {
    bench.say('h2load (Debian package nghttp2-client) is not installed: its rows are left out');
    return;
  }
  const body = join(bench.folder, 'h2load-body');
  const message = messages[0] ?? Buffer.alloc(0);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  writeFileSync(body, Buffer.concat([prefix, message]));
  const round = (server: ServerProcess) => async (): Promise<Measured> => h2load(server, path, body);
  const compared = await compare(
    ROUNDS,
    (subject, limit) => subject.perSecond / limit.perSecond,
    round(echo),
    round(mneme),
  );
  bench.add({ part, what: `${what}, ${IN_FLIGHT} in flight, h2load`, ...compared, limitName: 'echo' });
}

function h2load(server: ServerProcess, path: string, body: string): Measured {
  const headers = ['-H', 'content-type: application/grpc', '-H', 'te: trailers'];
  const load = ['-D', String(SECONDS), '-c', '1', '-m', String(IN_FLIGHT), '-d', body];
  const cpuBeforeUs = cpuUsOf(server.pid);
  const output = execFileSync('h2load', [...load, ...headers, `http://${server.address}${path}`], { encoding: 'utf8' });
  const figure = (pattern: RegExp): number => Number(pattern.exec(output)?.[1]);
  const calls = figure(/(\d+) succeeded/);
  return {
    perSecond: figure(/finished in [\d.]+m?s, ([\d.]+) req\/s/),
    p50Us: Number.NaN,
    p99Us: Number.NaN,
    serverUs: (cpuUsOf(server.pid) - cpuBeforeUs) / calls,
  };
}
