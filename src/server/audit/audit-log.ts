import { constants } from 'node:fs';
import { access, type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditedEnd, AuditedOperation, RefusedCalls } from '../../memory/audit-record.ts';
import type { Clock } from '../../memory/clock.ts';
import { MnemeError } from '../../memory/errors.ts';
import { type AuditFileKind, type AuditLimits, auditFilesIn, auditLine, nextAuditFile } from './audit-files.ts';

/**
 * An append-only log in a folder of files, whose kind only one server writes. Lines that wait for the disk are written and synced together.
 * Each opening begins a new file with its first line, so that a torn line stays the last one of its file.
 */
export class AuditLog {
  private readonly folder: string;
  private readonly kind: AuditFileKind;
  private readonly limits: AuditLimits;
  private readonly clock: Clock;
  private readonly files: { readonly name: string; bytes: number }[];
  private file: FileHandle | undefined;
  private waiting: Waiting[] = [];
  private writing: Promise<void> | undefined;
  private isClosed = false;

  private constructor(
    folder: string,
    kind: AuditFileKind,
    limits: AuditLimits,
    clock: Clock,
    files: { name: string; bytes: number }[],
  ) {
    this.folder = folder;
    this.kind = kind;
    this.limits = limits;
    this.clock = clock;
    this.files = files;
  }

  /** Makes the folder when it is missing. Fails when it cannot be written to. */
  static async open(
    folder: string,
    limits: AuditLimits,
    clock: Clock,
    kind: AuditFileKind = 'audit',
  ): Promise<AuditLog> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = auditFilesIn(await readdir(folder), kind);
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
    await access(folder, constants.W_OK | constants.X_OK);
    return new AuditLog(
      folder,
      kind,
      limits,
      clock,
      names.map((name, at) => ({ name, bytes: sizes[at] ?? 0 })),
    );
  }

  /** Resolves when the record is on disk. */
  append(record: AuditedOperation | AuditedEnd | RefusedCalls): Promise<void> {
    if (this.isClosed) return Promise.reject(new MnemeError('DRAINING', 'the audit log is closed'));
    const at = new Date(this.clock.nowUs() / 1000).toISOString();
    const line = auditLine({ at, ...record });
    return new Promise((resolve, reject) => {
      this.waiting.push({ line, resolve, reject });
      this.writing ??= this.writeAll();
    });
  }

  /** Resolves when everything is on disk. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.writing;
    await this.file?.close();
    this.file = undefined;
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      try {
        await this.write(Buffer.from(batch.map(({ line }) => line).join('')));
        for (const { resolve } of batch) resolve();
      } catch (cause) {
        const error = failureOf(cause);
        for (const { reject } of batch) reject(error);
      }
    }
    this.writing = undefined;
  }

  private async write(bytes: Buffer): Promise<void> {
    const current = this.files.at(-1);
    if (!this.file || !current || current.bytes >= this.limits.fileBytes) await this.beginFile();
    const { file } = this;
    const last = this.files.at(-1);
    if (!file || !last) throw new Error('the audit log has no file');
    try {
      await file.appendFile(bytes);
      await file.datasync();
      last.bytes += bytes.length;
      if ((await file.stat()).nlink === 0) throw new Error('its file was deleted');
    } catch (error) {
      // What is in the file is unknown: a torn line must stay its last one.
      this.file = undefined;
      await file.close().catch(() => undefined);
      throw error;
    }
  }

  private async beginFile(): Promise<void> {
    await this.file?.close();
    this.file = undefined;
    const name = nextAuditFile(this.kind, this.files.at(-1)?.name);
    this.file = await open(join(this.folder, name), 'ax', 0o600);
    this.files.push({ name, bytes: 0 });
    await this.deleteOldest();
    const folder = await open(this.folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  private async deleteOldest(): Promise<void> {
    let bytes = this.files.reduce((sum, file) => sum + file.bytes, 0);
    while (this.files.length > 1 && bytes > this.limits.totalBytes) {
      const oldest = this.files.shift();
      bytes -= oldest?.bytes ?? 0;
      if (oldest) await rm(join(this.folder, oldest.name), { force: true });
    }
  }
}

interface Waiting {
  readonly line: string;
  resolve(): void;
  reject(error: unknown): void;
}

function failureOf(cause: unknown): MnemeError {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new MnemeError('STORAGE_FULL', 'the disk of the audit log is full', { cause });
  }
  return new MnemeError('STORAGE_UNAVAILABLE', `the audit log cannot be written (${code ?? message})`, {
    metadata: { backend: 'audit' },
    cause,
  });
}
