/** How the text of a setting is read, and how people are told of it. */
export interface Kind<T> {
  /** `undefined` where the text is not as expected. */
  readonly read: (text: string) => T | undefined;
  /** Ends the sentence "expected …". */
  readonly expected: string;
  /** Stands for the value in help, such as `<number>`. */
  readonly placeholder: string;
  /** The values that it takes, when they are few. */
  readonly choices?: readonly string[];
}

export interface Setting<T> extends Kind<T> {
  readonly fallback: string;
  readonly description: string;
  /** Read from the environment only, and never shown. */
  readonly secret: boolean;
}

export function settingOf<T>(
  kind: Kind<T>,
  fallback: string,
  description: string,
  { secret = false } = {},
): Setting<T> {
  return { ...kind, fallback, description, secret };
}

export function text(expected: string, placeholder = '<text>'): Kind<string> {
  return { read: (text) => text || undefined, expected, placeholder };
}

/** Empty means: not set. */
export function optional<T>(kind: Kind<T>): Kind<T | ''> {
  return { ...kind, read: (text) => (text === '' ? '' : kind.read(text)) };
}

export function number(min: number, max: number): Kind<number> {
  const read = (text: string) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
  return { read, expected: `a whole number from ${min} to ${max}`, placeholder: '<number>' };
}

export function choice<const T extends string>(...values: readonly [T, ...T[]]): Kind<T> {
  const read = (text: string) => values.find((value) => value === text);
  return { read, expected: `one of ${values.join(', ')}`, placeholder: '<word>', choices: values };
}

export function yesOrNo(): Kind<boolean> {
  const read = (text: string) => (text === 'true' || text === 'false' ? text === 'true' : undefined);
  return { read, expected: 'true or false', placeholder: '[true|false]' };
}

/** `host:port`, `[address]:port` or `unix:path`. */
export function address(): Kind<string> {
  const read = (text: string) => (text.startsWith('unix:') || portOf(text) !== undefined ? text : undefined);
  return { read, expected: 'host:port, such as 127.0.0.1:50051', placeholder: '<host:port>' };
}

function portOf(value: string): number | undefined {
  const match = /^(?:\[[0-9A-Fa-f:.%\w]+\]|[^\s:/[\]]+):(\d{1,5})$/.exec(value);
  const port = Number(match?.[1] ?? Number.NaN);
  return port <= 65_535 ? port : undefined;
}

/** Address of what speaks HTTP; without a password, which would show in logs and lists of processes. */
export function httpUrl(): Kind<string> {
  const read = (text: string) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isPlain = url !== undefined && url.username === '' && url.password === '';
    return isPlain && /^https?:$/.test(url.protocol) ? text : undefined;
  };
  return { read, expected: 'http://host or https://host, without a password', placeholder: '<url>' };
}

/** URLs of one Redis, or of several nodes of one cluster, separated by commas. */
export function redisUrls(): Kind<readonly string[]> {
  const read = (text: string) => {
    const urls = text.split(',').map((url) => url.trim());
    return urls.every((url) => /^rediss?:\/\/[^/]/.test(url) && URL.canParse(url)) ? urls : undefined;
  };
  return { read, expected: 'redis://host:port, or several separated by commas', placeholder: '<url>' };
}

/** True where only processes of this machine can connect. */
export function isLoopback(listen: string): boolean {
  if (listen.startsWith('unix:')) return true;
  const host = listen.slice(0, listen.lastIndexOf(':')).replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
