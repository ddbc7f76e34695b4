import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, string>>;
}

const decisions = globSync('docs/decisions/*.md').map((path) => readFileSync(path, 'utf8'));

describe.each(['package.json', 'clients/typescript/package.json'])('%s', (path) => {
  const { dependencies, devDependencies, overrides } = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  const packages = Object.keys({ ...dependencies, ...devDependencies, ...overrides });

  it('has no package that no decision names', () => {
    expect(packages.length).toBeGreaterThan(0);
    expect(packages.filter((name) => !decisions.some((page) => page.includes(`\`${name}\``)))).toEqual([]);
  });
});
