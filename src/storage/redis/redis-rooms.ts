import type { RedisConnection } from './connection.ts';
import { roomKey } from './keys.ts';
import { LOG_LENGTHS, type LogLengths } from './log-commands.ts';
import { RecentEntries } from './recent-entries.ts';
import { KnownMembers, type Loss, RoomReader } from './room-reader.ts';
import { RoomWriter } from './room-writer.ts';

export interface RoomsOptions {
  readonly connection: RedisConnection;
  /** What all keys begin with. */
  readonly prefix: string;
  readonly idempotencyRetentionMs: number;
  /** Revision that those of new changes must be above, as far as others know. */
  readonly revisionFloor?: () => number;
  /** Told when Redis no longer has what this server has seen in it. */
  readonly onLoss?: (namespace: string, loss: Loss) => void;
  /** Absent: `LOG_LENGTHS`. */
  readonly logLengths?: LogLengths;
  /** Somebody makes good what is lost, and then calls `recovered`: until then the namespace fails. */
  readonly isRecovered?: boolean;
}

const ROOMS_KEPT = 10_000;

interface Room {
  readonly reader: RoomReader;
  readonly writer: RoomWriter;
}

/** The rooms of a Redis, one for each namespace. */
export class RedisRooms {
  /** Newest revision that this server has seen in any room. */
  revision = 0;
  readonly connection: RedisConnection;
  private readonly options: RoomsOptions;
  private readonly rooms = new Map<string, Room>();
  private readonly recent = new RecentEntries();
  private readonly members = new KnownMembers();

  constructor(options: RoomsOptions) {
    this.options = options;
    this.connection = options.connection;
  }

  reader(name: string): RoomReader {
    return this.room(name).reader;
  }

  writer(name: string): RoomWriter {
    return this.room(name).writer;
  }

  private room(name: string): Room {
    const known = this.rooms.get(name);
    if (known) return known;
    const { connection, prefix, revisionFloor, onLoss, isRecovered = false, logLengths = LOG_LENGTHS } = this.options;
    const retentionUs = this.options.idempotencyRetentionMs * 1000;
    const reader = new RoomReader({
      connection,
      name,
      room: roomKey(prefix, name),
      isRecovered,
      recent: this.recent,
      members: this.members,
      revisionFloor: () => Math.max(this.revision, revisionFloor?.() ?? 0),
      onState: ({ revision }) => {
        this.revision = Math.max(this.revision, revision);
      },
      onLoss: (lost, loss) => onLoss?.(lost, loss),
    });
    const room = {
      reader,
      writer: new RoomWriter(reader, { retentionUs, isFollowed: isRecovered, logLengths }),
    };
    if (this.rooms.size >= ROOMS_KEPT) this.forgetOldest();
    this.rooms.set(name, room);
    return room;
  }

  private forgetOldest(): void {
    for (const name of this.rooms.keys()) {
      if (this.rooms.get(name)?.writer.isIdle) {
        this.rooms.delete(name);
        return;
      }
    }
  }
}
