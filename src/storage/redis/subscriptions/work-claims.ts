import type { Claim, WorkClaims } from '../../subscription-store.ts';
import type { RedisConnection, RedisReply } from '../connection.ts';
import { roomScripts } from '../room-scripts.ts';

const CLAIMS: Readonly<Record<string, Claim>> = { m: 'mine', t: 'taken', d: 'done' };

export interface RedisWorkClaimsOptions {
  readonly connection: RedisConnection;
  /** Who claims: the same after the server was started again. */
  readonly owner: () => Promise<string>;
  /** What the keys of a subscription's namespace begin with; `undefined` for one that is not known. */
  readonly roomOf: (subscriptionKey: number) => string | undefined;
}

/** Claims in Redis, each with the instant at which it lapses. */
export class RedisWorkClaims implements WorkClaims {
  private readonly options: RedisWorkClaimsOptions;

  constructor(options: RedisWorkClaimsOptions) {
    this.options = options;
  }

  async claim({ subscriptionKey, origins, untilMs, nowMs }: Parameters<WorkClaims['claim']>[0]): Promise<Claim[]> {
    const { connection, owner, roomOf } = this.options;
    const room = roomOf(subscriptionKey);
    if (room === undefined) return origins.map(() => 'taken');
    const times = [Math.floor(untilMs), Math.floor(nowMs)].map(String);
    const args = [`${subscriptionKey}`, await owner(), ...times, ...origins.map(String)];
    const answers = (await connection.run(roomScripts.claimWork, room, args)) as readonly RedisReply[];
    return answers.map((answer) => CLAIMS[String(answer)] ?? 'taken');
  }

  async release(subscriptionKey: number): Promise<void> {
    const { connection, owner, roomOf } = this.options;
    const room = roomOf(subscriptionKey);
    if (room !== undefined) await connection.run(roomScripts.releaseWork, room, [`${subscriptionKey}`, await owner()]);
  }
}
