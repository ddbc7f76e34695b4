import * as z from '#zod';

export type Unit = 'ms' | 'bytes' | '%' | '';

/** Texts of a setting for help, reference and errors. */
export interface About {
  readonly description: string;
  /** As text; empty: not set. */
  readonly fallback: string;
  /** Ends the sentence "expected …"; names the limits. */
  readonly expected: string;
  /** Placeholder of the value in help, such as `<number>`. */
  readonly placeholder: string;
  /** Of numbers. */
  readonly unit?: Unit;
  readonly range?: readonly [min: number, max: number];
  /** The accepted values, when they are few. */
  readonly choices?: readonly string[];
  /** Read from the environment only, and never shown. */
  readonly isSecret?: boolean;
}

/** By the schema of the setting. */
export const about = z.registry<About>();

/** Parses the texts of flags and variables; the default is used unparsed. */
function setting<T>(kind: z.ZodMiniType<T, string>, texts: About) {
  return z.prefault(kind, texts.fallback).register(about, texts);
}

const ANY = z.string();
const NOT_EMPTY = z.string().check(z.minLength(1));
const DIGITS = z.pipe(z.string().check(z.regex(/^\d{1,15}$/)), z.transform(Number));
const TRUE_OR_FALSE = z.pipe(
  z.enum(['true', 'false']),
  z.transform((text) => text === 'true'),
);

type Shown = Partial<Pick<About, 'expected' | 'placeholder' | 'isSecret'>>;
const PATH = { expected: 'a path', placeholder: '<path>' };

export function text(fallback: string, description: string, shown: Shown = {}) {
  return setting(NOT_EMPTY, { fallback, description, expected: 'a name', placeholder: '<text>', ...shown });
}

export function path(fallback: string, description: string) {
  return text(fallback, description, PATH);
}

export function optionalText(description: string, shown: Shown = {}) {
  return setting(ANY, { fallback: '', description, expected: 'a name', placeholder: '<text>', ...shown });
}

export function optionalPath(description: string) {
  return optionalText(description, PATH);
}

const NUMBERS = {
  ms: 'a whole number of milliseconds',
  bytes: 'a whole number of bytes',
  '%': 'a percentage',
  '': 'a whole number',
};

function number(unit: Unit) {
  return (min: number, max: number, fallback: number, description: string) => {
    return setting(z.pipe(DIGITS, z.number().check(z.gte(min), z.lte(max))), {
      fallback: String(fallback),
      description,
      expected: `${NUMBERS[unit]} from ${min} to ${max}`,
      placeholder: '<number>',
      unit,
      range: [min, max],
    });
  };
}

export const count = number('');
export const bytes = number('bytes');
export const ms = number('ms');
export const percent = number('%');

export function choice<const T extends string>(choices: readonly T[], fallback: T, description: string) {
  const expected = `one of ${choices.join(', ')}`;
  return setting(z.pipe(ANY, z.enum(choices)), { fallback, description, expected, placeholder: '<word>', choices });
}

export function yesOrNo(fallback: boolean, description: string) {
  return setting(TRUE_OR_FALSE, {
    fallback: String(fallback),
    description,
    expected: 'true or false',
    placeholder: '[true|false]',
  });
}

/** `host:port`, `[address]:port` or `unix:path`. */
export function address(fallback: string, description: string) {
  const texts = { expected: 'host:port, such as 127.0.0.1:50051', placeholder: '<host:port>' };
  const isAddress = (text: string) => text === fallback || text.startsWith('unix:') || hasPort(text);
  return setting(z.string().check(z.refine(isAddress)), { fallback, description, ...texts });
}

function hasPort(text: string): boolean {
  const match = /^(?:\[[0-9A-Fa-f:.%\w]+\]|[^\s:/[\]]+):(\d{1,5})$/.exec(text);
  return Number(match?.[1] ?? Number.NaN) <= 65_535;
}

