import { readFileSync } from 'node:fs';
import type { Clock } from '../../memory/clock.ts';
import type { Grant, TokenVerifier } from '../../memory/principal.ts';
import { type Access, GRANTS_NEED_IDENTITIES, tokensIn } from '../config/access.ts';
import type { Config } from '../config/config.ts';
import { Authority } from '../grpc/edge/authority.ts';
import { BearerTokens, credentialOf } from '../grpc/edge/credentials.ts';
import { Edge } from '../grpc/edge/edge.ts';
import type { Quotas } from '../identity/quotas.ts';
import { type FollowedFile, fileJob, tokenJob, WatchedTokens } from '../jobs/file-job.ts';
import { RepeatingJob } from '../jobs/repeating-job.ts';
import type { Logger } from '../logger.ts';

/** Calls whose credential has expired, or has been revoked in a file, end within this time. */
const RENEWAL_MS = 500;

type Closers = (() => Promise<void>)[];

/**
 * The edge of the server with the identities that it admits and their rights. Files of tokens, keys and the policy are
 * followed until the server closes. What no setting asks for is not loaded.
 */
export async function openEdge(
  config: Config,
  access: Access,
  { logger, clock, closers }: { readonly logger: Logger; readonly clock: Clock; readonly closers: Closers },
): Promise<OpenedEdge> {
  const limits = { limits: config, logger: logger.child({ part: 'grpc' }) };
  const follower = new Follower(logger.child({ part: 'access' }));
  const nowMs = () => clock.nowUs() / 1000;
  const identities = await openIdentities(config, access, follower, nowMs);
  const { policyFile, jwtNamespacesClaim } = config;
  const { grantsOf, quotas } = policyFile === '' ? {} : await openPolicy(policyFile, follower);
  if (grantsOf && !identities) throw new Error(GRANTS_NEED_IDENTITIES);
  const credentials = identities && new Authority({ ...identities, grantsOf, nowMs });
  const isLimited = grantsOf !== undefined || jwtNamespacesClaim !== '';
  const rules = isLimited ? { access: (await import('../grpc/edge/permissions.ts')).permissions } : {};
  const edge = new Edge({ ...limits, credentials, ...rules, quotas });
  edge.createsNamespaces = config.autoCreateNamespaces;
  if (quotas) quotas.onExceeded = (...refusal) => edge.meter?.quotaExceeded(...refusal);
  closers.push(...follower.start(edge, config.authTokensIntervalMs));
  return { edge, quotas };
}

interface OpenedEdge {
  readonly edge: Edge;
  /** Absent without a policy. */
  readonly quotas: Quotas | undefined;
}

/** Jobs that keep what admits callers up to date. */
class Follower {
  readonly logger: Logger;
  readonly files: FollowedFile[] = [];
  tokens: { readonly path: string; readonly watched: WatchedTokens; readonly known: BearerTokens } | undefined;
  /** Whether credentials can become invalid without a change of a file. */
  hasExpiry = false;

  constructor(logger: Logger) {
    this.logger = logger;
  }

  start(edge: Edge, intervalMs: number): Closers {
    const lookMs = Math.min(intervalMs, RENEWAL_MS);
    const jobs = this.files.map((file) => fileJob(file, lookMs, this.logger));
    for (const job of jobs) job.start(lookMs);
    if (this.tokens) {
      const { path, watched, known } = this.tokens;
      const replace = (changed: readonly string[]): void => {
        known.replace(changed);
        edge.renewCalls();
      };
      const job = tokenJob({ path, tokens: watched, replace }, intervalMs, this.logger);
      job.start(intervalMs);
      jobs.push(job);
    }
    if (this.hasExpiry || this.files.length > 0) {
      const renewal = new RepeatingJob(() => {
        edge.renewCalls();
        return Promise.resolve(RENEWAL_MS / 2);
      });
      renewal.start(RENEWAL_MS);
      jobs.push(renewal);
    }
    return jobs.map((job) => () => job.stop());
  }
}

