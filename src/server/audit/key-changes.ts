import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { AuditedEnd, AuditedOperation } from '../../memory/audit-record.ts';
import { type AuditLimits, auditFilesIn, auditLine, nextAuditFile } from './audit-files.ts';

/** Change of a file of API keys. */
export type AuditedKeyChange = Pick<AuditedOperation, 'identity' | 'method' | 'names'>;

/**
 * Makes a change between two records in the folder of an audit log: it is not made without the first. Returns the error
 * where it is made and the second cannot be written. A server may write to the folder meanwhile, and other commands.
 */
export function auditedKeyChange(
  folder: string,
  limits: AuditLimits,
  change: AuditedKeyChange,
  make: () => void,
): Error | undefined {
  const call = randomUUID();
  const record = (line: AuditedOperation | AuditedEnd, state: string): Error | undefined => {
    try {
      append(folder, limits, line);
      return undefined;
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      return new Error(`--audit-folder: ${folder} cannot be written to (${code ?? message}): ${state}`, { cause });
    }
  };
  const refusal = record({ call, ...change, namespace: '', request: '' }, 'no key was changed');
  if (refusal) throw refusal;
  try {
    make();
  } catch (error) {
    throw record({ call, outcome: 'FAILED' }, 'the keys could not be changed either') ?? error;
  }
  return record({ call, outcome: 'OK' }, `the keys were changed (${change.names.join(' ')})`);
}

function append(folder: string, limits: AuditLimits, record: AuditedOperation | AuditedEnd): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = openedFile(folder, newestFile(folder, limits));
  try {
    const line = auditLine({ at: new Date().toISOString(), ...record });
    writeSync(file, isTorn(file) ? `\n${line}` : line);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  const entry = openSync(folder, 'r');
  fsyncSync(entry);
  closeSync(entry);
}

/** A file of the folder to append to, and no other file: the owner of the folder may have put a link into it. */
function openedFile(folder: string, name: string): number {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = openSync(join(folder, name), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.nlink !== 1) throw new Error(`${name} must be a regular file without other links`);
    // A server that may read the folder may read a new file too.
    const { uid, gid } = statSync(folder);
    if (found.size === 0 && process.getuid?.() === 0) fchownSync(file, uid, gid);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Whether the last line of the file has no end: a command was killed while it wrote. */
function isTorn(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== '\n';
}

/** The file to append to; begins one when the newest is full, and deletes the oldest beyond the limit. */
function newestFile(folder: string, { fileBytes, totalBytes }: AuditLimits): string {
  const bytesOf = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  const names = auditFilesIn(readdirSync(folder), 'keys');
  const newest = names.at(-1);
  if (newest !== undefined && bytesOf(newest) < fileBytes) return newest;
  let bytes = names.reduce((sum, name) => sum + bytesOf(name), 0);
  for (const name of names) {
    if (bytes <= totalBytes) break;
    bytes -= bytesOf(name);
    rmSync(join(folder, name), { force: true });
  }
  return nextAuditFile('keys', newest);
}
