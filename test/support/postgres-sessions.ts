import { openPostgresSessions, type PostgresSessions } from '../../src/storage/postgres/sessions/open-sessions.ts';
import { openRecords, type RecordsOfTest, type RecordsSettings } from './postgres-records.ts';

export interface SessionsOfTest extends Omit<PostgresSessions, 'close'>, Omit<RecordsOfTest, 'store'> {}

/** Sessions in a schema of their own, with the namespaces `space` and `space-2`. */
export async function openSessionsOfTest(options: RecordsSettings): Promise<SessionsOfTest> {
  const { records, failures, close } = await openRecords(options);
  for (const name of ['space', 'space-2']) await ensureNamespace(records, name);
  const opened = await openPostgresSessions(records);
  return {
    ...opened,
    records,
    failures,
    close: async () => {
      await opened.close();
      await close();
    },
  };
}

/** Also there where another server of the test has made it. */
async function ensureNamespace(records: RecordsOfTest['records'], name: string): Promise<void> {
  await records
    .write({ kind: 'createNamespace', name, description: '', memoryLimit: 0, atUs: 1 })
    .catch((error: unknown) => {
      if (!(error instanceof Error && 'reason' in error && error.reason === 'NAMESPACE_EXISTS')) throw error;
    });
}
