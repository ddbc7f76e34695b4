import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mcpOverHttp } from '../../../src/cli/mcp-over-http.ts';
import { configFrom } from '../../../src/server/config/config.ts';
import { createLogger } from '../../../src/server/logger.ts';
import { createServer } from '../../../src/server/server.ts';
import { PATIENT_ENV } from '../../support/patient.ts';
import { reusedThreads } from '../../support/reused-threads.ts';

export interface ServedMneme {
  readonly address: string;
  /** Its data stays when the folder was given. */
  stop(): Promise<void>;
}

/**
 * What `mneme serve` serves, in the process of the test: a start takes a tenth of the CPU of a process (`start-mneme.ts`),
 * which can be killed.
 */
export async function serveMneme(
  provided: {
    readonly listen?: string;
    readonly data?: string;
    /** As on the command line, each with its value. */
    readonly flags?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    /** What it logs is not shown. */
    readonly isQuiet?: boolean;
  } = {},
): Promise<ServedMneme> {
  const data = provided.data ?? (await mkdtemp(join(tmpdir(), 'mneme-serve-')));
  const { listen = '127.0.0.1:0', flags = [] } = provided;
  const config = configFrom({
    flags: { listen, data, logLevel: 'warn', shutdownGraceMs: '2000', ...settingsIn(flags) },
    env: { ...process.env, ...PATIENT_ENV, ...provided.env },
  });
  const logger = provided.isQuiet === true ? createLogger(config, { write: () => {} }) : undefined;
  const server = createServer(config, { threads: reusedThreads(), logger, mounts: [mcpOverHttp] });
  await server.start();
  return {
    address: server.address,
    async stop() {
      await server.stop();
      if (provided.data === undefined) await rm(data, { recursive: true, force: true });
    },
  };
}

/** `--log-level warn` as `{ logLevel: 'warn' }`. */
function settingsIn(flags: readonly string[]): Record<string, string> {
  const settings: Record<string, string> = {};
  for (let at = 0; at + 1 < flags.length; at += 2) {
    const name = (flags[at] ?? '').slice(2).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    settings[name] = flags[at + 1] ?? '';
  }
  return settings;
}
