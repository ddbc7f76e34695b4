import { randomUUID } from 'node:crypto';
import { outsideCall } from '../../current-call.ts';
import type { SeenKeyspaces } from '../../scope-policies.ts';
import { sessionLost } from '../../sessions/session-view.ts';
import { type RedisArgument, type RedisConnection, type RedisReply, type Script, scriptOf } from '../connection.ts';
import { redisUnavailable } from '../driver-error.ts';
import { listOf } from './loaded.ts';
import { namespaceKeys, readScript, type SessionKeys } from './session-keys.ts';

export type SessionLoss = 'flushed' | 'rolled_back';

export interface SessionKeyspacesOptions {
  readonly redis: RedisConnection;
  /** Common prefix of all keys. */
  readonly prefix: string;
  readonly seen: SeenKeyspaces;
  /** Time after a loss in which a missing session is refused as possibly lost. */
  readonly lossHoldMs: number;
  /** Called when Redis has lost sessions that this server has seen. */
  readonly onLoss?: (namespace: string, loss: SessionLoss) => void;
}

/** The keyspace of the sessions of a namespace. */
export interface SessionKeyspace {
  /** Fails with SESSION_LOST where `session` is present and missing after a loss. */
  run(script: Script, args: readonly RedisArgument[], session?: SessionKeys): Promise<RedisReply>;
  /** As `run`, for one command that reads keys of the keyspace. */
  read(command: readonly RedisArgument[], session?: SessionKeys): Promise<RedisReply>;
}

/** Known state of the keyspace at this server. */
interface Room {
  epoch: string;
  /** Newest version in any answer. */
  version: number;
}

/**
 * Creates a missing keyspace. KEYS: the keyspace. ARGV: new epoch; time in ms in which missing sessions count as
 * possibly lost, or '' without a known loss. Where another server has created the keyspace anew, the time starts only
 * if that server knew of no loss. Events continue at a sequence above that of any lost event, so that followers notice.
 * Answer: epoch.
 */
const openScript = scriptOf(
  'session-room-open',
  'write',
  `
local marker = KEYS[1] .. ':marker'
if redis.call('EXISTS', marker) == 0 then redis.call('HSET', marker, 'epoch', ARGV[1], 'version', 0) end
if ARGV[2] ~= '' and not redis.call('HGET', marker, 'lost') then
  redis.call('HSET', marker, 'lost', 1)
  if ARGV[2] ~= '0' then redis.call('SET', KEYS[1] .. ':lost', 1, 'PX', ARGV[2]) end
  local ends, now = KEYS[1] .. ':event-ends', redis.call('TIME')[1] .. '000'
  if tonumber(redis.call('HGET', ends, 'newest') or '0') == 0 then redis.call('HSET', ends, 'newest', now, 'forgotten', now) end
end
return redis.call('HGET', marker, 'epoch')`,
);

const ROUNDS_MAX = 5;

/**
 * Runs session scripts in Redis. Every answer has the epoch and the version of the keyspace, so that the next call
 * detects an emptied or restored Redis: a session never becomes empty without an error.
 */
export class SessionKeyspaces {
  private readonly options: SessionKeyspacesOptions;
  private readonly keyspaces = new Map<string, Promise<Room>>();

  constructor(options: SessionKeyspacesOptions) {
    this.options = options;
  }

  of(namespace: string): SessionKeyspace {
    return {
      run: (script, args, session) => this.run(namespace, script, args, session),
      read: (command, session) => this.run(namespace, readScript, command, session),
    };
  }

  private async run(
    namespace: string,
    script: Script,
    args: readonly RedisArgument[],
    session?: SessionKeys,
  ): Promise<RedisReply> {
    const { keyspace: key } = namespaceKeys(this.options.prefix, namespace);
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const opened = this.opened(namespace);
      const keyspace = await opened;
      const floor = keyspace.version;
      const reply = await this.options.redis.run(script, key, [...args, session?.base ?? '', keyspace.epoch]);
      const [, version, outcome, answer] = listOf(reply);
      if (String(outcome) === 'other') {
        this.reopen(namespace, opened);
        continue;
      }
      this.checkVersion(namespace, keyspace, Number(String(version ?? 0)), floor);
      if (String(outcome) === 'lost') throw sessionLost({ namespace, session: session?.id ?? '' });
      return answer ?? null;
    }
    throw redisUnavailable('flushed');
  }

  private opened(namespace: string): Promise<Room> {
    return (
      this.keyspaces.get(namespace) ??
      this.remember(
        namespace,
        outsideCall(() => this.open(namespace)),
      )
    );
  }

  /** Of concurrent calls that find another keyspace, one determines its epoch. */
  private reopen(namespace: string, known: Promise<Room>): void {
    if (this.keyspaces.get(namespace) === known) {
      void this.remember(
        namespace,
        outsideCall(() => this.adopt(namespace)),
      );
    }
  }

  private remember(namespace: string, keyspace: Promise<Room>): Promise<Room> {
    this.keyspaces.set(namespace, keyspace);
    keyspace.catch(() => {
      if (this.keyspaces.get(namespace) === keyspace) this.keyspaces.delete(namespace);
    });
    return keyspace;
  }

  private async open(namespace: string): Promise<Room> {
    const known = await this.options.seen.epochOf(namespace);
    if (known !== undefined) return { epoch: known, version: 0 };
    return this.see(namespace, '');
  }

  private async adopt(namespace: string): Promise<Room> {
    const keyspace = await this.see(namespace, `${this.options.lossHoldMs}`);
    this.options.onLoss?.(namespace, 'flushed');
    return keyspace;
  }

  private async see(namespace: string, holdMs: string): Promise<Room> {
    const { redis, prefix, seen } = this.options;
    const { keyspace } = namespaceKeys(prefix, namespace);
    const epoch = String(await redis.run(openScript, keyspace, [randomUUID(), holdMs]));
    // Before any acknowledgement, so that the next server to start detects every loss.
    await seen.see({ keyspace: namespace, epoch });
    return { epoch, version: 0 };
  }

  /** Answers may arrive late: an answer is compared with the state seen before its request. */
  private checkVersion(namespace: string, keyspace: Room, version: number, floor: number): void {
    if (version >= floor) {
      keyspace.version = Math.max(keyspace.version, version);
      return;
    }
    keyspace.version = version;
    this.options.onLoss?.(namespace, 'rolled_back');
    throw redisUnavailable('rolled_back');
  }
}