const HTTP_URL = z.url({ protocol: /^https?$/, abort: true }).check(z.refine(hasNoPassword));

/** Address of a server of HTTP; without a password, which would show in logs and lists of processes. */
export function httpUrl(fallback: string, description: string) {
  const texts = { expected: 'http://host or https://host, without a password', placeholder: '<url>' };
  return setting(z.union([z.literal(fallback), HTTP_URL]), {
    fallback,
    description,
    ...texts,
  });
}

function hasNoPassword(text: string): boolean {
  const { username, password } = new URL(text);
  return username + password === '';
}

/** Origins of web pages, separated by commas; none: not set. */
export function origins(description: string) {
  const listed = z.pipe(
    ANY,
    z.transform((text: string) => (text === '' ? [] : text.split(',').map((origin) => origin.trim()))),
  );
  const isOrigin = (text: string) => /^https?:/.test(text) && URL.parse(text)?.origin === text;
  const expected = 'https://host, with a port where it has one and without a path, or several separated by commas';
  const shown = { fallback: '', description, expected, placeholder: '<url>' };
  return setting(z.pipe(listed, z.array(z.string().check(z.refine(isOrigin)))), shown);
}

/** URLs of one Redis, or of several nodes of one cluster, separated by commas; none: not set. */
export function redisUrls(description: string) {
  const urls = z.array(z.url({ protocol: /^rediss?$/, hostname: /./ }));
  const listed = z.pipe(
    ANY,
    z.transform((text: string) => (text === '' ? [] : text.split(',').map((url) => url.trim()))),
  );
  const expected = 'redis://host:port, or several separated by commas';
  return setting(z.pipe(listed, urls), { fallback: '', description, expected, placeholder: '<url>', isSecret: true });
}

/** How TLS is used, as in the URLs of libpq. `prefer` and `allow` may go on without, unnoticed. */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];
const POSTGRES_URL_LENGTH = 2048;
const POSTGRES_URL =
  /^postgres(?:ql)?:\/\/(?:[^@/?#\s]*@)?(\[[\dA-Fa-f:.]+\]|[^@/?#\s,:[\]]*)(?::(\d{1,5}))?(?:\/[^?#\s]*)?(?:\?([^#\s]*))?$/;

/** URL of one PostgreSQL; empty: not set. The host may be the folder of a socket, in the parameter `host`. */
export function postgresUrl(description: string) {
  const expected = `postgresql://user:password@host:port/database, with sslmode ${SSL_MODES.join(', ')} or none`;
  const isUrl = (text: string) => text === '' || isPostgresUrl(text);
  const texts = { fallback: '', description, expected, placeholder: '<url>', isSecret: true };
  return setting(z.string().check(z.refine(isUrl)), texts);
}

function isPostgresUrl(text: string): boolean {
  const [whole, host = '', port = '0', query = ''] = POSTGRES_URL.exec(text) ?? [];
  if (whole === undefined || text.length > POSTGRES_URL_LENGTH || Number(port) > 65_535) return false;
  const parameters = new URLSearchParams(query);
  const isSomewhere = host !== '' || (parameters.get('host') ?? '') !== '';
  return isSomewhere && SSL_MODES.includes(parameters.get('sslmode') ?? 'disable') && isDecodable(text);
}

/** A sign such as % in a password is written as %25. */
function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

/** Name of a schema in PostgreSQL that needs no quotes. */
export function schemaName(fallback: string, description: string) {
  const texts = { expected: 'at most 48 of a-z, 0-9 and _, a letter first', placeholder: '<name>' };
  return setting(z.string().check(z.regex(/^[a-z][a-z0-9_]{0,47}$/)), { fallback, description, ...texts });
}

/** True where only processes of this machine can connect. */
export function isLoopback(listen: string): boolean {
  if (listen.startsWith('unix:')) return true;
  const host = listen.slice(0, listen.lastIndexOf(':')).replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
