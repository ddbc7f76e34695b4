import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type AuditEntry, auditLineOf } from '../../memory/audit-record.ts';
import { AUDIT_FILE_KINDS, auditFilesIn, nextAuditFile } from './audit-files.ts';

export interface AuditFilter {
  /** Each absent one takes all. */
  readonly identity?: string;
  readonly namespace?: string;
  /** The method, or the end of it, such as `DeleteNamespace`. */
  readonly method?: string;
  /** RFC 3339; from it on. */
  readonly since?: string;
  /** RFC 3339; before it. */
  readonly until?: string;
  readonly outcome?: string;
}

export interface AuditRead {
  /** From the oldest to the newest. */
  readonly entries: readonly AuditEntry[];
  /** Lines that cannot be read: the torn ends of files, or damage. */
  readonly unreadableCount: number;
}

/** Operations without an end that are kept in addition to the limit. */
const OPEN_MAX = 10_000;

/**
 * Reads the log of a folder; a server may write to it meanwhile. `limit`: the newest so many. Fails where the folder has
 * other files alone; a server that has recorded nothing leaves it empty.
 */
export async function readAudit(folder: string, filter: AuditFilter, limit: number): Promise<AuditRead> {
  const names = await readdir(folder);
  if (names.length > 0 && AUDIT_FILE_KINDS.every((kind) => auditFilesIn(names, kind).length === 0)) {
    throw new Error(`${folder} is no audit log: it has files, and none such as ${nextAuditFile('audit', undefined)}`);
  }
  const reads: AuditRead[] = [];
  for (const kind of AUDIT_FILE_KINDS) {
    const paths = auditFilesIn(names, kind).map((name) => join(folder, name));
    reads.push(await readFiles(paths, filter, limit));
  }
  const entries = reads.flatMap((read) => read.entries).sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  const unreadableCount = reads.reduce((sum, read) => sum + read.unreadableCount, 0);
  return { entries: entries.slice(-limit), unreadableCount };
}

/** Reads the files of one kind, from the oldest to the newest. */
async function readFiles(paths: readonly string[], filter: AuditFilter, limit: number): Promise<AuditRead> {
  const open = new Map<string, AuditEntry>();
  let entries: AuditEntry[] = [];
  let unreadableCount = 0;
  const mayBeMeant = ({ outcome }: AuditEntry) =>
    filter.outcome === undefined || outcome === filter.outcome || outcome === 'UNKNOWN';
  for (const path of paths) {
    for await (const text of createInterface({
      input: createReadStream(path),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      const line = auditLineOf(text);
      if (!line) unreadableCount++;
      else if ('method' in line) {
        const entry: AuditEntry = { outcome: 'UNKNOWN', ...line };
        if (isMeant(entry, filter)) {
          if (!('outcome' in line)) open.set(line.call, entry);
          entries.push(entry);
        }
      } else {
        const entry = open.get(line.call);
        open.delete(line.call);
        if (entry)
          Object.assign(entry, { outcome: line.outcome, ...(line.count !== undefined && { count: line.count }) });
      }
      // The newest are kept, with room for those whose end is still to come.
      if (entries.length > 2 * (limit + OPEN_MAX)) entries = entries.filter(mayBeMeant).slice(-limit - OPEN_MAX);
    }
  }
  const meant = entries.filter(({ outcome }) => filter.outcome === undefined || outcome === filter.outcome);
  return { entries: meant.slice(-limit), unreadableCount };
}

function isMeant({ identity, namespace, names, method, at }: AuditEntry, filter: AuditFilter): boolean {
  return (
    (filter.identity === undefined || identity === filter.identity) &&
    (filter.namespace === undefined ||
      namespace === filter.namespace ||
      names.includes(`namespaces/${filter.namespace}`)) &&
    (filter.method === undefined || method === filter.method || method.endsWith(`/${filter.method}`)) &&
    (filter.since === undefined || Date.parse(at) >= Date.parse(filter.since)) &&
    (filter.until === undefined || Date.parse(at) < Date.parse(filter.until))
  );
}
