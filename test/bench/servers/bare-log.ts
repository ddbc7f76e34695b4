import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { stopped, tied } from './child.ts';

const ENTRY = fileURLToPath(new URL('./bare-log-process.ts', import.meta.url));

/** From the arrival of a record until it is on disk. */
export interface BareLogFigures {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface BareLog {
  /** Ends it; returns the figures since its start. */
  end(): Promise<BareLogFigures>;
}

/** Appends records to its own file in this folder, concurrently with another measurement on the same disk. */
export function startBareLog(folder: string, perS: number, recordBytes: number): BareLog {
  const args = [ENTRY, folder, String(perS), String(recordBytes)];
  const child = tied(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }));
  const printed = text(child.stdout);
  return {
    async end() {
      await stopped(child);
      return JSON.parse(await printed) as BareLogFigures;
    },
  };
}
