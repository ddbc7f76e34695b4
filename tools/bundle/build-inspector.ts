/** Bundles `inspector/`: scripts and styles with hashed names, the page that loads them, and a compressed copy of each. */
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { BuildOptions } from 'esbuild';
import { ROOT } from './bundle-state.ts';

const SOURCES = `${ROOT}inspector/`;
/** Addresses of what the page loads; files below it never change under one name. */
const ASSETS = 'assets/';
const HASH_LENGTH = 10;

const OPTIONS = {
  absWorkingDir: ROOT,
  entryPoints: { main: 'inspector/main.tsx' },
  inject: ['inspector/api/buffer.ts'],
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
  charset: 'utf8',
  minify: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'silent',
  tsconfigRaw: {},
  outdir: 'inspector',
} satisfies BuildOptions;

/** Writes the files into a folder; returns the paths of their sources, those of packages included. */
export async function buildInspector(folder: string): Promise<readonly string[]> {
  // Loaded here: where the package is missing, nothing is bundled.
  const { build } = await import('esbuild');
  const { metafile, outputFiles } = await build(OPTIONS);
  mkdirSync(join(folder, ASSETS), { recursive: true });
  const parts = outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }));
  const icon = { name: 'icon.svg', contents: readFileSync(`${SOURCES}icon.svg`) };
  let page = readFileSync(`${SOURCES}index.html`, 'utf8');
  for (const { name, contents } of [...parts, icon]) {
    const hashed = hashedName(name, contents);
    page = page.replace(`/${ASSETS}${name}"`, `/${ASSETS}${hashed}"`);
    write(join(folder, ASSETS, hashed), contents);
  }
  write(join(folder, 'index.html'), Buffer.from(page));
  return [...Object.keys(metafile.inputs), 'inspector/index.html', 'inspector/icon.svg'];
}

function hashedName(name: string, contents: Uint8Array): string {
  const at = name.lastIndexOf('.');
  return `${name.slice(0, at)}-${hash('sha256', contents).slice(0, HASH_LENGTH)}${name.slice(at)}`;
}

function write(path: string, contents: Uint8Array): void {
  writeFileSync(path, contents);
  writeFileSync(`${path}.gz`, gzipSync(contents, { level: 9 }));
}
