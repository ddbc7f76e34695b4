import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { bytes } from './holding-rows.ts';
import { probeAddress } from './probe-address.ts';

/** What one look at this machine gave. */
export interface Finding {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
}

const NODE_MIN: readonly [major: number, minor: number] = [22, 19];

export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
  if (isEnough) return { name: 'node', status: 'ok', message: `Node.js ${version}` };
  const message = `Node.js ${version}, needed is ${NODE_MIN.join('.')} or newer`;
  return { name: 'node', status: 'fail', message, fix: 'install a newer Node.js, or run "make setup"' };
}

/** Packages with code that was compiled for one system and processor. */
const NATIVE = ['better-sqlite3', 'usearch'];

export function checkNativeModules(load: (name: string) => unknown = createRequire(import.meta.url)): Finding {
  for (const name of NATIVE) {
    try {
      load(name);
    } catch (error) {
      const [why = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
      const fix = 'install again on this system with "make setup"';
      return { name: 'native modules', status: 'fail', message: `${name} does not load: ${why}`, fix };
    }
  }
  return { name: 'native modules', status: 'ok', message: `${NATIVE.join(' and ')} load` };
}

/** The folder itself, or the one that it would be made in. */
function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder));
}

export function checkDataFolder(data: string): Finding {
  const name = 'data folder';
  const folder = resolve(data);
  const there = existing(folder);
  try {
    if (!statSync(there).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    accessSync(there, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return {
      name,
      status: 'fail',
      message: `${folder} cannot be written to (${code})`,
      fix: 'correct its owner and permissions, or choose another with --data or MNEME_DATA',
    };
  }
  if (there !== folder) return { name, status: 'ok', message: `${folder} does not exist yet; it can be created` };
  const holder = lockHolder(join(folder, 'mneme.lock'));
  const use = holder === undefined ? 'not in use' : `in use by the server with process id ${holder}`;
  return { name, status: 'ok', message: `${folder} can be written to, ${use}` };
}

/** Process that holds the lock of a data folder, where the system says so (Linux). */
function lockHolder(file: string): number | undefined {
  if (!existsSync(file) || !existsSync('/proc/locks')) return undefined;
  const inode = statSync(file).ino;
  // 1: POSIX  ADVISORY  WRITE 1234 08:01:5678 0 EOF
  const line = readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .find((one) => one.includes(' WRITE ') && one.includes(`:${inode} `));
  return line === undefined ? undefined : Number(/ WRITE +(\d+) /.exec(line)?.[1]);
}

const DISK_FAIL_BYTES = 100 * 1_048_576;
const DISK_WARN_BYTES = 1024 * 1_048_576;

export function checkDisk(data: string): Finding {
  const folder = existing(resolve(data));
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const status = free < DISK_FAIL_BYTES ? 'fail' : free < DISK_WARN_BYTES ? 'warn' : 'ok';
  const message = `${bytes(free)} free at ${folder}`;
  return { name: 'disk', status, message, ...(status !== 'ok' && { fix: 'free space, or move the data folder' }) };
}

/** Whether a server could listen at the address, or which one does. */
export async function checkListen(listen: string): Promise<Finding> {
  const name = 'listen address';
  if (listen.endsWith(':0')) return { name, status: 'ok', message: `${listen} takes any free port` };
  const answer = await probeAddress(listen);
  if (answer === 'refused') return { name, status: 'ok', message: `${listen} is free` };
  if (answer === 'grpc' || answer === 'tls') {
    const what = answer === 'tls' ? 'a server with TLS' : 'a gRPC server';
    return { name, status: 'ok', message: `${what} answers at ${listen}` };
  }
  if (answer === 'unknown_host' || answer === 'unreachable') {
    const fix = 'correct --listen or MNEME_LISTEN to an address of this machine';
    return { name, status: 'fail', message: `${listen} is not an address that can be reached from here`, fix };
  }
  const fix = 'stop that program, or choose another port with --listen or MNEME_LISTEN';
  return { name, status: 'fail', message: `${listen} is in use by another program, which is not Mneme`, fix };
}
