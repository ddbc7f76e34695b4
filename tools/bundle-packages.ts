/**
 * Writes Kysely and zod as one module each, `#kysely` and `#zod` of package.json: their many modules take 0.15 s and 0.05 s of
 * processor time to load (docs/decisions/runtime.md). usage: node tools/bundle-packages.ts FOLDER
 */
import { argv } from 'node:process';
import { build } from 'esbuild';

const [, , folder = ''] = argv;

async function bundle(name: string, source: string, exports: string, notice: string): Promise<void> {
  await build({
    stdin: { contents: `export { ${exports} } from '${source}';`, resolveDir: import.meta.dirname },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    // Names stay readable in stack traces.
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: `/*! ${notice}: see NOTICE */` },
    outfile: `${folder}/${name}/${name}.js`,
  });
}

await bundle(
  'kysely',
  'kysely',
  'CompiledQuery, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql',
  'Kysely (https://kysely.dev), MIT License, Copyright (c) 2022 Sami Koskimäki',
);
await bundle(
  'zod',
  'zod/mini',
  'array, enum, gte, literal, lte, minLength, number, object, pipe, prefault, refine, regex, registry, string, transform, union, url',
  'Zod (https://zod.dev), MIT License, Copyright (c) 2025 Colin McDonnell',
);
