import type { Logger } from '../logger.ts';
import { fileJob } from './file-job.ts';
import type { RepeatingJob } from './repeating-job.ts';

/**
 * The tokens of a file that is edited while the server runs. A new token is admitted as soon as it is read; others are
 * removed when two looks in a row found the same text, since an editor may have written a part of the file.
 */
export class WatchedTokens {
  private readonly tokensIn: (text: string) => readonly string[];
  private admitted: readonly string[];
  private seen: string | undefined;

  constructor(admitted: readonly string[], tokensIn: (text: string) => readonly string[]) {
    this.admitted = admitted;
    this.tokensIn = tokensIn;
  }

  /** The tokens to admit after this look, if they differ from those before it. */
  look(text: string): readonly string[] | undefined {
    const tokens = this.tokensIn(text);
    const next = text === this.seen ? tokens : [...new Set([...this.admitted, ...tokens])];
    this.seen = text;
    if (isSame(next, this.admitted)) return undefined;
    this.admitted = next;
    return next;
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  const tokens = new Set(other);
  return new Set(one).size === tokens.size && one.every((token) => tokens.has(token));
}

export interface TokenFile {
  readonly path: string;
  readonly tokens: WatchedTokens;
  replace(tokens: readonly string[]): void;
}

/** Reads the file of tokens at an interval. While it cannot be read, the tokens stay as they are. */
export function tokenJob({ path, tokens, replace }: TokenFile, intervalMs: number, logger: Logger): RepeatingJob {
  const look = (text: string): void => {
    const changed = tokens.look(text);
    if (!changed) return;
    logger.info({ count: changed.length }, 'the tokens of callers have changed');
    if (changed.length === 0) logger.error({ path }, 'the file has no token: no caller is admitted');
    replace(changed);
  };
  return fileJob({ path, what: 'tokens', look }, intervalMs, logger);
}
