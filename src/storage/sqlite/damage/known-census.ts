import { readRevision } from '../change-log.ts';
import type { SqliteDatabase } from '../database.ts';
import { isPageDamage } from '../driver-error.ts';
import { type Census, censusOf } from './census.ts';

interface Known {
  readonly revision: number;
  readonly census: Census;
}

const known = new WeakMap<SqliteDatabase, Map<number, Known>>();

/** The census at the newest revision; it is taken once for each revision. */
export function knownCensus(database: SqliteDatabase, namespaceKey: number): Census {
  const ofDatabase = known.get(database) ?? new Map<number, Known>();
  known.set(database, ofDatabase);
  const revision = revisionOf(database);
  const taken = ofDatabase.get(namespaceKey);
  if (taken && taken.revision === revision && revision >= 0) return taken.census;
  const census = censusOf(database, namespaceKey);
  ofDatabase.set(namespaceKey, { revision, census });
  return census;
}

/** Negative where the log cannot be read. */
function revisionOf(database: SqliteDatabase): number {
  try {
    return readRevision(database);
  } catch (error) {
    if (!isPageDamage(error)) throw error;
    return -1;
  }
}
