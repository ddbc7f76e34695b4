/** Makes the bundle that `bin/mneme` runs. Everything it leaves is below `.cache/mneme-bundle`. */
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { getBuiltinModule, pid, version } from 'node:process';
import type { BuildOptions, BuildResult, Plugin } from 'esbuild';
import { buildInspector } from './build-inspector.ts';
import {
  BUNDLES,
  FORMAT,
  type Input,
  isInUse,
  ROOT,
  replaceFile,
  sha256Of,
  stampOf,
  writeState,
} from './bundle-state.ts';

/** Entry of the process, split, so that a command loads only what it needs. */
const PROGRAM = { main: 'src/cli/main.ts' };
/** One file for each thread. */
const THREADS = {
  'search-thread': 'src/server/search-thread/search-thread.ts',
  'writer-thread': 'src/storage/sqlite/writer-thread.ts',
};
/** Folder of a bundle with the files of the inspector. */
const INSPECTOR = 'inspector/';
/** Native modules, and the vocabularies of tokenizers: 4 MB that are read by those who ask for them. */
export const EXTERNAL = ['better-sqlite3', 'usearch', 'gpt-tokenizer'];
/** Inputs besides those of esbuild: the settings of packages and the locked versions as installed. */
const SETTINGS = [
  'package.json',
  'node_modules/.package-lock.json',
  'tools/bundle/build-bundle.ts',
  'tools/bundle/build-inspector.ts',
];
/** Bundles that stay besides those that are in use: a server that has run since before a change loads parts of its own. */
const BUNDLES_MAX = 16;
/** Age from which on an unfinished bundle or file is of a process that was killed. */
const ABANDONED_MS = 3_600_000;

/** Code before each file of the bundle: for packages in CommonJS, and for paths of the project. */
const bannerOf = (depth: number): string =>
  [
    "import { createRequire as __createRequire } from 'node:module';",
    'const require = __createRequire(import.meta.url);',
    `const __projectFile = (path) => new URL('${'../'.repeat(depth)}' + path, import.meta.url).href;`,
  ].join(' ');
/** Folders between the checkout and the files of a bundle; the launcher is beside the bundles. */
const DEPTH = 3;

/**
 * Imports of Node's own modules by name. An `import` of one reads all of its properties, and those that are made when they
 * are first read load another 100 modules of Node: 20 ms of CPU for each thread.
 */
const nodeModules: Plugin = {
  name: 'modules of Node',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, kind }) => {
      return kind === 'import-statement' ? { path, namespace: 'node' } : undefined;
    });
    build.onLoad({ filter: /.*/, namespace: 'node' }, ({ path }) => {
      const names = Object.keys(getBuiltinModule(path) ?? {}).filter((name) => name !== 'default');
      const exports = names.map((name) => `export const ${name} = /* @__PURE__ */ one(${JSON.stringify(name)});`);
      const contents = [
        `const whole = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});`,
        '/* @__NO_SIDE_EFFECTS__ */ function one(name) { return whole[name]; }',
        ...exports,
        'export default whole;',
      ];
      return { contents: contents.join('\n'), loader: 'js' };
    });
  },
};

/** Makes paths of the project's files, and of the threads' entries, true in the bundle. */
const ownPaths: Plugin = {
  name: 'own paths',
  setup(build) {
    build.onLoad({ filter: /\/(src|clients\/typescript|tools\/bundle)\/.*\.ts$/, namespace: 'file' }, ({ path }) => {
      if (!path.startsWith(ROOT) || path.includes('/node_modules/')) return undefined;
      const source = readFileSync(path, 'utf8');
      if (!source.includes('import.meta')) return undefined;
      return { contents: withOwnPaths(source, path.slice(ROOT.length)), loader: 'ts' };
    });
  },
};

const THREAD_ENTRY = /new URL\('(?:[^']*\/)?([\w-]+-thread)\.ts', import\.meta\.url\)/g;

const INSPECTOR_FOLDER = /new URL\('(?:\.\.\/)+inspector\/dist\/', import\.meta\.url\)/g;

/** Exported for tests. */
export function withOwnPaths(source: string, path: string): string {
  const replaced = source
    .replaceAll(THREAD_ENTRY, (_, name: string) => {
      if (!(name in THREADS)) throw new Error(`${path}: the thread ${name} is not in THREADS of build-bundle.ts`);
      return `new URL('./${name}.mjs', import.meta.__url)`;
    })
    .replaceAll(INSPECTOR_FOLDER, `new URL('./${INSPECTOR}', import.meta.__url)`)
    .replaceAll('import.meta.url', `__projectFile(${JSON.stringify(path)})`);
  const other = /import\.meta\.(?!__url)\w+/.exec(replaced)?.[0];
  if (other !== undefined) throw new Error(`${path}: ${other} has no equivalent in the bundle: use import.meta.url`);
  return replaced.replaceAll('import.meta.__url', 'import.meta.url');
}

const OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  format: 'esm',
  // Needs no package.json to say so, and Node need not look into the file to tell.
  outExtension: { '.js': '.mjs' },
  platform: 'node',
  target: 'node22',
  // One byte a character in the memory of each thread.
  charset: 'ascii',
  // Lines and names stay readable in stack traces; `NODE_OPTIONS=--enable-source-maps` names the sources.
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none',
  metafile: true,
  write: true,
  logLevel: 'silent',
  tsconfigRaw: {},
  banner: { js: bannerOf(DEPTH) },
  external: EXTERNAL.flatMap((name) => [name, `${name}/*`]),
  plugins: [nodeModules, ownPaths],
} satisfies BuildOptions;

/** Builds until no input has changed meanwhile. */
const ATTEMPTS_MAX = 3;
/** More than the resolution of the times that a file system keeps. */
const TIME_RESOLUTION_NS = 20_000_000n;

/** Folder of the bundle of the current files; `undefined` where none can be made: no esbuild, or nothing can be written. */
export async function buildBundle(): Promise<string | undefined> {
  const building = `${BUNDLES}building-${pid}/`;
  try {
    mkdirSync(BUNDLES, { recursive: true });
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const inputs = await buildInto(building);
      if (inputs) return keep(building, inputs);
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}

/** The inputs, with those that no code was read from; `undefined` where one has changed since the build began. */
async function buildInto(outdir: string): Promise<readonly Input[] | undefined> {
  // Loaded here: where the package is missing, the sources are run.
  const { build, stop } = await import('esbuild');
  const startedNs = BigInt(Date.now()) * 1_000_000n - TIME_RESOLUTION_NS;
  const launcher = { ...OPTIONS, banner: { js: bannerOf(DEPTH - 1) }, entryPoints: ['tools/bundle/launch.ts'] };
  let parts: readonly BuildResult<typeof OPTIONS>[];
  let ofInspector: readonly string[];
  try {
    [ofInspector, ...parts] = await Promise.all([
      buildInspector(`${outdir}${INSPECTOR}`),
      build({ ...OPTIONS, entryPoints: PROGRAM, outdir, splitting: true }),
      build({ ...OPTIONS, entryPoints: THREADS, outdir }),
      build({ ...launcher, outdir }),
    ]);
  } finally {
    // Its process would live as long as the server that this process becomes, and after a failure write on.
    await stop();
  }
  const read = [...ofInspector, ...parts.flatMap(({ metafile }) => Object.keys(metafile.inputs))];
  const paths = [...new Set([...SETTINGS, ...read.filter((path) => !isOfPackage(path))])].sort();
  if (paths.some((path) => statSync(`${ROOT}${path}`, { bigint: true }).ctimeNs >= startedNs)) return undefined;
  return paths.map((path) => ({ path, stamp: stampOf(path), sha256: sha256Of(path) }));
}

/** Files of packages follow from the locked versions, and modules of Node from its version. */
function isOfPackage(path: string): boolean {
  return path.includes('node_modules/') || path.startsWith('node:');
}

const KEY_LENGTH = 16;
const BUNDLE_NAME = new RegExp(`^[0-9a-f]{${KEY_LENGTH}}$`);

/** Makes what was built the newest bundle; returns its folder. */
function keep(building: string, inputs: readonly Input[]): string {
  const contents = inputs.map(({ path, sha256 }) => [path, sha256]);
  const key = hash('sha256', JSON.stringify([version, contents])).slice(0, KEY_LENGTH);
  const folder = `${BUNDLES}${key}/`;
  const launcher = readFileSync(`${building}launch.mjs`);
  rmSync(`${building}launch.mjs`);
  // Whole or not at all: another process may be making the same one.
  if (!existsSync(folder)) renameSync(building, folder);
  replaceFile(`${BUNDLES}launch.mjs`, launcher);
  writeState({ format: FORMAT, node: version, key, inputs });
  removeOld(key);
  return folder;
}

function removeOld(current: string): void {
  const others = readdirSync(BUNDLES)
    .filter((name) => name !== current)
    .map((name) => ({ name, mtimeMs: statSync(`${BUNDLES}${name}`, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.mtimeMs - a.mtimeMs);
  const isBundle = ({ name }: { readonly name: string }) => BUNDLE_NAME.test(name);
  const old = others
    .filter(isBundle)
    .slice(BUNDLES_MAX - 1)
    .filter(({ name }) => !isInUse(`${BUNDLES}${name}`));
  // The state and the launcher have just been written, and are younger.
  const abandoned = others.filter((each) => !isBundle(each) && each.mtimeMs < Date.now() - ABANDONED_MS);
  for (const { name } of [...abandoned, ...old]) rmSync(`${BUNDLES}${name}`, { recursive: true, force: true });
}
