import { once } from 'node:events';

/** Writes a line to stdout, no faster than it is read. */
export async function print(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

export async function printJson(value: unknown): Promise<void> {
  await print(JSON.stringify(value));
}
