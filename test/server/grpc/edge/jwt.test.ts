import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose';
import { CreateNamespaceRequest, ListNamespacesRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { WatchMemoriesRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal, refusalOf } from '../support/ask.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { bearing } from '../support/identities.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const ISSUER = 'https://issuer.example';
const AUDIENCE = 'mneme';
const SKEW_MS = 30_000;

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;

let folder: string;
let own: Pair;
let stranger: Pair;
let publicKey: JWK;
let jwks: { keys: JWK[] };
let http: Server;
let requestCount = 0;
let isDown = false;
let url: string;
let mneme: TestServer | undefined;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-jwt-'));
  [own, stranger] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')]);
  publicKey = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  http = createServer((_, answer) => {
    requestCount++;
    answer.writeHead(isDown ? 500 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(jwks));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/jwks`;
});
afterEach(async () => {
  await mneme?.stop();
  mneme = undefined;
});
afterAll(() => {
  http.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(flags: Record<string, string> = {}): Promise<TestServer> {
  jwks = { keys: [publicKey] };
  requestCount = 0;
  isDown = false;
  mneme = await startTestServer({
    jwtKeys: url,
    jwtIssuer: ISSUER,
    jwtAudience: AUDIENCE,
    jwtClockSkewMs: String(SKEW_MS),
    ...flags,
  });
  return mneme;
}

interface Claims {
  readonly expiresInMs?: number;
  readonly startsInMs?: number;
  readonly issuer?: string;
  readonly audience?: string;
  readonly kid?: string;
  readonly key?: Pair;
  readonly more?: Record<string, unknown>;
}

function token({ expiresInMs = 60_000, startsInMs, issuer = ISSUER, audience = AUDIENCE, ...rest }: Claims = {}) {
  const seconds = (ms: number) => Math.floor((Date.now() + ms) / 1000);
  const jwt = new SignJWT({ sub: 'ada', ...rest.more })
    .setProtectedHeader({ alg: 'ES256', kid: rest.kid ?? 'one' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime(seconds(expiresInMs));
  if (startsInMs !== undefined) jwt.setNotBefore(seconds(startsInMs));
  return jwt.sign((rest.key ?? own).privateKey);
}

function list(text: string) {
  if (!mneme) throw new Error('there is no server');
  const { namespaces } = mneme;
  return ask(namespaces, namespaces.listNamespaces, ListNamespacesRequest.fromPartial({}), { metadata: bearing(text) });
}

describe('JWT', () => {
  it('a token of the issuer › admitted, and its keys are read once', async () => {
    await start();
    for (let call = 0; call < 3; call++) expect((await list(await token())).namespaces).toEqual([]);
    expect(requestCount).toBe(1);
  });

  it('bad tokens › UNAUTHENTICATED, without a part of the token in the error', async () => {
    await start();
    const none = new UnsecuredJWT({ sub: 'ada' })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setExpirationTime('1h')
      .encode();
    const good = await token();
    const shared = await new SignJWT({ sub: 'ada' })
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(JSON.stringify(publicKey)));
    const bad = {
      none,
      shared,
      forged: await token({ key: stranger }),
      'unknown key': await token({ key: stranger, kid: 'two' }),
      'cut signature': good.slice(0, -4),
      'no signature': good.slice(0, good.lastIndexOf('.') + 1),
      audience: await token({ audience: 'other' }),
      issuer: await token({ issuer: 'https://other.example' }),
      expired: await token({ expiresInMs: -SKEW_MS - 2000 }),
      'not yet': await token({ startsInMs: SKEW_MS + 5000 }),
      'no identity': await token({ more: { sub: '' } }),
      'a number as identity': await token({ more: { sub: 7 } }),
      'an identity with a space': await token({ more: { sub: 'a b' } }),
    };
    for (const [name, text] of Object.entries(bad)) {
      const { code, reason, message } = await refusal(list(text));
      expect([name, code, reason]).toEqual([name, 'UNAUTHENTICATED', 'CREDENTIALS_INVALID']);
      for (const part of text.split('.').filter((one) => one !== '')) expect(message).not.toContain(part);
    }
  });

  it('at the edges of the clock skew › admitted', async () => {
    await start();
    expect((await list(await token({ expiresInMs: -SKEW_MS + 10_000 }))).namespaces).toEqual([]);
    expect((await list(await token({ startsInMs: SKEW_MS - 10_000 }))).namespaces).toEqual([]);
  });

  it('the issuer does not answer › ISSUER_UNAVAILABLE at first, later the former keys', async () => {
    jwks = { keys: [] };
    isDown = true;
    mneme = await startTestServer({ jwtKeys: url, jwtIssuer: ISSUER, jwtAudience: AUDIENCE });
    expect(await refusal(list(await token()))).toMatchObject({ code: 'UNAVAILABLE', reason: 'ISSUER_UNAVAILABLE' });
    await mneme.stop();
    await start({ jwtKeysTtlMs: '1000' });
    isDown = true;
    expect((await list(await token())).namespaces).toEqual([]);
    expect((await list(await token({ expiresInMs: 50_000 }))).namespaces).toEqual([]);
  });

  it('a JWKS in a file, with the shared secret of another use in it › its public keys count', async () => {
    const path = join(folder, 'jwks.json');
    writeFileSync(path, JSON.stringify({ keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'secret' }, publicKey] }));
    await start({ jwtKeys: path });
    expect((await list(await token())).namespaces).toEqual([]);
  });

  it('a claim of namespaces › limits the token to them', async () => {
    const server = await start({ jwtNamespacesClaim: 'namespaces' });
    const watch = (text: string, namespace: string) =>
      new FollowedStream(
        server.recalls.watchMemories(
          WatchMemoriesRequest.fromPartial({ parent: `namespaces/${namespace}` }),
          bearing(text),
        ),
      );
    const limited = await token({ more: { namespaces: ['own'] } });
    const own = watch(limited, 'own');
    await own.until(({ event }) => event?.$case === 'created');
    own.cancel();
    const end = await watch(limited, 'other').outcome();
    expect(end === true ? 'OK' : refusalOf(end).reason).toBe('PERMISSION_MISSING');
    const { namespaces } = server;
    const create = CreateNamespaceRequest.fromPartial({ namespace: { name: 'namespaces/own' } });
    const made = ask(namespaces, namespaces.createNamespace, create, { metadata: bearing(limited) });
    expect(await refusal(made)).toMatchObject({ reason: 'PERMISSION_MISSING', metadata: { verb: 'admin' } });
    expect(await refusal(list(await token()))).toMatchObject({ reason: 'CREDENTIALS_INVALID' });
  });

  it('a token that expires › its streams end', async () => {
    const server = await start({ jwtClockSkewMs: '0' });
    const request = WatchMemoriesRequest.fromPartial({ parent: 'namespaces/own' });
    const stream = new FollowedStream(
      server.recalls.watchMemories(request, bearing(await token({ expiresInMs: 2500 }))),
    );
    const end = await stream.outcome();
    expect(end === true ? 'OK' : refusalOf(end)).toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});
