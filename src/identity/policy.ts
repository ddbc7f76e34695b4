import type { Scope } from '../memory/memory.ts';
import { type Grant, IDENTITY, IDENTITY_SHAPE, isNamed, VERBS, type Verb } from '../memory/principal.ts';
import { scopeIn } from '../memory/scope-text.ts';

/** What a policy file may have at most. */
export const POLICY_LIMITS = { identities: 10_000, grants: 100, names: 1000, bytes: 4_194_304 };

/** Grants by identity; the names of identities may have one `*`. */
export type Policy = ReadonlyMap<string, readonly Grant[]>;

/**
 * Reads a policy file: `{"identities": {"ada": [{"namespaces": ["team-*"], "verbs": ["read"]}]}}`. Fails in one line
 * that names the place and the problem.
 */
export function policyIn(text: string): Policy {
  if (Buffer.byteLength(text) > POLICY_LIMITS.bytes) throw wrong('', `has more than ${POLICY_LIMITS.bytes} bytes`);
  const { identities } = fieldsOf('', parsed(text), ['identities']);
  const entries = Object.entries(objectOf('identities', identities));
  if (entries.length > POLICY_LIMITS.identities) throw wrong('identities', `has more than ${POLICY_LIMITS.identities}`);
  return new Map(
    entries.map(([identity, grants]) => {
      const at = `identities[${JSON.stringify(identity)}]`;
      if (!IDENTITY.test(identity)) throw wrong(at, `must be named by ${IDENTITY_SHAPE}`);
      checkPattern(at, identity);
      return [identity, listOf(at, grants, POLICY_LIMITS.grants).map((grant, nth) => grantIn(`${at}[${nth}]`, grant))];
    }),
  );
}

/** The present rights of identities; mostly the same object while they are the same. */
export class Grants {
  private policy: Policy;
  private known = new Map<string, readonly Grant[]>();

  constructor(policy: Policy) {
    this.policy = policy;
  }

  /** All grants whose identity, or pattern of identities, names this one. */
  readonly of = (identity: string): readonly Grant[] => {
    const known = this.known.get(identity);
    if (known) return known;
    const grants = this.found(identity);
    const [oldest] = this.known.keys();
    if (oldest !== undefined && this.known.size >= POLICY_LIMITS.identities) this.known.delete(oldest);
    this.known.set(identity, grants);
    return grants;
  };

  replace(policy: Policy): void {
    this.policy = policy;
    const before = this.known;
    this.known = new Map();
    for (const [identity, grants] of before) {
      const present = this.found(identity);
      this.known.set(identity, JSON.stringify(present) === JSON.stringify(grants) ? grants : present);
    }
  }

  private found(identity: string): readonly Grant[] {
    return [...this.policy].flatMap(([pattern, grants]) => (isNamed(pattern, identity) ? grants : []));
  }
}

function grantIn(at: string, value: unknown): Grant {
  const { namespaces, verbs, scopes } = fieldsOf(at, value, ['namespaces', 'verbs', 'scopes']);
  const grant = {
    namespaces: textsOf(`${at}.namespaces`, namespaces).map((name) => namespaceIn(`${at}.namespaces`, name)),
    verbs: textsOf(`${at}.verbs`, verbs).map((verb) => verbIn(`${at}.verbs`, verb)),
  };
  if (scopes === undefined) return grant;
  if (grant.verbs.includes('admin')) throw wrong(`${at}.scopes`, 'must be absent with the verb "admin"');
  return { ...grant, scopes: textsOf(`${at}.scopes`, scopes).map((scope) => scopeAt(`${at}.scopes`, scope)) };
}

const NAMESPACE = /^[a-z0-9._*-]{1,63}$/;

function namespaceIn(at: string, name: string): string {
  if (!NAMESPACE.test(name)) throw wrong(at, `must have names of namespaces with at most one *, got ${shown(name)}`);
  checkPattern(at, name);
  return name;
}

function verbIn(at: string, verb: string): Verb {
  const known = VERBS.find((one) => one === verb);
  if (!known) throw wrong(at, `must have ${VERBS.join(', ')}, got ${shown(verb)}`);
  return known;
}

function scopeAt(at: string, text: string): Scope {
  const scope = scopeIn(text);
  if ('problem' in scope) throw wrong(at, `${shown(text)} ${scope.problem}`);
  if (Object.values(scope).every((part) => part === '')) throw wrong(at, `${shown(text)} has no part`);
  return scope;
}

function checkPattern(at: string, pattern: string): void {
  if (pattern.split('*').length > 2) throw wrong(at, `may have one *, got ${shown(pattern)}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw wrong('', `must be JSON: ${(cause as Error).message}`);
  }
}

function fieldsOf(at: string, value: unknown, names: readonly string[]): Record<string, unknown> {
  const fields = objectOf(at, value);
  const other = Object.keys(fields).find((name) => !names.includes(name));
  if (other !== undefined) throw wrong(at, `has the unknown field ${shown(other)}; expected ${names.join(', ')}`);
  return fields;
}

function objectOf(at: string, value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(at, 'must be an object');
  return { ...value };
}

function listOf(at: string, value: unknown, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(at, 'must be a list');
  if (value.length > most) throw wrong(at, `may have ${most} entries, got ${value.length}`);
  return value;
}

function textsOf(at: string, value: unknown): readonly string[] {
  const texts = listOf(at, value, POLICY_LIMITS.names);
  if (texts.length === 0) throw wrong(at, 'must not be empty');
  return texts.map((text) => {
    if (typeof text !== 'string') throw wrong(at, `must have texts, got ${shown(text)}`);
    return text;
  });
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 80);
}

function wrong(at: string, problem: string): Error {
  return new Error(at === '' ? `the policy ${problem}` : `the policy at ${at}: ${problem}`);
}
