import { sql } from '#kysely';
import type { Session } from './database.ts';

/** Channel of a schema: its messages are names of namespaces with new changes. */
export function channelOf(schema: string): string {
  return `${schema}_changes`;
}

/** Wakes the followers of a namespace when the transaction commits. */
export async function notify(session: Session, namespace: string): Promise<void> {
  await session.run(sql`SELECT pg_notify(current_schema() || '_changes', ${namespace})`);
}
