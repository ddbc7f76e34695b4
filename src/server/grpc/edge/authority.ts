import type { PeerCertificate } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import type { Metadata } from '@grpc/grpc-js';
import { MnemeError } from '../../../memory/errors.ts';
import type { Grant, Identified, Principal, TokenVerifier } from '../../../memory/principal.ts';
import type { Credentials, Presented } from './edge.ts';

export interface AuthorityParts {
  /** Asked in order. */
  readonly verifiers: readonly TokenVerifier[];
  /** Identifies callers without a bearer token; absent: they are refused. */
  readonly certified?: (certificate: PeerCertificate) => Identified;
  /** Rights by the policy; absent: every identity may do everything. */
  readonly grantsOf?: (identity: string) => readonly Grant[];
  readonly nowMs: () => number;
}

/** Finds the identity of a caller by its bearer token or its client certificate, and its rights by the policy. */
export class Authority implements Credentials {
  private readonly parts: AuthorityParts;
  /** The rights by the policy that a principal was made with. */
  private readonly bases = new WeakMap<Principal, readonly Grant[]>();

  constructor(parts: AuthorityParts) {
    this.parts = parts;
  }

  authorize(presented: Presented): Principal | Promise<Principal> {
    const token = tokenOf(presented.metadata);
    if (token === undefined) return this.byCertificate(presented);
    for (const verifier of this.parts.verifiers) {
      const found = verifier.identify(token);
      if (found instanceof Promise) return found.then((identified) => this.principalOf(identified));
      if (found) return this.principalOf(found);
    }
    throw new MnemeError('CREDENTIALS_INVALID', 'the bearer token is not one of this server');
  }

  renewed(principal: Principal): Principal | undefined {
    const { verifiers, grantsOf } = this.parts;
    const { proof, credential, identity } = principal;
    if (this.isExpired(principal)) return undefined;
    const verifier = verifiers.find((one) => one.proof === proof);
    if (verifier && !verifier.admits(credential)) return undefined;
    const [basis, present] = [this.bases.get(principal), grantsOf?.(identity)];
    if (present === basis) return principal;
    if (!isDeepStrictEqual(present, basis)) return this.principalOf(principal);
    if (present) this.bases.set(principal, present);
    return principal;
  }

  private isExpired({ expiresAtMs }: Pick<Identified, 'expiresAtMs'>): boolean {
    return expiresAtMs !== undefined && expiresAtMs <= this.parts.nowMs();
  }

  private byCertificate(presented: Presented): Principal {
    const { certified, verifiers } = this.parts;
    if (!certified) throw new MnemeError('CREDENTIALS_INVALID', 'the call brings no bearer token');
    const certificate = presented.getAuthContext().sslPeerCertificate;
    if (certificate) {
      const identified = certified(certificate);
      // It is compared with the clock when a connection is opened, which may last longer.
      if (!this.isExpired(identified)) return this.principalOf(identified);
      throw new MnemeError('CREDENTIALS_INVALID', 'the client certificate has expired');
    }
    const other = verifiers.length > 0 ? ' and no bearer token' : '';
    throw new MnemeError('CREDENTIALS_INVALID', `the connection has no client certificate${other}`);
  }

  private principalOf(identified: Identified): Principal {
    const { grantsOf } = this.parts;
    const basis = grantsOf?.(identified.identity);
    const grants = limitedTo(identified.namespaces, basis);
    const principal = { ...identified, grants };
    if (basis) this.bases.set(principal, basis);
    return principal;
  }
}

const BY_CREDENTIAL = ['read', 'write', 'delete'] as const;

/** Rights by the policy within the namespaces that the credential is limited to; without a policy, these give rights. */
function limitedTo(
  namespaces: readonly string[] | undefined,
  basis: readonly Grant[] | undefined,
): 'all' | readonly Grant[] {
  if (!namespaces) return basis ?? 'all';
  if (!basis) return [{ namespaces, verbs: BY_CREDENTIAL }];
  return basis.map((grant) => ({ ...grant, within: namespaces }));
}

/** The bearer token of a call. */
export function tokenOf(metadata: Metadata): string | undefined {
  return /^Bearer (.+)$/i.exec(String(metadata.get('authorization')[0] ?? ''))?.[1];
}
