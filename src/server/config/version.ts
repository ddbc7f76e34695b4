import { readFileSync } from 'node:fs';

/** Version of Mneme, such as `0.1.0`. */
export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
