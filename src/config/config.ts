import { nearestOf } from '../memory/nearest-name.ts';
import { isLoopback, type Kind, type Setting } from './setting.ts';
import { settingGroups } from './setting-groups.ts';
import { settings } from './settings.ts';

type Settings = typeof settings;
type SettingName = keyof Settings;
type Values = { readonly [K in SettingName]: Settings[K] extends Setting<infer T> ? T : never };

export interface Config extends Values {
  /** What is odd about the environment without being wrong, for the log. */
  readonly warnings: readonly string[];
}

/** The settings do not make a server; each problem is one line that names a setting and says what was expected. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** A setting as help shows it. */
export interface SettingHelp {
  readonly name: SettingName;
  /** How it is given on the command line, in the notation of commander. */
  readonly flags: string;
  /** Given by its variable only, since process lists show flags. */
  readonly isSecret: boolean;
  readonly variable: string;
  /** With its choices and its default. */
  readonly description: string;
}

const names = Object.keys(settings) as SettingName[];

/** Every setting by subject, in the order of `serve --help`. */
export function settingsBySubject(): { heading: string; settings: SettingHelp[] }[] {
  const grouped = new Set(settingGroups.flatMap(([, group]) => group));
  const rest = names.filter((name) => !grouped.has(name));
  const groups = rest.length === 0 ? settingGroups : [...settingGroups, ['Other settings:', rest] as const];
  return groups.map(([heading, group]) => ({ heading, settings: group.map(helpOf) }));
}

function helpOf(name: SettingName): SettingHelp {
  const { secret, placeholder, description, fallback, choices }: Setting<unknown> = settings[name];
  const values = choices === undefined ? '' : `: ${choices.join(', ')}`;
  return {
    name,
    flags: `--${kebab(name)} ${placeholder}`,
    isSecret: secret,
    variable: variableOf(name),
    description: `${description}${values}${fallback === '' ? '' : ` (${fallback})`}`,
  };
}

/**
 * The only reader of the environment. Flags (by the setting's name, such as `maxBatchSize`) win over the environment, which wins over the defaults. Empty
 * variables count as not set.
 */
export function configFrom({
  flags = {},
  env = process.env,
}: {
  flags?: Readonly<Record<string, string | boolean | undefined>>;
  env?: Readonly<Record<string, string | undefined>>;
} = {}): Config {
  const given = names.map((name) => {
    const flag = settings[name].secret ? undefined : flags[name];
    if (flag !== undefined) return { name, label: `--${kebab(name)}`, raw: String(flag) };
    return { name, label: variableOf(name), raw: env[variableOf(name)] || settings[name].fallback };
  });
  const read = given.map((setting) => ({
    ...setting,
    value: (settings[setting.name] as Kind<unknown>).read(setting.raw),
  }));
  const wrong = read.filter(({ value }) => value === undefined);
  if (wrong.length > 0) throw new ConfigError(wrong.map(describeProblem));
  const values = Object.fromEntries(read.map(({ name, value }) => [name, value])) as unknown as Values;
  const problems = contradictions(values);
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...values, warnings: unknownVariables(env) };
}

/** The settings that limit something, by the names that callers know them by, such as `max_batch_size`. */
export function limitsOf(config: Config): { name: string; value: number }[] {
  return names.flatMap((name) => {
    const value = config[name];
    if (!name.startsWith('max') || typeof value !== 'number') return [];
    return [{ name: kebab(name).replaceAll('-', '_'), value }];
  });
}

function describeProblem({ name, label, raw }: { name: SettingName; label: string; raw: string }): string {
  const kind: Kind<unknown> = settings[name];
  // Passwords are given in addresses even where they must not be.
  const shown = JSON.stringify(raw).replace(/\/\/[^/@]*@/, '//***@');
  return `${label}: expected ${kind.expected}, got ${settings[name].secret ? 'something else' : shown}`;
}

/** Owner and name, or a name alone; never a path that leads elsewhere. */
const HUB_NAME = /^(?:[\w-][\w.-]*\/)?[\w-][\w.-]*$/;

/** What no single setting is wrong about. */
function contradictions(values: Values): string[] {
  const problems: string[] = [];
  if ((values.tlsCert === '') !== (values.tlsKey === '')) {
    problems.push('--tls-cert and --tls-key: expected both or neither');
  }
  if (values.tlsClientCa !== '' && values.tlsCert === '') {
    problems.push('--tls-client-ca: expected --tls-cert and --tls-key beside it');
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
  if (values.defaultDeadlineMs > values.maxDeadlineMs) {
    const limit = `--max-deadline-ms (${values.maxDeadlineMs})`;
    problems.push(`--default-deadline-ms: expected at most ${limit}, got "${values.defaultDeadlineMs}"`);
  }
  const guarded = values.tlsCert !== '' && (values.tlsClientCa !== '' || hasTokens(values));
  if (!isLoopback(values.listen) && !guarded && !values.allowInsecure) {
    problems.push(
      `--listen ${values.listen}: expected TLS (--tls-cert, --tls-key) and credentials (--auth-tokens-file or ` +
        '--tls-client-ca) beyond loopback; --allow-insecure listens without',
    );
  }
  return problems;
}

function hasTokens(values: Values): boolean {
  return values.authTokens !== '' || values.authTokensFile !== '';
}

/** Variables of the clients, and those that Kubernetes sets for a service called mneme. */
const FOREIGN = /^MNEME_(?:SERVER|NAMESPACE|TOKEN|AS|MCP_TOKEN|TEST_\w+|SERVICE_\w+|PORT(?:_\w+)?)$/;

function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = names.map(variableOf);
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
