import type { AuditLine } from '../../memory/audit-record.ts';

export interface AuditLimits {
  /** Bytes at which a file is full. */
  readonly fileBytes: number;
  /** Bytes of all files of a kind; the oldest are deleted. */
  readonly totalBytes: number;
}

/**
 * Kinds of files in the folder of an audit log: operations and refused calls of a server, and changes of API keys by the
 * command line. Each kind has its own limits, so that refused calls in any number delete no records of operations.
 */
export const AUDIT_FILE_KINDS = ['audit', 'refused', 'keys'] as const;
export type AuditFileKind = (typeof AUDIT_FILE_KINDS)[number];

const NUMBERED = /^([a-z]+)-(\d{10})\.jsonl$/;

/** The names of the files of a kind among these, from the oldest to the newest. */
export function auditFilesIn(names: readonly string[], kind: AuditFileKind): string[] {
  return names.filter((name) => NUMBERED.exec(name)?.[1] === kind).sort();
}

/** The name of the file that follows the newest one; without one, that of the first file. */
export function nextAuditFile(kind: AuditFileKind, newest: string | undefined): string {
  const number = Number(NUMBERED.exec(newest ?? '')?.[2] ?? 0) + 1;
  return `${kind}-${String(number).padStart(10, '0')}.jsonl`;
}

/** A record as a line. Readers may end one at a line separator of Unicode, which JSON need not escape. */
export function auditLine(record: AuditLine): string {
  const text = JSON.stringify(record).replace(/[\u2028\u2029]/g, (separator) =>
    separator === '\u2028' ? '\\u2028' : '\\u2029',
  );
  return `${text}\n`;
}
