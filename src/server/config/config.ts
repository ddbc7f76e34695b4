import type * as z from '#zod';
import { nearestOf } from '../../memory/nearest-name.ts';
import { headersIn } from './otlp-headers.ts';
import { type About, about, isLoopback } from './setting.ts';
import { settings, subjects } from './settings.ts';

type Values = z.output<typeof settings>;

/** Name of a setting, such as `maxBatchSize`. */
export type SettingName = keyof Values;

export interface Config extends Values {
  /** Unusual but valid parts of the environment, for the log. */
  readonly warnings: readonly string[];
}

/** Invalid settings; each problem is one line that names a setting and the expected value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** A setting as help and the reference show it. */
export interface SettingHelp extends About {
  readonly name: string;
  /** `--max-batch-size`; a secret has a variable only, since lists of processes show flags. */
  readonly flag: string;
  readonly variable: string;
}

/** Every setting by subject, in the order of `serve --help`. */
export function settingsBySubject(): { heading: string; settings: SettingHelp[] }[] {
  return Object.entries(subjects).map(([heading, group]) => ({
    heading,
    settings: Object.entries<z.ZodMiniType>(group).map(([name, setting]) => helpOf(name, setting)),
  }));
}

function helpOf(name: string, setting: z.ZodMiniType): SettingHelp {
  const texts = about.get(setting);
  if (texts === undefined) throw new Error(`${name} says nothing about itself`);
  return { ...texts, name, flag: `--${kebab(name)}`, variable: variableOf(name) };
}

const ALL = settingsBySubject().flatMap((group) => group.settings);

const whole = settings.check(({ value, issues }) => {
  // A value that is wrong by itself is no basis for a second problem.
  if (issues.length > 0) return;
  for (const message of contradictions(value)) issues.push({ code: 'custom', message, input: value });
});

