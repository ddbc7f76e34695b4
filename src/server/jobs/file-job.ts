import { readFile } from 'node:fs/promises';
import type { Logger } from '../logger.ts';
import { RepeatingJob } from './repeating-job.ts';

/** A file that is edited while the server runs. */
export interface FollowedFile {
  readonly path: string;
  /** Contents, in the plural, for the log. */
  readonly what: string;
  /** Gets the text at every look; fails on one that is not usable. */
  look(text: string): void;
}

/** Reads the file at an interval. While it cannot be read or used, everything stays as it is. */
export function fileJob({ path, what, look }: FollowedFile, intervalMs: number, logger: Logger): RepeatingJob {
  let isUsable = true;
  return new RepeatingJob(async () => {
    try {
      look(await readFile(path, 'utf8'));
      isUsable = true;
    } catch (error) {
      if (isUsable) logger.error({ err: error, path }, `the file of ${what} cannot be read: the ${what} stay`);
      isUsable = false;
    }
    return intervalMs;
  });
}

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

interface TokenFile {
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
