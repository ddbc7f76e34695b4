import type { RedisConnection } from './connection.ts';
import { keyspacePrefix } from './keys.ts';
import { KeyspaceReader, KnownMembers, type Loss } from './keyspace-reader.ts';
import { KeyspaceWriter } from './keyspace-writer.ts';
import { LOG_LENGTHS, type LogLengths } from './log-commands.ts';
import { RecentEntries } from './recent-entries.ts';

export interface KeyspacesOptions {
  readonly connection: RedisConnection;
  /** Common prefix of all keys. */
  readonly prefix: string;
  readonly idempotencyRetentionMs: number;
  /** Lower limit of new revisions, as far as other stores know. */
  readonly revisionFloor?: () => number;
  /** Called when Redis has lost data that this server has seen. */
  readonly onLoss?: (namespace: string, loss: Loss) => void;
  /** Absent: `LOG_LENGTHS`. */
  readonly logLengths?: LogLengths;
  /** Another component repairs losses, then calls `recovered`: until then the namespace fails. */
  readonly isRecovered?: boolean;
}

const KEYSPACES_MAX = 10_000;

interface Room {
  readonly reader: KeyspaceReader;
  readonly writer: KeyspaceWriter;
}

/** The keyspaces of a Redis, one for each namespace. */
export class RedisKeyspaces {
  /** Newest revision that this server has seen in any keyspace. */
  revision = 0;
  readonly connection: RedisConnection;
  private readonly options: KeyspacesOptions;
  private readonly keyspaces = new Map<string, Room>();
  private readonly recent = new RecentEntries();
  private readonly members = new KnownMembers();

  constructor(options: KeyspacesOptions) {
    this.options = options;
    this.connection = options.connection;
  }

  reader(name: string): KeyspaceReader {
    return this.keyspace(name).reader;
  }

  writer(name: string): KeyspaceWriter {
    return this.keyspace(name).writer;
  }

  private keyspace(name: string): Room {
    const known = this.keyspaces.get(name);
    if (known) return known;
    const { connection, prefix, revisionFloor, onLoss, isRecovered = false, logLengths = LOG_LENGTHS } = this.options;
    const retentionUs = this.options.idempotencyRetentionMs * 1000;
    const reader = new KeyspaceReader({
      connection,
      name,
      keyspace: keyspacePrefix(prefix, name),
      isRecovered,
      recent: this.recent,
      members: this.members,
      revisionFloor: () => Math.max(this.revision, revisionFloor?.() ?? 0),
      onState: ({ revision }) => {
        this.revision = Math.max(this.revision, revision);
      },
      onLoss: (lost, loss) => onLoss?.(lost, loss),
    });
    const keyspace = {
      reader,
      writer: new KeyspaceWriter(reader, { retentionUs, isFollowed: isRecovered, logLengths }),
    };
    if (this.keyspaces.size >= KEYSPACES_MAX) this.forgetOldest();
    this.keyspaces.set(name, keyspace);
    return keyspace;
  }

  private forgetOldest(): void {
    for (const name of this.keyspaces.keys()) {
      if (this.keyspaces.get(name)?.writer.isIdle) {
        this.keyspaces.delete(name);
        return;
      }
    }
  }
}
