import { sql } from '#kysely';
import type { Query } from './database.ts';

/** Channel of a schema: its messages are names of namespaces with new changes. */
export function channelOf(schema: string): string {
  return `${schema}_changes`;
}

/** Wakes the followers of a namespace when the transaction commits. */
export function notification(namespace: string): Query<unknown> {
  return sql`SELECT pg_notify(current_schema() || '_changes', ${namespace})`;
}
