import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** What Redis has to know of a script before it runs it. */
export type ScriptKind =
  /** Refused as a whole, before its first command, by a read-only replica and when memory is used up. */
  | 'write'
  /** Frees memory: runs when memory is used up. */
  | 'erase'
  /** Runs wherever data can be read. */
  | 'read';

/** A Lua program, which Redis runs as one step that nothing comes between. */
export interface Script {
  readonly name: string;
  readonly kind: ScriptKind;
  readonly source: string;
  readonly sha1: string;
}

const FLAGS: Readonly<Record<ScriptKind, string>> = { write: '', erase: ' flags=allow-oom', read: ' flags=no-writes' };

export function scriptOf(name: string, kind: ScriptKind, body: string): Script {
  // Redis checks memory and role once, at the start, for scripts that begin with this line.
  const source = `#!lua${FLAGS[kind]}\n${body}`;
  return { name, kind, source, sha1: createHash('sha1').update(source).digest('hex') };
}

/** The script whose body is these files, one after the other. */
export function scriptFrom(name: string, kind: ScriptKind, ...files: readonly URL[]): Script {
  return scriptOf(name, kind, files.map((file) => readFileSync(file, 'utf8')).join('\n'));
}