/** How callers prove their identities; `undefined` where none need to. */
async function openIdentities(
  config: Config,
  { tokens }: Access,
  follower: Follower,
  nowMs: () => number,
): Promise<Pick<ConstructorParameters<typeof Authority>[0], 'verifiers' | 'certified'> | undefined> {
  const { authTokensFile, authTokens, apiKeysFile, jwtKeys, tlsClientIdentities } = config;
  const verifiers: TokenVerifier[] = [];
  if (tokens.length > 0) {
    const known = new BearerTokens(tokens);
    verifiers.push(known);
    const watched = new WatchedTokens(tokens, (text) => tokensIn(authTokens, text));
    if (authTokensFile !== '') follower.tokens = { path: authTokensFile, watched, known };
  }
  if (apiKeysFile !== '') verifiers.push(await openKeys(apiKeysFile, follower, nowMs));
  if (jwtKeys !== '') verifiers.push(await openJwt(config, follower, nowMs));
  if (verifiers.length === 0 && !tlsClientIdentities) return undefined;
  if (!tlsClientIdentities) return { verifiers };
  follower.hasExpiry = true;
  return { verifiers, certified: (await import('../identity/certificate-identity.ts')).certificateIdentity };
}

async function openKeys(path: string, follower: Follower, nowMs: () => number): Promise<TokenVerifier> {
  const [{ ApiKeys, keysIn }, { readKeyFile }] = await Promise.all([
    import('../identity/api-keys.ts'),
    import('../identity/key-file.ts'),
  ]);
  const keys = settingOf('--api-keys-file', () => readKeyFile(path));
  if (keys.length === 0) follower.logger.warn({ path }, 'there are no API keys yet: "mneme keys create" makes one');
  const known = new ApiKeys(keys, nowMs);
  let count = keys.length;
  const replace = (text: string): void => {
    // A file without any text is one that is being written: a command that removes all keys leaves an empty list.
    if (text.trim() === '' && count > 0) throw new Error('it is empty');
    const changed = keysIn(text);
    count = changed.length;
    known.replace(changed);
  };
  follower.files.push({ path, what: 'API keys', look: onChange(replace) });
  return known;
}

async function openJwt(config: Config, follower: Follower, nowMs: () => number): Promise<TokenVerifier> {
  const { JwtVerifier } = await import('../identity/jwt.ts');
  const { jwtKeys, jwtKeysTtlMs, jwtTimeoutMs, jwtNamespacesClaim } = config;
  const settings = {
    keys: { source: jwtKeys, ttlMs: jwtKeysTtlMs, timeoutMs: jwtTimeoutMs },
    issuer: config.jwtIssuer,
    audience: config.jwtAudience,
    algorithms: config.jwtAlgorithms.split(',').map((name) => name.trim()),
    clockSkewMs: config.jwtClockSkewMs,
    identityClaim: config.jwtIdentityClaim,
    ...(jwtNamespacesClaim === '' ? {} : { namespacesClaim: jwtNamespacesClaim }),
  };
  const verifier = new JwtVerifier(settings, follower.logger, nowMs);
  await verifier.prepare();
  follower.hasExpiry = true;
  return verifier;
}

async function openPolicy(path: string, { files, logger }: Follower): Promise<OpenedPolicy> {
  const [{ Grants, policyIn }, { Quotas: QuotasOfRules }, { verbOf }] = await Promise.all([
    import('../identity/policy.ts'),
    import('../identity/quotas.ts'),
    import('../grpc/edge/permissions.ts'),
  ]);
  const policy = settingOf('--policy-file', () => policyIn(readFileSync(path, 'utf8')));
  const grants = new Grants(policy);
  const quotas = new QuotasOfRules(policy.limits, { verbOf });
  const replace = (text: string): void => {
    const changed = policyIn(text);
    // Without grants every identity may do everything: a file that loses them must not open the server.
    if ((changed.grants === undefined) !== (policy.grants === undefined)) {
      throw new Error('the policy at identities: they can be added or taken out by a restart only');
    }
    grants.replace(changed);
    quotas.replace(changed.limits);
    logger.info({ path }, 'the policy has been read');
  };
  files.push({ path, what: 'grants and limits', look: onChange(replace) });
  return { grantsOf: policy.grants && grants.of, quotas };
}

interface OpenedPolicy {
  /** Absent where every identity may do everything. */
  readonly grantsOf?: (identity: string) => readonly Grant[];
  readonly quotas?: Quotas;
}

/** Passes a text on when it is another one than at the look before. */
function onChange(use: (text: string) => void): (text: string) => void {
  let last: string | undefined;
  return (text) => {
    if (text === last) return;
    use(text);
    last = text;
  };
}

function settingOf<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new Error(`${flag}: ${(cause as Error).message}`, { cause });
  }
}

/** Whether a caller may register required hooks. */
export function requiredHookRule({ requiredHookTokens }: Access): (caller: string) => boolean {
  if (!requiredHookTokens) return () => true;
  const callers = new Set(requiredHookTokens.map(credentialOf));
  return (caller) => callers.has(caller);
}
