/**
 * Writes Kysely and zod as one module each into `.cache/packages`, where tests find `#kysely` and `#zod` of package.json: the many
 * modules of these packages take 0.15 s and 0.05 s of processor time to load, in each thread that a test starts
 * (docs/decisions/packages.md). The program needs none of it. Usage: node tools/bundle-packages.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

/** Where the modules are written; `made-of` is what they were made of (tools/install.sh). */
const FOLDER = '.cache/packages';

async function bundle(name: string, source: string, exports: string): Promise<void> {
  await build({
    stdin: { contents: `export { ${exports} } from '${source}';`, resolveDir: import.meta.dirname },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    // Names stay readable in stack traces.
    minifyWhitespace: true,
    outfile: `${FOLDER}/${name}.js`,
  });
}

await bundle(
  'kysely',
  'kysely',
  'CompiledQuery, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql',
);
await bundle(
  'zod',
  'zod/mini',
  'array, enum, gte, literal, lte, minLength, number, object, pipe, prefault, refine, regex, registry, string, transform, union, url',
);
const inputs = ['package-lock.json', 'tools/bundle-packages.ts'].map((path) => readFileSync(path));
writeFileSync(`${FOLDER}/made-of`, Buffer.concat(inputs));
