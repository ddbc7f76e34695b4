import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const TRIALS = join(import.meta.dirname, '../damage/trials.ts');
/** Of one trial on a busy machine. */
const TRIAL_MS_MAX = 60_000;
const START_MS = 120_000;

/** What a trial prints. */
export interface Trial {
  /** Its number, the damaged page, and whether the server ran. */
  readonly trial: string;
  readonly refusedStart?: string;
  /** Calls that named damage, and calls that answered in full. */
  readonly reportCount?: number;
  readonly wholeCount?: number;
  /** Wrong answers, and what was left out without being named. */
  readonly faults?: readonly string[];
  readonly crashes: readonly string[];
}

export interface Trials {
  readonly trials: readonly Trial[];
  /** Trials with a fault or a crash, and the end of the process where it was none of its own. */
  readonly findings: readonly string[];
}

export interface TrialsOptions {
  readonly count: number;
  readonly seed: string;
  /** The process is killed after this time. Default: of all trials on a busy machine. */
  readonly msMax?: number;
  readonly onTrial?: (trial: Trial, done: number) => void;
}

/** Damages pages of a data folder, a copy of the same folder in each trial, and asks a server on it for everything. */
export async function runTrials({
  count,
  seed,
  msMax = START_MS + count * TRIAL_MS_MAX,
  onTrial,
}: TrialsOptions): Promise<Trials> {
  const child = spawn(process.execPath, ['--no-warnings', TRIALS, String(count), seed], {
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: msMax,
    killSignal: 'SIGKILL',
  });
  const exited = once(child, 'exit');
  const trials: Trial[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('LINE ')) continue;
    const trial = JSON.parse(line.slice('LINE '.length)) as Trial;
    trials.push(trial);
    onTrial?.(trial, trials.length);
  }
  const [code, signal] = await exited;
  const findings = trials.flatMap(({ trial, faults = [], crashes }) =>
    [...faults, ...crashes].map((text) => `${trial}: ${text}`),
  );
  if (code !== 0 || trials.length !== count) {
    findings.push(`the process ended with ${code ?? signal} after ${trials.length} of ${count} trials`);
  }
  return { trials, findings };
}

/** Trials, and calls in them, by their outcome. */
export function summaryOf({ trials, findings }: Trials): string {
  const sum = (of: 'reportCount' | 'wholeCount') => trials.reduce((total, trial) => total + (trial[of] ?? 0), 0);
  const refused = trials.filter(({ refusedStart }) => refusedStart !== undefined).length;
  return [
    `${trials.length} trials, ${refused} refused to start in one line that says what to do`,
    `${sum('wholeCount').toLocaleString('en')} calls answered in full, ${sum('reportCount').toLocaleString('en')} named damage`,
    `${findings.length} wrong answers, silent omissions or crashes`,
  ].join('\n');
}
