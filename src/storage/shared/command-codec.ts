import { deserialize, serialize } from 'node:v8';
import type { Commands, Verb } from '../sqlite/commands/command.ts';

/** A command with all that its outcome depends on, but for the database. */
export interface LoggedCommand<V extends Verb = Verb> {
  readonly verb: V;
  readonly write: Commands[V]['write'];
  /** How long its outcome is kept for its request id. */
  readonly retentionUs: number;
}

/** As the structured clone algorithm writes it: the same that brings a command to the writer thread. */
export function encodeCommand(command: LoggedCommand): Buffer {
  return serialize(command);
}

export function decodeCommand(bytes: Buffer): LoggedCommand {
  return deserialize(bytes) as LoggedCommand;
}

/** What one server does to its own database alone, and no other need know of. */
const LOCAL: ReadonlySet<Verb> = new Set<Verb>([
  'writeSession',
  'eraseSession',
  'eraseSessionsOfNamespace',
  'eraseExpiredSessions',
  'appendLifecycleEvent',
  'acknowledgeLifecycle',
  'eraseLifecycleEvents',
  'eraseLifecycleOf',
  'seeRoom',
  'compactLog',
  'eraseLeftovers',
]);

export function isLocal(verb: Verb): boolean {
  return LOCAL.has(verb);
}
