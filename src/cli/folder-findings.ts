import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from './failure.ts';
import type { Finding } from './finding.ts';
import { bytes } from './stats.ts';

/** The folder itself, or the existing parent in which it would be created. */
function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder));
}

/** Whether a server of these settings could use its data folder: its permissions, and who owns its contents. */
export async function checkDataFolder(settings: { data: string; postgresUrl: string }): Promise<Finding> {
  const finding = checkPermissions(settings.data);
  if (finding.status === 'fail' || !existsSync(settings.data)) return finding;
  try {
    const { folderRefusal } = await import('../server/assembly/check-folder.ts');
    const message = folderRefusal(settings);
    return message === undefined ? finding : { name: finding.name, status: 'fail', message };
  } catch (error) {
    return { name: finding.name, status: 'fail', message: messageOf(error) };
  }
}

function checkPermissions(data: string): Finding {
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

/** Process that holds the lock of a data folder, where the operating system reports it (Linux). */
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
