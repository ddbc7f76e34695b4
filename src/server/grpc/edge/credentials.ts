import { createHash, timingSafeEqual } from 'node:crypto';
import type { Identified, TokenVerifier } from '../../../memory/principal.ts';

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Bearer tokens of a list, in a time that does not depend on the tokens. */
export class BearerTokens implements TokenVerifier {
  readonly proof = 'token';
  private known: readonly Buffer[];

  constructor(tokens: readonly string[]) {
    this.known = tokens.map(digestOf);
  }

  /** From now on these tokens are admitted, and no others. */
  replace(tokens: readonly string[]): void {
    this.known = tokens.map(digestOf);
  }

  identify(token: string): Identified | undefined {
    const credential = credentialOf(token);
    if (!this.admits(credential)) return undefined;
    return { identity: `token:${credential.slice(0, NAME_DIGITS)}`, proof: this.proof, credential };
  }

  admits(credential: string): boolean {
    const digest = Buffer.from(credential, 'hex');
    // No early exit: every token is compared.
    return this.known.filter((each) => timingSafeEqual(each, digest)).length > 0;
  }
}

/** Digits of a token's SHA-256 that name its identity. */
const NAME_DIGITS = 12;

/** The credential of a principal with this token. */
export function credentialOf(token: string): string {
  return digestOf(token).toString('hex');
}
