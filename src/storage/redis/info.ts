import type { RedisReply } from './connection.ts';

/** What Redis answers to INFO, by name. */
export function infoOf(reply: RedisReply | undefined): ReadonlyMap<string, string> {
  const lines = String(reply ?? '').split('\r\n');
  return new Map(lines.map((line) => [line.split(':')[0] ?? '', line.slice(line.indexOf(':') + 1)]));
}
