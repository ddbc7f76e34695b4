import { once } from 'node:events';

/** Writes a line to stdout, no faster than it is read. */
export async function print(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

export async function printJson(value: unknown): Promise<void> {
  await print(JSON.stringify(value));
}

/** When the reader of a pipe has seen enough, as in `mneme list | head`, the command is done. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}
