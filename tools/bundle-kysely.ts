/**
 * Writes Kysely as one module, `#kysely` of package.json: its 255 modules take 0.15 s of processor time to load, in each of the
 * server's three threads (docs/decisions/0067). usage: node tools/bundle-kysely.ts FILE
 */
import { argv } from 'node:process';
import { build } from 'esbuild';

const [, , outfile = ''] = argv;
await build({
  stdin: {
    contents:
      "export { CompiledQuery, DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';",
    resolveDir: import.meta.dirname,
  },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  // Names stay readable in stack traces.
  minifyWhitespace: true,
  legalComments: 'none',
  banner: { js: '/*! Kysely (https://kysely.dev), MIT License, Copyright (c) 2022 Sami Koskimäki: see NOTICE */' },
  outfile,
});
