import { type DescMessage, fromBinary, type Message, ScalarType } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import type { TestRandom } from '../support/random.ts';

/** A namespace that no generated message names. */
export const GUARDED = 'guarded';

const NAMESPACES = ['fuzz-a', 'fuzz-b', 'fuzz-c'];
const IDS = ['a', 'b', 'c', 'one', 'two', 'A-1', 'x_y', 'agent', 'p:1'];
const WORDS = [
  'cello',
  'river',
  'Ada',
  'plays',
  'moved',
  'to',
  'Oslo',
  'in',
  'May',
  'the',
  'not',
  '2024',
  'schön',
  '音楽',
];
const FILTERS = [
  'type = "note"',
  'importance > 0.5 AND tags : "x"',
  'text MATCHES "(x+x+)+y"',
  'NOT (scope.agent = "a" OR step <= 3)',
  'content.a.b[0] = 1',
];
/** Answers that are kept of each field. */
const KEPT = 16;
const LENGTH_MAX = 400;

/** Names, ids and tokens that messages are made of: fixed ones, and those of earlier answers. */
export class Vocabulary {
  private readonly seen = new Map<string, unknown[]>();

  /** Keeps names, tokens and revisions of an answer, by field. */
  learn(type: DescMessage, bytes: Uint8Array): void {
    this.walk(type, fromBinary(type, bytes), 0);
  }

  private walk(type: DescMessage, message: Message, depth: number): void {
    if (depth > 5) return;
    const reflected = reflect(type, message);
    for (const field of type.fields) {
      if (!reflected.isSet(field)) continue;
      if (field.fieldKind === 'message') {
        const inner = reflected.get(field);
        if (typeof inner === 'object' && 'message' in inner) this.walk(field.message, inner.message, depth + 1);
      } else if (field.fieldKind === 'list') {
        for (const each of [...reflected.get(field)].slice(0, 3)) {
          if (field.listKind === 'message' && typeof each === 'object' && each !== null && 'message' in each) {
            this.walk(field.message, each.message as Message, depth + 1);
          } else if (field.listKind === 'scalar') this.keep(field.name, each);
        }
      } else if (field.fieldKind === 'scalar') this.keep(field.name, reflected.get(field));
    }
  }

  private keep(name: string, value: unknown): void {
    if (typeof value === 'string' && (value.length > LENGTH_MAX || value.includes(GUARDED))) return;
    const key = name.replace(/^next_/, '');
    const kept = this.seen.get(key) ?? [];
    kept.push(value);
    if (kept.length > KEPT) kept.shift();
    this.seen.set(key, kept);
  }

  /** A value that a field of this name had in an answer. */
  known(name: string, kind: ScalarType, random: TestRandom): unknown {
    const values = this.seen.get(name)?.filter((value) => typeof value === TYPES[kind]) ?? [];
    return values.length === 0 ? undefined : random.pick(values);
  }

  /** A text that a field of this name may well have. */
  text(name: string, owner: string, random: TestRandom): string {
    const known = random.chance(0.5) ? this.known(name, ScalarType.STRING, random) : undefined;
    if (typeof known === 'string') return known;
    const parent = `namespaces/${random.pick(NAMESPACES)}`;
    if (name === 'parent') return parent;
    if (name === 'conversation') return `${parent}/conversations/${random.pick(IDS)}`;
    if (/session/.test(name)) return `${parent}/sessions/${random.pick(IDS)}`;
    if (/^names?$|similar_to|report/.test(name)) return this.resource(parent, owner, random);
    if (name === 'filter_text') return random.pick(FILTERS);
    if (/(^|_)ids?$|key|agent|project|type|tag/.test(name)) return random.pick(IDS);
    return Array.from({ length: 1 + random.int(8) }, () => random.pick(WORDS)).join(' ');
  }

  /** The text for a placeholder of a valid request. */
  filled(kind: string, random: TestRandom): string {
    const parent = `namespaces/${random.pick(NAMESPACES)}`;
    if (kind === 'n') return parent;
    if (kind === 'm' || kind === 'i') return random.pick(['a', 'b', 'c', 'one']);
    if (kind === 'c') return `${parent}/conversations/${random.pick(IDS)}`;
    if (kind === 's') return `${parent}/sessions/${random.pick(['a', 'b', 'c', 'one'])}`;
    if (kind === 'w') return Array.from({ length: 1 + random.int(6) }, () => random.pick(WORDS)).join(' ');
    const names = (this.seen.get('name') ?? []).filter((name) => typeof name === 'string' && name.includes(`/${kind}`));
    return names.length === 0 ? `${parent}/memories/a` : String(random.pick(names));
  }

  private resource(parent: string, owner: string, random: TestRandom): string {
    if (/Namespace/.test(owner)) return parent;
    const kind = /Subscription|Consume/.test(owner) ? 'subscriptions' : /Fact/.test(owner) ? 'facts' : 'memories';
    return `${parent}/${random.chance(0.9) ? kind : 'sessions'}/${random.pick(IDS)}`;
  }
}

const TYPES: Readonly<Partial<Record<ScalarType, string>>> = {
  [ScalarType.STRING]: 'string',
  [ScalarType.INT64]: 'bigint',
  [ScalarType.UINT64]: 'bigint',
};
