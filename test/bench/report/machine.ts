import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';

/** Machine and versions of a result, without which it means nothing. */
export interface Origin {
  readonly date: string;
  readonly commit: string;
  readonly node: string;
  readonly machine: string;
  readonly command: string;
}

export function origin(args: readonly string[]): Origin {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 1e9)} GB`;
  return {
    date: new Date().toISOString().slice(0, 19),
    commit: git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', 'src') === '' ? '' : '-changed'),
    node: process.version,
    machine: `${cpus().length} × ${cpu?.model.trim() ?? 'unknown CPU'}, ${memory}, ${process.platform} ${release()}`,
    command: ['node test/bench/main.ts', ...args].join(' '),
  };
}

function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    // A checkout without its history, such as an archive.
    return 'unknown';
  }
}
