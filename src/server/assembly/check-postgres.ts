import { MnemeError } from '../../memory/errors.ts';
import { addressOf } from '../../storage/postgres/connection-url.ts';
import { GRANT_CREATE } from '../../storage/postgres/driver-error.ts';
import { readServerState, type ServerState } from '../../storage/postgres/server-state.ts';
import type { Config } from '../config/config.ts';

/** The oldest version that is tested. */
const MAJOR_MIN = 15;
/** Connections of a server that listen. */
const LISTENING = 2;

export interface PostgresFinding {
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** The repair. */
  readonly fix?: string;
}

type Settings = Pick<
  Config,
  | 'redisUrl'
  | 'postgresUrl'
  | 'postgresSchema'
  | 'postgresTlsCa'
  | 'postgresConnectTimeoutMs'
  | 'postgresConnectionsMax'
>;

/** Whether a server could use the PostgreSQL of the settings. Nothing is changed; messages have no password. */
export async function checkPostgres(settings: Settings): Promise<PostgresFinding> {
  const { postgresUrl: url, postgresSchema: schema, postgresTlsCa: tlsCa } = settings;
  try {
    const state = await readServerState({ url, schema, tlsCa, connectTimeoutMs: settings.postgresConnectTimeoutMs });
    return findingOf(state, settings);
  } catch (error) {
    return {
      status: 'fail',
      message: postgresFailure(error, url),
      fix: 'correct MNEME_POSTGRES_URL (docs/postgres.md)',
    };
  }
}

function findingOf(state: ServerState, settings: Settings): PostgresFinding {
  const { postgresUrl: url, postgresSchema: schema, postgresConnectionsMax: wanted } = settings;
  const answers = `PostgreSQL ${state.version} answers at ${addressOf(url)}${state.isEncrypted ? ', with TLS' : ''}`;
  if (state.major < MAJOR_MIN) {
    return { status: 'fail', message: answers, fix: `use PostgreSQL ${MAJOR_MIN} or later` };
  }
  if (!state.mayWrite) {
    const fix = `let the role of MNEME_POSTGRES_URL make the schema: ${GRANT_CREATE}`;
    return { status: 'fail', message: `${answers}, and its role may not use or make the schema ${schema}`, fix };
  }
  if (state.refusal !== undefined) return { status: 'fail', message: `${answers}: ${state.refusal}` };
  if (state.isReadOnly) {
    const fix = 'name the primary in MNEME_POSTGRES_URL, or end the read-only mode';
    return { status: 'fail', message: `${answers}, read only: a standby, or set to it`, fix };
  }
  const apart = sessionsApart(state, settings);
  if (apart) return { status: 'fail', message: `${answers}${apart.message}`, fix: apart.fix };
  if (!state.isDurable) {
    const fix = 'set fsync = on where memories must survive a power loss';
    return { status: 'warn', message: `${answers}, and fsync is off`, fix };
  }
  if (state.connectionsMax < wanted + LISTENING) {
    const fix = `raise max_connections, or lower --postgres-connections-max (${wanted}); each server takes ${LISTENING} more`;
    return { status: 'warn', message: `${answers}, with at most ${state.connectionsMax} connections`, fix };
  }
  return { status: 'ok', message: answers };
}

/** Sessions that a server with these settings would miss. */
function sessionsApart(
  { sessionsIn }: ServerState,
  { redisUrl }: Settings,
): { readonly message: string; readonly fix: string } | undefined {
  const hasRedis = redisUrl.length > 0;
  if (sessionsIn === 'Redis' && !hasRedis) {
    const fix = 'set MNEME_REDIS_URL besides, as at the other servers (docs/postgres.md)';
    return { message: ', and the sessions of its servers are in Redis', fix };
  }
  if (sessionsIn === 'PostgreSQL' && hasRedis) {
    const fix = 'unset MNEME_REDIS_URL, or end and delete the sessions first (docs/postgres.md)';
    return { message: ', and has sessions, which would be missing in Redis', fix };
  }
  return undefined;
}

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