type Flags = Readonly<Record<string, string | boolean | undefined>>;
type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The only reader of the environment. Flags (by the setting's name, such as `maxBatchSize`) override the environment,
 * which overrides the defaults. Empty variables count as not set.
 */
export function configFrom({ flags = {}, env = process.env }: { flags?: Flags; env?: Variables } = {}): Config {
  const provided = new Map(ALL.map((setting) => [setting.name, setBy(setting, flags, env)]));
  const { data, error } = whole.safeParse(Object.fromEntries([...provided].map(([name, { text }]) => [name, text])));
  if (data !== undefined) return { ...data, warnings: unknownVariables(env) };
  const problems = error.issues.map(({ path: [name], message }) => provided.get(String(name))?.problem ?? message);
  throw new ConfigError([...new Set(problems)]);
}

function setBy({ name, flag, variable, expected, isSecret }: SettingHelp, flags: Flags, env: Variables) {
  const byFlag = isSecret ? undefined : flags[name]?.toString();
  const text = byFlag ?? (env[variable] || undefined);
  // Users put passwords into addresses even where these are not allowed.
  const shown = isSecret ? 'something else' : JSON.stringify(text ?? '').replace(/\/\/[^/@]*@/, '//***@');
  return { text, problem: `${byFlag === undefined ? variable : flag}: expected ${expected}, got ${shown}` };
}

/** The settings that are limits, by their names in the API, such as `max_batch_size`. */
export function limitsOf(config: Config): { name: string; value: number }[] {
  return Object.entries(config).flatMap(([name, value]) =>
    (name.startsWith('max') || name.endsWith('Max')) && typeof value === 'number'
      ? [{ name: kebab(name).replaceAll('-', '_'), value }]
      : [],
  );
}

/** Owner and name, or a name alone; never a path that leads elsewhere. */
const HUB_NAME = /^(?:[\w-][\w.-]*\/)?[\w-][\w.-]*$/;

/** Problems of settings that are right each on its own. */
function contradictions(values: Values): string[] {
  const problems: string[] = [];
  if ((values.tlsCert === '') !== (values.tlsKey === '')) {
    problems.push('--tls-cert and --tls-key: expected both or neither');
  }
  if (values.tlsClientCa !== '' && values.tlsCert === '') {
    problems.push('--tls-client-ca: requires --tls-cert and --tls-key');
  }
  if (values.embedder === 'http' && values.embedderUrl === '') {
    problems.push('--embedder-url: expected a URL because the embedder is http, got ""');
  }
  if ((values.embedder === 'http' || values.embedder === 'transformers') && values.embedderModel === '') {
    problems.push(`--embedder-model: expected a name because the embedder is ${values.embedder}, got ""`);
  } else if (values.embedder === 'transformers' && values.embedderPath === '' && !HUB_NAME.test(values.embedderModel)) {
    const got = JSON.stringify(values.embedderModel);
    problems.push(`--embedder-model: expected a name of the hub, such as Xenova/all-MiniLM-L6-v2, got ${got}`);
  }
  if (values.extractor === 'model' && values.extractorUrl === '') {
    problems.push('--extractor-url: expected a URL because the extractor is model, got ""');
  }
  if (values.extractorUrl !== '' && values.extractorModel === '') {
    problems.push('--extractor-model: expected a name because there is an extractor URL, got ""');
  }
  if (values.upperTiers === 'redis' && (values.postgresUrl === '' || values.redisUrl.length === 0)) {
    problems.push(
      '--upper-tiers: expected postgres without MNEME_POSTGRES_URL and MNEME_REDIS_URL (docs/postgres.md), got "redis"',
    );
  }
  if (values.postgresUrl !== '' && values.sessionsWhenLost !== 'fail') {
    problems.push(
      `--sessions-when-lost: expected fail because of MNEME_POSTGRES_URL, with which the data folder may be deleted, got "${values.sessionsWhenLost}"`,
    );
  }
  if (values.postgresTlsCa !== '' && !/sslmode=(?:require|verify)/.test(values.postgresUrl)) {
    problems.push('--postgres-tls-ca: requires MNEME_POSTGRES_URL with sslmode=verify-full, verify-ca or require');
  }
  if (values.defaultDeadlineMs > values.maxDeadlineMs) {
    const limit = `--max-deadline-ms (${values.maxDeadlineMs})`;
    problems.push(`--default-deadline-ms: expected at most ${limit}, got "${values.defaultDeadlineMs}"`);
  }
  problems.push(...identityProblems(values));
  const guarded = values.tlsCert !== '' && (values.tlsClientCa !== '' || hasBearers(values));
  if (!isLoopback(values.listen) && !guarded && !values.allowInsecure) {
    problems.push(
      `--listen ${values.listen}: expected TLS (--tls-cert, --tls-key) and credentials (--auth-tokens-file, ` +
        '--api-keys-file, --jwt-keys or --tls-client-ca) beyond loopback; --allow-insecure listens without',
    );
  }
  if (values.requiredHookTokensFile !== '' && !hasTokens(values)) {
    problems.push('--required-hook-tokens-file: requires --auth-tokens-file or MNEME_AUTH_TOKENS');
  }
  problems.push(...metricsProblems(values));
  return problems;
}

function metricsProblems(values: Values): string[] {
  const problems: string[] = [];
  const { metricsListen, metricsTlsCert, metricsTlsKey, metricsTokenFile } = values;
  if ((metricsTlsCert === '') !== (metricsTlsKey === '')) {
    problems.push('--metrics-tls-cert and --metrics-tls-key: expected both or neither');
  }
  if (metricsListen === '' && metricsTlsCert + metricsTokenFile !== '') {
    problems.push('--metrics-tls-cert and --metrics-token-file: require --metrics-listen');
  }
  const isGuarded = metricsTlsCert !== '' && metricsTokenFile !== '';
  const isExposed = metricsListen !== '' && !isLoopback(metricsListen);
  if (isExposed && !isGuarded && !values.allowInsecureMetrics && !values.allowInsecure) {
    problems.push(
      `--metrics-listen ${metricsListen}: expected TLS (--metrics-tls-cert, --metrics-tls-key) and --metrics-token-file ` +
        'beyond loopback; --allow-insecure-metrics listens without',
    );
  }
  if (headersIn(values.otlpHeaders) === undefined) {
    problems.push('MNEME_OTLP_HEADERS: expected name=value, or several separated by commas');
  }
  return problems;
}

const ALGORITHM = /^(?:RS256|RS384|RS512|PS256|PS384|PS512|ES256|ES384|ES512|EdDSA)$/;

function identityProblems(values: Values): string[] {
  const problems: string[] = [];
  if (values.tlsClientIdentities && values.tlsClientCa === '') {
    problems.push('--tls-client-identities: requires --tls-client-ca');
  }
  const { jwtKeys } = values;
  if (jwtKeys !== '' && (values.jwtIssuer === '' || values.jwtAudience === '')) {
    problems.push('--jwt-keys: requires --jwt-issuer and --jwt-audience');
  }
  if (jwtKeys === '' && values.jwtIssuer + values.jwtAudience + values.jwtNamespacesClaim !== '') {
    problems.push('--jwt-issuer, --jwt-audience and --jwt-namespaces-claim: require --jwt-keys');
  }
  if (/^http:/.test(jwtKeys) && !isLoopback(`${URL.parse(jwtKeys)?.hostname ?? ''}:0`)) {
    problems.push(`--jwt-keys: expected https beyond loopback, got ${JSON.stringify(jwtKeys)}`);
  }
  const other = values.jwtAlgorithms.split(',').find((name) => !ALGORITHM.test(name.trim()));
  if (other !== undefined) {
    const known = 'RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512 or EdDSA';
    problems.push(`--jwt-algorithms: expected ${known}, got ${JSON.stringify(other)}`);
  }
  return problems;
}

/** Whether callers have to send a bearer token of some kind. */
export function hasBearers(values: Values): boolean {
  return hasTokens(values) || values.apiKeysFile !== '' || values.jwtKeys !== '';
}

function hasTokens(values: Values): boolean {
  return values.authTokens !== '' || values.authTokensFile !== '';
}

/** Variables of the clients, and those that Kubernetes sets for a service called mneme. */
const FOREIGN = /^MNEME_(?:SERVER|NAMESPACE|TOKEN|AS|TIMEOUT|TEST_\w+|SERVICE_\w+|PORT(?:_\w+)?)$/;

function unknownVariables(env: Variables): string[] {
  const known = ALL.map(({ variable }) => variable);
  return Object.keys(env)
    .filter((name) => name.startsWith('MNEME_') && !known.includes(name) && !FOREIGN.test(name))
    .map((name) => `${name} is not a setting${nearestOf(name, known, (nearest) => `; did you mean ${nearest}?`)}`);
}

function variableOf(name: string): string {
  return `MNEME_${kebab(name).replaceAll('-', '_').toUpperCase()}`;
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
