/**
 * Copies what a server runs from into a folder: the bundle, native modules and data files. No source, no compiler, no package
 * manager. Usage: node tools/image/assemble.ts FOLDER
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { arch, platform } from 'node:process';
import { buildBundle, EXTERNAL } from '../bundle/build-bundle.ts';
import { BUNDLES, ROOT, readState } from '../bundle/bundle-state.ts';

/** Read by paths of the project, which the bundle keeps. */
const FILES = [
  'package.json',
  'LICENSE',
  'NOTICE',
  'bin/mneme',
  'assets',
  'gen/image.binpb',
  'gen/wasm',
  'docs/openapi.json',
];
/** Packages that are loaded when they are first needed. */
const PACKAGES = [...EXTERNAL, '@orama/stemmers'];
/** Headers, for compilers only. */
const HEADERS = new Set(['node-addon-api']);
/** Parts of a package that no program reads: native sources, and the same code in other forms. */
const UNREAD: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['deps', 'src'],
  usearch: ['c', 'cmake', 'cpp', 'include', 'numkong'],
  'gpt-tokenizer': ['cjs', 'data', 'dist', 'src', 'esm/fixtures', 'esm/codegen'],
};
const UNREAD_FILE = /\.(map|gyp|gypi|cpp|[cm]?ts|md)$|\.test\.js$/;
/** Binaries of this system; a name may list several processors. */
const PREBUILD = new RegExp(`^${platform}-(?:\\w+\\+)*${arch}\\b`);

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

async function assemble(target: string): Promise<void> {
  const bundle = await buildBundle();
  const state = readState();
  if (bundle === undefined || state === undefined) throw new Error('no bundle can be made: is esbuild installed?');
  const copy = (path: string, isKept = (_: string) => true) => {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(join(ROOT, path), join(target, path), { recursive: true, filter: isKept });
  };
  for (const path of FILES) copy(path);
  for (const name of closureOf(PACKAGES)) copy(join('node_modules', name), (path) => isReadOf(name, path));
  copy(relative(ROOT, bundle), (path) => basename(path) !== 'compiled' && !path.endsWith('.map'));
  copy(relative(ROOT, join(BUNDLES, 'launch.mjs')));
  // Without inputs there is nothing to compare: the bundle stays current.
  writeFileSync(join(target, relative(ROOT, BUNDLES), 'state.json'), JSON.stringify({ ...state, inputs: [] }));
  copyLicenses(join(target, 'licenses'));
}

/** Names of packages with all that they depend on. */
function closureOf(names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name) || HEADERS.has(name)) return;
    found.add(name);
    const manifest = readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8');
    Object.keys((JSON.parse(manifest) as Manifest).dependencies ?? {}).forEach(visit);
  };
  names.forEach(visit);
  return found;
}

function isReadOf(name: string, path: string): boolean {
  const inside = relative(join(ROOT, 'node_modules', name), path);
  if (UNREAD[name]?.includes(inside) || UNREAD_FILE.test(inside)) return false;
  const [folder, prebuild] = inside.split('/');
  return folder !== 'prebuilds' || prebuild === undefined || PREBUILD.test(prebuild);
}

/** Licenses of all packages of production, which the bundle holds code of. */
function copyLicenses(target: string): void {
  const installed = join(ROOT, 'node_modules/.package-lock.json');
  const { packages } = JSON.parse(readFileSync(installed, 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>;
  };
  for (const [path, { dev, devOptional }] of Object.entries(packages)) {
    const folder = join(ROOT, path);
    if (dev || devOptional || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue;
    const name = path
      .replace(/^node_modules\//, '')
      .replaceAll('/node_modules/', '+')
      .replaceAll('/', '+');
    for (const file of readdirSync(folder).filter((each) => /^(licen[cs]e|notice|copying)/i.test(each))) {
      mkdirSync(join(target, name), { recursive: true });
      cpSync(join(folder, file), join(target, name, file), { recursive: true });
    }
  }
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node tools/image/assemble.ts FOLDER');
await assemble(folder);
