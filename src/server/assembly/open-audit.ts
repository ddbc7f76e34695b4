import type { AuditSink } from '../../memory/audit-record.ts';
import type { Clock } from '../../memory/clock.ts';
import type { AuditFileKind } from '../audit/audit-files.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';

/** The audit log; `undefined` where the settings ask for none. Its code is loaded only on demand, to keep the start short. */
export async function openAudit(
  { auditFolder, auditFileBytes, auditTotalBytes }: Config,
  clock: Clock,
  parentLogger: Logger,
  closers: (() => Promise<void>)[],
): Promise<AuditSink | undefined> {
  if (auditFolder === '') return undefined;
  const [{ AuditLog }, { RefusedCallRecorder }] = await Promise.all([
    import('../audit/audit-log.ts'),
    import('../audit/refused-calls.ts'),
  ]);
  const limits = { fileBytes: auditFileBytes, totalBytes: auditTotalBytes };
  const open = (kind: AuditFileKind) =>
    AuditLog.open(auditFolder, limits, clock, kind).catch((cause: NodeJS.ErrnoException) => {
      throw new Error(`--audit-folder: ${auditFolder} cannot be written to (${cause.code})`, { cause });
    });
  const operations = await open('audit');
  const refusedCalls = await open('refused');
  const logger = parentLogger.child({ part: 'audit' });
  const recorder = new RefusedCallRecorder(
    (calls) => refusedCalls.append(calls),
    (error) => logger.warn({ err: error }, 'refused calls cannot be recorded; the next line will have their number'),
  );
  closers.push(async () => {
    try {
      await operations.close();
      await recorder.close();
    } finally {
      await refusedCalls.close();
    }
  });
  return {
    begin: (operation) => operations.append(operation),
    end: (end) => operations.append(end),
    refused: (operation, outcome) => recorder.add(operation, outcome),
  };
}
