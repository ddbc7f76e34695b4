import { sql } from '#kysely';
import type { Session } from './database.ts';

/** What an acknowledged write survives, as text for people. Sessions of this server set synchronous_commit themselves. */
export async function readDurability(session: Session): Promise<string> {
  const [row] = await session.run(
    sql<{ fsync: string; commit: string; standbys: string; version: string }>`SELECT current_setting('fsync') AS fsync,
      current_setting('synchronous_commit') AS commit, current_setting('synchronous_standby_names') AS standbys,
      current_setting('server_version') AS version`,
  );
  if (!row) return 'unknown';
  const { fsync, commit, standbys, version } = row;
  const standby = standbys === '' ? '' : `, synchronous standbys ${standbys}`;
  const disk = fsync === 'on' ? 'on disk' : 'NOT on disk: fsync is off';
  return `PostgreSQL ${version}: each commit ${disk} (synchronous_commit ${commit}${standby})`;
}
