import type { Scope } from '../../memory/memory.ts';
import { type Grant, IDENTITY, IDENTITY_SHAPE, isNamed, VERBS, type Verb } from '../../memory/principal.ts';
import { scopeIn } from '../../memory/scope-text.ts';
import { type LimitRule, limitRulesIn } from './limit-rules.ts';
import { checkPattern, fieldsOf, listOf, objectOf, parsed, shown, textsOf, wrong } from './policy-fields.ts';

/** What a policy file may have at most. */
export const POLICY_LIMITS = { identities: 10_000, grants: 100, names: 1000, bytes: 4_194_304 };

export interface Policy {
  /** Grants by identity; names of identities may have one `*`. Absent: every identity may do everything. */
  readonly grants?: ReadonlyMap<string, readonly Grant[]>;
  /** In the order of the file. */
  readonly limits: readonly LimitRule[];
}

/**
 * Reads a policy file: `{"identities": {"ada": [{"namespaces": ["team-*"], "verbs": ["read"]}]}, "limits": {…}}`, of which
 * one part may be absent. Fails in one line that names the place and the problem.
 */
export function policyIn(text: string): Policy {
  if (Buffer.byteLength(text) > POLICY_LIMITS.bytes) throw wrong('', `has more than ${POLICY_LIMITS.bytes} bytes`);
  const { identities, limits } = fieldsOf('', parsed(text), ['identities', 'limits']);
  if (identities === undefined && limits === undefined) throw wrong('', 'must have identities or limits');
  return {
    grants: identities === undefined ? undefined : grantsIn(identities),
    limits: limits === undefined ? [] : limitRulesIn(limits),
  };
}

function grantsIn(identities: unknown): ReadonlyMap<string, readonly Grant[]> {
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
    return [...(this.policy.grants ?? [])].flatMap(([pattern, grants]) => (isNamed(pattern, identity) ? grants : []));
  }
}

function grantIn(at: string, value: unknown): Grant {
  const { namespaces, verbs, scopes } = fieldsOf(at, value, ['namespaces', 'verbs', 'scopes']);
  const grant = {
    namespaces: namesOf(`${at}.namespaces`, namespaces).map((name) => namespaceIn(`${at}.namespaces`, name)),
    verbs: namesOf(`${at}.verbs`, verbs).map((verb) => verbIn(`${at}.verbs`, verb)),
  };
  if (scopes === undefined) return grant;
  if (grant.verbs.includes('admin')) throw wrong(`${at}.scopes`, 'must be absent with the verb "admin"');
  return { ...grant, scopes: namesOf(`${at}.scopes`, scopes).map((scope) => scopeAt(`${at}.scopes`, scope)) };
}

function namesOf(at: string, value: unknown): readonly string[] {
  return textsOf(at, value, POLICY_LIMITS.names);
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
