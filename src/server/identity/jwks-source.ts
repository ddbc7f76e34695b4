import { readFile } from 'node:fs/promises';
import type { JSONWebKeySet, LocalJWKSet } from 'jose';
import { MnemeError } from '../../memory/errors.ts';
import type { Logger } from '../logger.ts';

export interface JwksSettings {
  /** A path, or an address that begins with http. */
  readonly source: string;
  /** Time after which the keys are read again. */
  readonly ttlMs: number;
  readonly timeoutMs: number;
}

interface JwksDeps {
  /** Makes a set of keys usable; fails on one that is malformed. */
  readonly usable: (keys: JSONWebKeySet) => LocalJWKSet;
  readonly logger: Logger;
  readonly nowMs: () => number;
}

/** Time between two reads of the keys, however many tokens name unknown keys. */
const PAUSE_MS = 10_000;
const BYTES_MAX = 1_048_576;
const KEYS_MAX = 100;

/**
 * The public keys of an issuer, read again when they are old or a token names an unknown one. While they cannot be read,
 * the former ones are used.
 */
export class JwksSource {
  private readonly settings: JwksSettings;
  private readonly deps: JwksDeps;
  private keys: LocalJWKSet | undefined;
  private triedAtMs = Number.NEGATIVE_INFINITY;
  private freshUntilMs = Number.NEGATIVE_INFINITY;
  private readAtMs = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | undefined;

  constructor(settings: JwksSettings, deps: JwksDeps) {
    this.settings = settings;
    this.deps = deps;
  }

  /** The keys, while they are not old. */
  get fresh(): LocalJWKSet | undefined {
    return this.deps.nowMs() < this.freshUntilMs ? this.keys : undefined;
  }

  /**
   * Keys older than their time to live are used while the JWKS is read again; keys older than twice that time only where it
   * cannot be read. Fails with ISSUER_UNAVAILABLE before the keys were read once.
   */
  async current(): Promise<LocalJWKSet> {
    const refreshed = this.fresh ? undefined : this.refresh();
    if (!this.keys || this.deps.nowMs() >= this.readAtMs + 2 * this.settings.ttlMs) await refreshed;
    if (!this.keys)
      throw new MnemeError('ISSUER_UNAVAILABLE', 'the keys of the issuer of bearer tokens cannot be read');
    return this.keys;
  }

  /** Reads the keys again, unless that was tried just now; false where it was. */
  async refresh(): Promise<boolean> {
    if (!this.reading && this.deps.nowMs() - this.triedAtMs < PAUSE_MS) return false;
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    await this.reading;
    return true;
  }

  private async read(): Promise<void> {
    const { source } = this.settings;
    this.triedAtMs = this.deps.nowMs();
    this.freshUntilMs = this.triedAtMs + PAUSE_MS;
    try {
      const text = /^https?:/.test(source) ? await this.fetched(source) : await readFile(source, 'utf8');
      this.keys = this.deps.usable(publicKeysIn(text));
      this.readAtMs = this.triedAtMs;
      this.freshUntilMs = this.triedAtMs + this.settings.ttlMs;
    } catch (error) {
      const kept = this.keys ? 'the former ones are used' : 'no JWT is admitted';
      this.deps.logger.error({ err: error, source }, `the keys of JWT cannot be read: ${kept}`);
    }
  }

  private async fetched(url: string): Promise<string> {
    const signal = AbortSignal.timeout(this.settings.timeoutMs);
    const answer = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } });
    if (!answer.ok || !answer.body) throw new Error(`the answer has status ${answer.status}`);
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of answer.body as AsyncIterable<Uint8Array>) {
      bytes += part.byteLength;
      if (bytes > BYTES_MAX) throw new Error(`the answer has more than ${BYTES_MAX} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts).toString('utf8');
  }
}

/** The keys of a JWKS that verify signatures; shared secrets are none. */
function publicKeysIn(text: string): JSONWebKeySet {
  const { keys } = JSON.parse(text) as Partial<JSONWebKeySet>;
  if (!Array.isArray(keys) || keys.length > KEYS_MAX) throw new Error(`a JWKS has a list of at most ${KEYS_MAX} keys`);
  return { keys: keys.filter(({ kty }) => kty === 'RSA' || kty === 'EC' || kty === 'OKP') };
}
