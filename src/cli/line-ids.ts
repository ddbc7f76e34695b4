import { hash } from 'node:crypto';
import { derivedId } from '../memory/derived-id.ts';
import { Occurrences } from './occurrences.ts';

/** What only a server decides: the same memory has other values of it elsewhere. */
const DECIDED = new Set(['id', 'name', 'namespace', 'tier', 'checksum', 'version']);

/**
 * Ids for lines that have none: the same for the same line in the same namespace, whatever file it is in and wherever, as
 * long as it comes as often. The n-th of equal lines has the UUID (version 8) of the namespace, n, and the line as JSON
 * with its keys in order, without what only a server decides.
 */
export class LineIds {
  private readonly namespace: string;
  private readonly lines = new Occurrences();

  constructor(namespace: string) {
    this.namespace = namespace;
  }

  idOf(line: Readonly<Record<string, unknown>>): string {
    const text = canonical(Object.fromEntries(Object.entries(line).filter(([key]) => !DECIDED.has(key))));
    return derivedId(`line:${this.namespace}:${this.lines.next(hash('sha256', text, 'buffer'))}:${text}`);
  }
}

/** JSON with the keys of every object in order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(',')}}`;
}
