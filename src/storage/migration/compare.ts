import { createHash } from 'node:crypto';
import { readCheckedJson } from '../../memory/json.ts';
import { KINDS, type Kind, type MigrationSource } from './portable.ts';

/** The records of one kind in one namespace: how many, and a checksum in which their order does not matter. */
export interface Checksum {
  readonly count: number;
  readonly sha256: string;
}

export interface Compared {
  readonly kind: Kind;
  /** Empty: of all namespaces. */
  readonly namespace: string;
  readonly source: Checksum;
  readonly target: Checksum;
  readonly isEqual: boolean;
}

const HASH_BYTES = 32;
const NONE: Checksum = { count: 0, sha256: '0'.repeat(2 * HASH_BYTES) };
/** What a target keeps in a form of its own: the place of a row or state, and forms that its tier asks for. */
const OWN: ReadonlySet<string> = new Set(['resolution', 'isVectorless', 'replacedBy']);
const OWN_OF_CHANGE: ReadonlySet<string> = new Set([...OWN, 'sequence']);

/** Reads all records of both, and compares their checksums by kind and namespace. */
export async function compare(
  source: MigrationSource,
  target: MigrationSource,
  onRecords: (count: number) => void = () => {},
): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const kind of KINDS) {
    const ofSource = await checksumsOf(source, kind, onRecords);
    const ofTarget = await checksumsOf(target, kind, onRecords);
    const names = [...new Set([...ofSource.keys(), ...ofTarget.keys()])].sort();
    for (const namespace of names) {
      const [one, other] = [ofSource.get(namespace) ?? NONE, ofTarget.get(namespace) ?? NONE];
      const isEqual = one.count === other.count && one.sha256 === other.sha256;
      compared.push({ kind, namespace, source: one, target: other, isEqual });
    }
  }
  return compared;
}

async function checksumsOf(
  store: MigrationSource,
  kind: Kind,
  onRecords: (count: number) => void,
): Promise<Map<string, Checksum>> {
  const sums = new Map<string, { count: number; sum: Buffer }>();
  const own = kind === 'change' ? OWN_OF_CHANGE : OWN;
  for await (const { records } of store.pages(kind)) {
    for (const record of records) {
      const known = sums.get(record.namespace) ?? { count: 0, sum: Buffer.alloc(HASH_BYTES) };
      sums.set(record.namespace, known);
      known.count++;
      addTo(known.sum, createHash('sha256').update(canonical(record, own)).digest());
    }
    onRecords(records.length);
  }
  return new Map([...sums].map(([name, { count, sum }]) => [name, { count, sha256: sum.toString('hex') }]));
}

function addTo(sum: Buffer, hash: Buffer): void {
  for (let at = 0; at < HASH_BYTES; at++) sum[at] = (sum[at] ?? 0) ^ (hash[at] ?? 0);
}

/** One text for equal values: keys in order, bytes and floats in base64, without the fields of `own`. */
export function canonical(value: unknown, own: ReadonlySet<string> = OWN): string {
  if (value instanceof Float32Array || value instanceof Uint8Array) {
    return `"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}"`;
  }
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each, own)).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([key, each]) => each !== undefined && !own.has(key));
  const sorted = fields.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([key, each]) => `${JSON.stringify(key)}:${canonical(stored(key, each), own)}`).join()}}`;
}

/** A former state is equal whatever the order of its keys is. */
function stored(key: string, value: unknown): unknown {
  return key === 'state' && typeof value === 'string' && value.startsWith('{') ? readCheckedJson(value) : value;
}
