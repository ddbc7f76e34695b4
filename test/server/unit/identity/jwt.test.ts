import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { JwtVerifier } from '../../../../src/server/identity/jwt.ts';
import { createLogger } from '../../../../src/server/logger.ts';

const START_MS = Date.UTC(2026, 10, 28);
const TTL_MS = 600_000;
const PAUSE_MS = 10_000;

let folder: string;
let nowMs: number;
let verifier: JwtVerifier;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-jwks-'));
  nowMs = START_MS;
  const keys = { source: join(folder, 'jwks.json'), ttlMs: TTL_MS, timeoutMs: 1000 };
  const settings = { keys, issuer: 'i', audience: 'a', algorithms: ['ES256'], clockSkewMs: 0, identityClaim: 'sub' };
  verifier = new JwtVerifier(settings, createLogger({ logLevel: 'silent', logFormat: 'json' }), () => nowMs);
});
afterEach(() => rmSync(folder, { recursive: true }));

async function signer(kid: string) {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' };
  const sign = () =>
    new SignJWT({ sub: 'ada' })
      .setProtectedHeader({ alg: 'ES256', kid })
      .setIssuer('i')
      .setAudience('a')
      .setExpirationTime(START_MS / 1000 + 86_400)
      .sign(privateKey);
  return { jwk, sign };
}

function publish(...keys: JWK[]): void {
  writeFileSync(join(folder, 'jwks.json'), JSON.stringify({ keys }));
}

const identityOf = async (token: string) => (await verifier.identify(token))?.identity;

describe('keys of an issuer that are rotated', () => {
  it('a token of a new key › admitted without a restart; an unknown key has them read once in 10 s', async () => {
    const [one, two, three] = [await signer('one'), await signer('two'), await signer('three')];
    publish(one.jwk);
    await verifier.prepare();
    publish(one.jwk, two.jwk);
    await expect(verifier.identify(await two.sign())).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
    nowMs += PAUSE_MS;
    expect(await identityOf(await two.sign())).toBe('ada');
    expect(await identityOf(await one.sign())).toBe('ada');
    publish(three.jwk);
    await expect(verifier.identify(await three.sign())).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
  });

  it('a token of a key that was taken out › refused after twice the time to live, also where it was admitted before', async () => {
    const [one, two] = [await signer('one'), await signer('two')];
    publish(one.jwk);
    await verifier.prepare();
    const token = await one.sign();
    expect(await identityOf(token)).toBe('ada');
    publish(two.jwk);
    nowMs += 2 * TTL_MS;
    await expect(verifier.identify(token)).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
  });
});
