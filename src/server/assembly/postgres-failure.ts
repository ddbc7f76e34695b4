import { MnemeError } from '../../memory/errors.ts';
import { addressOf } from '../../storage/postgres/connection-url.ts';

/** Why the PostgreSQL of the settings cannot be used, in one line without user and password. */
export function postgresFailure(error: unknown, url: string): string {
  const where = addressOf(url);
  if (!(error instanceof MnemeError)) return `MNEME_POSTGRES_URL: ${where}: ${textOf(error)}`;
  const cause = error.cause instanceof Error ? ` (${textOf(error.cause)})` : '';
  if (error.metadata['fault'] !== 'disconnected') return `MNEME_POSTGRES_URL: ${where}: ${error.message}${cause}`;
  return `MNEME_POSTGRES_URL: there is no connection to PostgreSQL at ${where}${cause}. Start it, or correct the address.`;
}

/** A failure to connect with several addresses of a host has no message of its own. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || String((error as NodeJS.ErrnoException).code ?? error.name);
}
