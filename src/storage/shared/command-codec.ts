import { deserialize, serialize } from 'node:v8';
import type { Commands, Verb } from '../sqlite/commands/command.ts';

/** A command with all inputs of its outcome except the database. */
export interface LoggedCommand<V extends Verb = Verb> {
  readonly verb: V;
  readonly write: Commands[V]['write'];
  /** Retention of its outcome for its request id. */
  readonly retentionUs: number;
}

/** In the format of the structured clone algorithm, which also sends a command to the writer thread. */
export function encodeCommand(command: LoggedCommand): Buffer {
  return serialize(command);
}

export function decodeCommand(bytes: Buffer): LoggedCommand {
  return deserialize(bytes) as LoggedCommand;
}

/** Commands that concern only this server's database. */
const LOCAL: ReadonlySet<Verb> = new Set<Verb>([
  'writeSession',
  'eraseSession',
  'eraseSessionsOfNamespace',
  'eraseExpiredSessions',
  'appendLifecycleEvent',
  'acknowledgeLifecycle',
  'eraseLifecycleEvents',
  'eraseLifecycleOf',
  'seeKeyspace',
  'compactLog',
  'eraseLeftovers',
]);

export function isLocal(verb: Verb): boolean {
  return LOCAL.has(verb);
}
