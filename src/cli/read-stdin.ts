import { text } from 'node:stream/consumers';

/** All of stdin, without the line end that a shell adds. */
export async function readStdin(): Promise<string> {
  return (await text(process.stdin)).replace(/\r?\n$/, '');
}
