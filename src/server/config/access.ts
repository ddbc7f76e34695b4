import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

/** Authentication of connections and calls. */
export interface Access {
  /** Contents of PEM files; absent without TLS. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer; readonly clientCa?: Buffer };
  /** Bearer tokens, of which every call needs one; none: none is needed. */
  readonly tokens: readonly string[];
  /** Tokens whose callers may register required hooks; absent: all callers may. */
  readonly requiredHookTokens?: readonly string[];
}

export interface AccessSettings {
  readonly tlsCert: string;
  readonly tlsKey: string;
  readonly tlsClientCa: string;
  readonly authTokensFile: string;
  readonly authTokens: string;
  readonly requiredHookTokensFile: string;
  readonly jwtKeys: string;
}

/** The fault of a policy with grants where no setting lets callers prove their identities. */
export const GRANTS_NEED_IDENTITIES =
  '--policy-file: grants require identities, by --api-keys-file, --jwt-keys, --auth-tokens-file or --tls-client-identities';

/** Reads the files that the settings name; fails in one line that names the setting. */
export function readAccess(settings: AccessSettings): Access {
  const { requiredHookTokensFile: path } = settings;
  checkJwtKeys(settings.jwtKeys);
  const access = readConnectionAccess(settings);
  if (path === '') return access;
  return { ...access, requiredHookTokens: tokensOfFile('--required-hook-tokens-file', path) };
}

function readConnectionAccess(settings: AccessSettings): Access {
  const tokens = tokensOf(settings);
  const tls = readTls(settings);
  return tls ? { tls, tokens } : { tokens };
}

/** Reads the files of certificates and checks that they can be used; `undefined` without TLS. Fails in one line. */
export function readTls({ tlsCert, tlsKey, tlsClientCa }: AccessSettings): Access['tls'] {
  if (tlsCert === '') return undefined;
  const cert = fileOf('--tls-cert', tlsCert);
  const key = fileOf('--tls-key', tlsKey);
  checkPem('--tls-cert and --tls-key', { cert, key });
  if (tlsClientCa === '') return { cert, key };
  const clientCa = fileOf('--tls-client-ca', tlsClientCa);
  checkPem('--tls-client-ca', { ca: clientCa });
  if (!clientCa.includes('-----BEGIN CERTIFICATE-----'))
    throw new Error(`--tls-client-ca: ${tlsClientCa} has no certificate`);
  return { cert, key, clientCa };
}

function tokensOf({ authTokensFile, authTokens }: AccessSettings): string[] {
  const tokens = tokensOfFile('--auth-tokens-file', authTokensFile, authTokens);
  if (tokens.length === 0 && authTokensFile + authTokens !== '') {
    throw new Error('--auth-tokens-file or MNEME_AUTH_TOKENS: expected at least one token');
  }
  return tokens;
}

/** What callers can send in a header. */
const TOKEN = /^[\x21-\x7e]{1,4096}$/;

/** The tokens of the variable, separated by commas, and of the file, one a line. Fails on what is no token. */
export function tokensIn(listed: string, filed: string): string[] {
  const parts = [...listed.split(','), ...filed.split('\n')];
  const tokens = parts.map((token) => token.trim()).filter((token) => token !== '');
  if (!tokens.every((token) => TOKEN.test(token))) {
    throw new Error('expected tokens of 1 to 4,096 printable ASCII characters without spaces, one a line of the file');
  }
  return tokens;
}

/** Fails where the JWKS is in a file that cannot be used; one at an address may be there later. */
function checkJwtKeys(path: string): void {
  if (path === '' || /^https?:/.test(path)) return;
  const text = fileOf('--jwt-keys', path).toString();
  try {
    const { keys } = JSON.parse(text) as { readonly keys?: unknown };
    if (Array.isArray(keys)) return;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Error(`--jwt-keys: ${path} is no JWKS: expected a JSON object with the list "keys"`);
}

/** Reads the tokens of a file that a setting names; fails in one line that names the flag. */
export function tokensOfFile(flag: string, path: string, listed = ''): string[] {
  const filed = path === '' ? '' : fileOf(flag, path).toString();
  try {
    return tokensIn(listed, filed);
  } catch (cause) {
    throw new Error(`${flag}: ${(cause as Error).message}`, { cause });
  }
}

/** Contents of a file that a setting names; fails in one line that names the flag. */
export function fileOf(flag: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new Error(`${flag}: ${path} cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause });
  }
}

/** Fails where they cannot be used for TLS. */
export function checkPem(flags: string, pem: { cert?: Buffer; key?: Buffer; ca?: Buffer }): void {
  try {
    createSecureContext(pem);
  } catch (cause) {
    throw new Error(`${flags}: not usable PEM files (${(cause as Error).message})`, { cause });
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Instant at which the first certificate of a PEM file expires; `Infinity` without a certificate. */
export function certificateEndMs(pem: Buffer): number {
  return Math.min(...endsOf(pem));
}

/** Instant at which the certificate itself expires, whatever follows it in its chain; `Infinity` without a certificate. */
export function ownCertificateEndMs(pem: Buffer): number {
  return endsOf(pem)[0] ?? Number.POSITIVE_INFINITY;
}

function endsOf(pem: Buffer): number[] {
  const certificates = pem.toString('latin1').match(CERTIFICATE) ?? [];
  return certificates.map((each) => Date.parse(new X509Certificate(each).validTo));
}
