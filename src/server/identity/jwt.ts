import { createHash } from 'node:crypto';
import { createLocalJWKSet, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify, type LocalJWKSet } from 'jose';
import { MnemeError } from '../../memory/errors.ts';
import { IDENTITY, type Identified, type TokenVerifier } from '../../memory/principal.ts';
import type { Logger } from '../logger.ts';
import { type JwksSettings, JwksSource } from './jwks-source.ts';

export interface JwtSettings {
  readonly keys: JwksSettings;
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
  readonly clockSkewMs: number;
  readonly identityClaim: string;
  /** Claim with the namespaces that the token is for; absent: it limits none. */
  readonly namespacesClaim?: string;
}

const SHAPE = /^[\w-]{2,}\.[\w-]{2,}\.[\w-]*$/;
/** Longer tokens would not fit into the headers of a call. */
const LENGTH_MAX = 16_384;
/** Verified tokens that are remembered, so that a call costs no signature. */
const KNOWN_MAX = 1000;
const NAMESPACES_MAX = 100;

interface Signed {
  readonly claims: JWTPayload;
  readonly keys: LocalJWKSet;
}

/** Bearer tokens that an issuer has signed, as RFC 7519 and 8725 describe them. */
export class JwtVerifier implements TokenVerifier {
  readonly proof = 'jwt';
  private readonly settings: JwtSettings;
  private readonly nowMs: () => number;
  private readonly source: JwksSource;
  private readonly options: JWTVerifyOptions;
  /** Verified tokens by their digest, with the keys that verified them. */
  private readonly known = new Map<string, { readonly identified: Identified; readonly keys: LocalJWKSet }>();

  constructor(settings: JwtSettings, logger: Logger, nowMs: () => number) {
    this.settings = settings;
    this.nowMs = nowMs;
    this.source = new JwksSource(settings.keys, { usable: createLocalJWKSet, logger, nowMs });
    const { issuer, audience, algorithms, clockSkewMs, identityClaim } = settings;
    this.options = {
      issuer,
      audience,
      algorithms: [...algorithms],
      clockTolerance: clockSkewMs / 1000,
      requiredClaims: ['exp', identityClaim],
    };
  }

  /** Reads the keys before the first call. */
  async prepare(): Promise<void> {
    await this.source.refresh();
  }

  identify(token: string): Identified | undefined | Promise<Identified> {
    if (token.length > LENGTH_MAX || !SHAPE.test(token)) return undefined;
    const digest = createHash('sha256').update(token).digest('base64');
    const known = this.known.get(digest);
    const isCurrent = known && known.keys === this.source.fresh && (known.identified.expiresAtMs ?? 0) > this.nowMs();
    if (isCurrent) return known.identified;
    return this.verified(token, digest);
  }

  admits(): boolean {
    return true;
  }

  private async verified(token: string, digest: string): Promise<Identified> {
    const { claims, keys } = await this.claimsOf(token);
    const identified = this.identified(claims);
    if (this.known.size >= KNOWN_MAX) this.known.delete(this.known.keys().next().value ?? '');
    this.known.set(digest, { identified, keys });
    return identified;
  }

  private async claimsOf(token: string): Promise<Signed> {
    try {
      return await this.signed(token);
    } catch (error) {
      const isNew = error instanceof errors.JWKSNoMatchingKey && (await this.source.refresh());
      if (!isNew) throw refusal(error);
    }
    try {
      return await this.signed(token);
    } catch (error) {
      throw refusal(error);
    }
  }

  private async signed(token: string): Promise<Signed> {
    const keys = await this.source.current();
    const { payload } = await jwtVerify(token, keys, { ...this.options, currentDate: new Date(this.nowMs()) });
    return { claims: payload, keys };
  }

  private identified(claims: JWTPayload): Identified {
    const { identityClaim, namespacesClaim, clockSkewMs } = this.settings;
    const identity = claims[identityClaim];
    if (typeof identity !== 'string' || !IDENTITY.test(identity)) {
      throw invalid(`has no identity in its claim ${identityClaim}`);
    }
    const expiresAtMs = (claims.exp ?? 0) * 1000 + clockSkewMs;
    const identified = { identity, proof: this.proof, credential: `jwt:${identity}`, expiresAtMs } as const;
    if (namespacesClaim === undefined) return identified;
    return { ...identified, namespaces: namespacesIn(claims[namespacesClaim], namespacesClaim) };
  }
}

function namespacesIn(claim: unknown, name: string): string[] {
  const names = typeof claim === 'string' ? claim.split(' ').filter((one) => one !== '') : claim;
  const isList = Array.isArray(names) && names.every((one) => typeof one === 'string');
  if (!isList || names.length > NAMESPACES_MAX) {
    throw invalid(`has no list of at most ${NAMESPACES_MAX} namespaces in its claim ${name}`);
  }
  return names;
}

/** The error of a token that is refused, without a part of the token in it. */
function refusal(error: unknown): unknown {
  if (error instanceof MnemeError) return error;
  if (error instanceof errors.JWTExpired) return invalid('has expired');
  if (error instanceof errors.JWTClaimValidationFailed) return invalid(`is refused for its claim ${error.claim}`);
  if (error instanceof errors.JOSEAlgNotAllowed) return invalid('has an algorithm that is not allowed');
  if (error instanceof errors.JWKSNoMatchingKey) return invalid('is signed by an unknown key');
  return invalid('is not valid');
}

function invalid(problem: string): MnemeError {
  return new MnemeError('CREDENTIALS_INVALID', `the bearer token ${problem}`);
}
