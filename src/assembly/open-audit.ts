import type { Config } from '../config/config.ts';
import type { AuditSink } from '../memory/audit-record.ts';
import type { Clock } from '../memory/clock.ts';

/** The audit log; `undefined` where the settings ask for none. Its code is loaded only on demand, to keep the start short. */
export async function openAudit(
  { auditFolder, auditFileBytes, auditTotalBytes }: Config,
  clock: Clock,
  closers: (() => Promise<void>)[],
): Promise<AuditSink | undefined> {
  if (auditFolder === '') return undefined;
  const { AuditLog } = await import('../audit/audit-log.ts');
  const limits = { fileBytes: auditFileBytes, totalBytes: auditTotalBytes };
  const log = await AuditLog.open(auditFolder, limits, clock).catch((cause: NodeJS.ErrnoException) => {
    throw new Error(`--audit-folder: ${auditFolder} cannot be written to (${cause.code})`, { cause });
  });
  closers.push(() => log.close());
  return log;
}
