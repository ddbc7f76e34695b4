import { createHash, timingSafeEqual } from 'node:crypto';
import { MnemeError } from '../../memory/errors.ts';
import { parseNewJson } from '../../memory/json.ts';
import { IDENTITY, type Identified, type TokenVerifier } from '../../memory/principal.ts';

/** An API key as it is stored: without its secret. */
export interface ApiKey {
  /** Begins the key and is not secret: it names the key in logs. */
  readonly id: string;
  readonly identity: string;
  /** SHA-256 of the secret, in hexadecimal. */
  readonly hash: string;
  readonly createTime: string;
  /** Instant from which the key is not admitted; absent: it does not expire. */
  readonly expireTime?: string;
  readonly revokeTime?: string;
}

/** What a file of API keys may have at most. */
export const KEY_LIMITS = { keys: 10_000, bytes: 8_388_608 };

const KEY = /^(mnk_[a-z0-9]{10})_([\w-]{43})$/;
const ID = /^mnk_[a-z0-9]{10}$/;
const HASH = /^[0-9a-f]{64}$/;

/** Makes a key of random bytes: its public part, what is stored of its secret, and the text that its owner gets. */
export function makeKey(randomBytes: (count: number) => Buffer): { id: string; hash: string; text: string } {
  // 10 of 32 characters: 50 bits, so that ids do not meet; no secret.
  const id = `mnk_${[...randomBytes(10)].map((byte) => '0123456789abcdefghjkmnpqrstvwxyz'[byte % 32]).join('')}`;
  const secret = randomBytes(32).toString('base64url');
  return { id, hash: hashOf(secret).toString('hex'), text: `${id}_${secret}` };
}

/** Reads a file of keys; an empty text has none. Fails in one line that names the place and the problem. */
export function keysIn(text: string): ApiKey[] {
  if (Buffer.byteLength(text) > KEY_LIMITS.bytes) throw new Error(`has more than ${KEY_LIMITS.bytes} bytes`);
  if (text.trim() === '') return [];
  const { version, keys } = parseNewJson(text) as { version?: unknown; keys?: unknown };
  if (version !== 1) throw new Error(`version: must be 1, got ${JSON.stringify(version)}`);
  if (!Array.isArray(keys) || keys.length > KEY_LIMITS.keys) {
    throw new Error(`keys: must be a list of at most ${KEY_LIMITS.keys}`);
  }
  return keys.map((key: Partial<ApiKey>, at) => keyAt(`keys[${at}]`, key));
}

export function textOfKeys(keys: readonly ApiKey[]): string {
  return `${JSON.stringify({ version: 1, keys }, undefined, 2)}\n`;
}

/** API keys as bearer tokens. */
export class ApiKeys implements TokenVerifier {
  readonly proof = 'key';
  private readonly nowMs: () => number;
  private known: ReadonlyMap<string, ApiKey>;

  constructor(keys: readonly ApiKey[], nowMs: () => number) {
    this.nowMs = nowMs;
    this.known = byId(keys);
  }

  /** From now on these keys are admitted, and no others. */
  replace(keys: readonly ApiKey[]): void {
    this.known = byId(keys);
  }

  identify(token: string): Identified | undefined {
    const [, id, secret] = KEY.exec(token) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const key = this.known.get(id);
    const isRight = timingSafeEqual(hashOf(secret), Buffer.from(key?.hash ?? NO_HASH, 'hex'));
    if (!key || !isRight) return undefined;
    if (key.revokeTime !== undefined) throw new MnemeError('CREDENTIALS_INVALID', `the API key ${id} has been revoked`);
    const expiresAtMs = key.expireTime === undefined ? undefined : Date.parse(key.expireTime);
    if (expiresAtMs !== undefined && expiresAtMs <= this.nowMs()) {
      throw new MnemeError('CREDENTIALS_INVALID', `the API key ${id} expired at ${key.expireTime}`);
    }
    const { identity } = key;
    return { identity, proof: this.proof, credential: id, expiresAtMs };
  }

  admits(credential: string): boolean {
    const key = this.known.get(credential);
    if (!key || key.revokeTime !== undefined) return false;
    return key.expireTime === undefined || Date.parse(key.expireTime) > this.nowMs();
  }
}

const NO_HASH = '00'.repeat(32);

/** SHA-256 suffices: a secret has 256 random bits, so that no list of guesses contains it. */
function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function byId(keys: readonly ApiKey[]): ReadonlyMap<string, ApiKey> {
  return new Map(keys.map((key) => [key.id, key]));
}

function keyAt(at: string, key: Partial<ApiKey>): ApiKey {
  const { id, identity, hash, createTime, expireTime, revokeTime } = key;
  if (typeof id !== 'string' || !ID.test(id)) throw new Error(`${at}.id: must be mnk_ and 10 of [a-z0-9]`);
  if (typeof identity !== 'string' || !IDENTITY.test(identity)) throw new Error(`${at}.identity: is not a name`);
  if (typeof hash !== 'string' || !HASH.test(hash)) throw new Error(`${at}.hash: must be 64 hexadecimal digits`);
  const times = { createTime, expireTime, revokeTime };
  for (const [name, time] of Object.entries(times)) {
    if (time !== undefined && Number.isNaN(Date.parse(time))) throw new Error(`${at}.${name}: is not a time`);
  }
  return {
    id,
    identity,
    hash,
    createTime: createTime ?? '',
    expireTime,
    ...(revokeTime === undefined ? {} : { revokeTime }),
  };
}
