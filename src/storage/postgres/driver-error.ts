import { isDamage, MnemeError } from '../../memory/errors.ts';

/** Reason for which PostgreSQL is unusable, in the metadata of the error under `fault`. */
type PostgresFault =
  | 'timeout'
  | 'disconnected'
  | 'read_only'
  | 'loading'
  | 'busy'
  | 'credentials'
  | 'tls'
  | 'conflict'
  | 'no_database'
  | 'no_tables'
  | 'no_right'
  | 'sessions_elsewhere'
  | 'migrating';

/** For a role that may not make its schema. */
export const GRANT_CREATE = 'GRANT CREATE ON DATABASE ... TO ...';

const SAYS: Readonly<Record<PostgresFault, string>> = {
  timeout: 'PostgreSQL does not answer in time',
  disconnected: 'there is no connection to PostgreSQL',
  read_only: 'this PostgreSQL is a read-only standby, or is set to read only',
  loading: 'PostgreSQL is starting, stopping or recovering its data',
  busy: 'PostgreSQL has no free connection, memory or lock',
  credentials: 'PostgreSQL refuses the credentials of this server',
  tls: 'there is no trusted TLS connection to PostgreSQL',
  conflict: 'concurrent writes to PostgreSQL have stopped each other several times',
  no_database:
    'the database of this server does not exist in PostgreSQL: make it with CREATE DATABASE, or name another one',
  no_tables:
    'the tables of this server in PostgreSQL are missing: restore them, or restart the server, which makes them anew',
  no_right: `PostgreSQL refuses a right to the role of this server: make it the owner of the schema and its tables, or let it make them with ${GRANT_CREATE}`,
  sessions_elsewhere:
    'the sessions of this PostgreSQL are in Redis: start this server with MNEME_REDIS_URL, as the others',
  migrating: '"mneme migrate" uses the records of this PostgreSQL, or has moved them: stop this server',
};

/** First characters of an SQLSTATE, and their meaning; the first that fits counts. */
const STATES: readonly (readonly [RegExp, PostgresFault])[] = [
  [/^25006/, 'read_only'],
  [/^57P03/, 'loading'],
  [/^57P0[124]/, 'disconnected'],
  [/^08/, 'disconnected'],
  [/^25P0[34]/, 'disconnected'],
  [/^(57014|55P03)/, 'timeout'],
  [/^53/, 'busy'],
  [/^28/, 'credentials'],
  [/^40/, 'conflict'],
  [/^3D000/, 'no_database'],
  [/^(42P01|3F000)/, 'no_tables'],
  [/^42501/, 'no_right'],
];

const DISK_FULL = '53100';
const UNIQUE_VIOLATION = '23505';
/** Constraint under which PostgreSQL stores no session. */
export const SESSIONS_ARE_IN_REDIS = 'sessions_are_in_redis';
const NO_SOCKET = /^(E(CONN\w+|PIPE|HOSTUNREACH|NETUNREACH|TIMEDOUT|NOENT)|ENOTFOUND|EAI_AGAIN)$/;
/** Errors of the driver without a code, by their first words. */
const LOST = /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout expired)/;
const LATE = /^(Query read timeout|timeout exceeded when trying to connect)/;

/** Of a certificate that is not accepted, or a peer without TLS. */
const NO_TLS = /^(CERT_|DEPTH_ZERO|ERR_SSL|ERR_TLS|SELF_SIGNED|UNABLE_TO_)/;
const REFUSES_TLS = /^(The server does not support SSL|There was an error establishing an SSL)/;

/** Faults after which it is not known whether a write has taken effect. */
const UNKNOWN_END: ReadonlySet<PostgresFault> = new Set(['timeout', 'disconnected']);

/** `hasWritten`: a statement that may write was sent. */
export function postgresUnavailable(fault: PostgresFault, cause?: unknown, hasWritten = false): MnemeError {
  const metadata = { backend: 'postgres', fault };
  const effect = hasWritten && UNKNOWN_END.has(fault) ? '; a write that was under way may have taken effect' : '';
  const message = `${SAYS[fault]}${effect}`;
  return new MnemeError('STORAGE_UNAVAILABLE', message, { metadata, cause });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function constraintOf(error: Error): unknown {
  return 'constraint' in error ? error.constraint : undefined;
}

const DAMAGED =
  'has other bytes than were stored. Delete it, or restore PostgreSQL from a backup; "mneme verify" lists all damage';

/** Of a read within another one, the error has the text already. */
function damagedRow(error: MnemeError, hasExternalBodies: boolean): MnemeError {
  const { message, reason, metadata } = error;
  if (message.endsWith(DAMAGED)) return error;
  const where = hasExternalBodies ? 'PostgreSQL, or the Redis of the upper tiers,' : 'PostgreSQL';
  return new MnemeError(reason, `${message}: ${where} ${DAMAGED}`, { metadata, cause: error });
}

/**
 * Translates an error of PostgreSQL or its driver, or damage of what it has stored, into an error for callers; errors that
 * show a defect are returned unchanged. `hasWritten`: a statement that may write was sent. `hasExternalBodies`: some
 * texts are in Redis.
 */
export function translated(error: unknown, { hasWritten = false, hasExternalBodies = false } = {}): unknown {
  if (isDamage(error)) return damagedRow(error, hasExternalBodies);
  if (!(error instanceof Error) || error instanceof MnemeError) return error;
  if (isDiskFull(error)) {
    const message = 'the disk of PostgreSQL is full: writes fail until space is freed, reads continue';
    return new MnemeError('STORAGE_FULL', message, { metadata: { backend: 'postgres' }, cause: error });
  }
  const fault = faultOf(error);
  return fault ? postgresUnavailable(fault, error, hasWritten) : error;
}

export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === DISK_FULL;
}

function faultOf(error: Error): PostgresFault | undefined {
  const code = codeOf(error);
  if (NO_SOCKET.test(code) || LOST.test(error.message)) return 'disconnected';
  if (NO_TLS.test(code) || REFUSES_TLS.test(error.message)) return 'tls';
  if (LATE.test(error.message)) return 'timeout';
  if (constraintOf(error) === SESSIONS_ARE_IN_REDIS) return 'sessions_elsewhere';
  return STATES.find(([state]) => state.test(code))?.[1];
}

/**
 * Whether PostgreSQL has refused a statement for its values: other writes of the transaction may succeed without it.
 */
export function isRefusedStatement(error: unknown): boolean {
  return /^(21|22|23|42|54)/.test(codeOf(error));
}

/** Deadlocks and failed serializations are rare: most transactions lock their namespace first. */
const ATTEMPTS_MAX = 5;

/** Repeats a transaction that was undone because of concurrent ones. */
export async function despiteConflicts<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (!(isConflict(error) || isTaken(error)) || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

/** Whether another transaction has taken a name or number first: it is seen when the transaction is repeated. */
function isTaken(error: unknown): boolean {
  return codeOf(error) === UNIQUE_VIOLATION;
}

/** Whether the transaction was undone because of concurrent ones, and may be repeated. */
function isConflict(error: unknown): boolean {
  return error instanceof MnemeError && error.metadata['fault'] === ('conflict' satisfies PostgresFault);
}
