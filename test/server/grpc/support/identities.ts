import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Metadata } from '@grpc/grpc-js';
import { type ApiKey, makeKey, textOfKeys } from '../../../../src/server/identity/api-keys.ts';

/** Files of API keys and grants in a folder of their own. */
export class Identities {
  readonly folder = mkdtempSync(join(tmpdir(), 'mneme-identities-'));
  readonly apiKeysFile = join(this.folder, 'keys.json');
  readonly policyFile = join(this.folder, 'policy.json');
  private readonly keys: ApiKey[] = [];
  private readonly texts = new Map<string, string>();

  /** Makes a key for each identity, and grants what the policy says. */
  constructor(policy: Readonly<Record<string, readonly object[]>>, limits: object = {}) {
    for (const identity of Object.keys(policy)) this.addKey(identity);
    this.grant(policy, limits);
  }

  /** Flags of a server that admits these identities. */
  get flags(): { apiKeysFile: string; policyFile: string; authTokensIntervalMs: string } {
    return { apiKeysFile: this.apiKeysFile, policyFile: this.policyFile, authTokensIntervalMs: '100' };
  }

  grant(policy: Readonly<Record<string, readonly object[]>>, limits: object = {}): void {
    writeFileSync(this.policyFile, JSON.stringify({ identities: policy, limits }));
  }

  addKey(identity: string, fields: Partial<ApiKey> = {}): string {
    const { id, hash, text } = makeKey(randomBytes);
    this.keys.push({ id, identity, hash, createTime: new Date().toISOString(), ...fields });
    this.texts.set(identity, text);
    this.save();
    return text;
  }

  revoke(identity: string): void {
    for (const [at, key] of this.keys.entries()) {
      if (key.identity === identity) this.keys[at] = { ...key, revokeTime: new Date().toISOString() };
    }
    this.save();
  }

  keyOf(identity: string): string {
    const text = this.texts.get(identity);
    if (text === undefined) throw new Error(`${identity} has no key`);
    return text;
  }

  /** Headers of a call of the identity; `scope` as in the header `mneme-scope`. */
  headers(identity: string, scope?: string): Metadata {
    return bearing(this.keyOf(identity), scope);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private save(): void {
    writeFileSync(this.apiKeysFile, textOfKeys(this.keys));
  }
}

export function bearing(token: string, scope?: string): Metadata {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  if (scope !== undefined) metadata.set('mneme-scope', scope);
  return metadata;
}
