import type { Scope } from './memory.ts';

/** Kinds of access; none includes another. */
export const VERBS = ['read', 'write', 'delete', 'admin'] as const;
export type Verb = (typeof VERBS)[number];

/** Access to namespaces, or to parts of them. */
export interface Grant {
  /** Names of namespaces, each with at most one `*` for any characters. */
  readonly namespaces: readonly string[];
  /** Limits the access to namespaces with these names; absent, or with `*`: no limit. */
  readonly within?: readonly string[];
  /** Limits the access to what lies within one of these scopes. Absent: no limit. */
  readonly scopes?: readonly Scope[];
  readonly verbs: readonly Verb[];
}

/** How an identity was proved. */
export type Proof = 'none' | 'token' | 'key' | 'jwt' | 'certificate';

/** A caller as its credentials identify it. */
export interface Principal {
  /** Name in policies, quotas and the audit log; never a secret. */
  readonly identity: string;
  readonly proof: Proof;
  /** Distinguishes the credential from others of the identity without revealing it; empty without a credential. */
  readonly credential: string;
  /** `all`: every method on everything. */
  readonly grants: 'all' | readonly Grant[];
  /** Wall-clock instant from which the credential is not valid; absent: it does not expire. */
  readonly expiresAtMs?: number;
}

/** An identity that has been proved, without its rights. */
export interface Identified extends Omit<Principal, 'grants'> {
  /** Namespaces that the credential itself is limited to; `*` for all. Absent: no limit. */
  readonly namespaces?: readonly string[];
}

/** Proves identities by one kind of bearer token. */
export interface TokenVerifier {
  readonly proof: Proof;
  /**
   * The identity of the token; `undefined` for tokens of other kinds and unknown ones. Fails with CREDENTIALS_INVALID,
   * ISSUER_UNAVAILABLE.
   */
  identify(token: string): Identified | undefined | Promise<Identified>;
  /** Whether the credential of an identity that was proved before is still admitted. */
  admits(credential: string): boolean;
}

/** Shape of the name of an identity. */
export const IDENTITY = /^[\x21-\x7e]{1,256}$/;
export const IDENTITY_SHAPE = '1 to 256 printable ASCII characters without spaces';

/** A caller without credentials, of a server that asks for none. */
export const ANONYMOUS: Principal = { identity: 'anonymous', proof: 'none', credential: '', grants: 'all' };

/** The server, in its background jobs. */
export const SERVER_ITSELF: Principal = { identity: 'server', proof: 'none', credential: '', grants: 'all' };

/** Where a principal may use a verb in a namespace: in all of it, or within these scopes; `undefined`: nowhere. */
export function accessOf({ grants }: Principal, namespace: string, verb: Verb): 'whole' | readonly Scope[] | undefined {
  if (grants === 'all') return 'whole';
  const scopes: Scope[] = [];
  for (const grant of grants) {
    if (!grant.verbs.includes(verb) || !covers(grant, namespace)) continue;
    if (!grant.scopes) return 'whole';
    scopes.push(...grant.scopes);
  }
  return scopes.length > 0 ? scopes : undefined;
}

/** Whether a principal may use a verb on the server as a whole: a grant for every namespace gives it. */
export function hasWholeServer({ grants }: Principal, verb: Verb): boolean {
  if (grants === 'all') return true;
  return grants.some(({ namespaces, within = namespaces, scopes, verbs }) => {
    return !scopes && verbs.includes(verb) && namespaces.includes('*') && within.includes('*');
  });
}

function covers({ namespaces, within }: Grant, namespace: string): boolean {
  const isWithin = !within || within.includes('*') || within.includes(namespace);
  return isWithin && namespaces.some((pattern) => isNamed(pattern, namespace));
}

/** Whether a pattern with at most one `*` names this; upper and lower case differ. */
export function isNamed(pattern: string, name: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === name;
  const [head, tail] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return name.length >= head.length + tail.length && name.startsWith(head) && name.endsWith(tail);
}
