import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ALL_TESTS } from '../support/all-tests.ts';
import { cleanUp } from './support/clean-up.ts';
import { installClient } from './support/install-client.ts';
import { startService, unary } from './support/start-service.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MODULES = join(ROOT, 'node_modules');
const TSC = join(MODULES, '.bin/tsc');

let folder = '';
/** A user's project with the package installed, and only the dependencies of the checkout. */
let project = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-package-'));
  project = join(folder, 'project');
  await installClient(project);
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
}, 240_000);
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(cleanUp);

describe('client package › installed in a separate project', () => {
  it('plain JavaScript › can import it and call a server', async () => {
    const receipt = { name: 'namespaces/default/memories/m1', version: 0n, checksum: '', embeddingPending: false };
    const service = await startService({
      memory: { storeMemory: unary(() => ({ memory: receipt, revision: 3n, degraded: [] })) },
    });
    await writeFile(
      join(project, 'store.js'),
      `import { connect, MnemeError, where } from '@mneme/client';
       const mneme = connect('${service.address}');
       const receipt = await mneme.store({ text: 'tea at five' });
       const error = await mneme.get('m1').catch((thrown) => thrown);
       console.log(receipt.id, receipt.revision, error instanceof MnemeError, error.code, typeof where.type.equals('x'));
       mneme.close();`,
    );

    const { stdout, stderr } = await run(process.execPath, ['store.js'], { cwd: project });
    await service.stop();

    expect([stdout, stderr]).toEqual(['m1 3 true UNIMPLEMENTED object\n', '']);
  });

  it('the example › loads with the name of the package', async () => {
    const example = await readFile(join(ROOT, 'clients/typescript/example.ts'), 'utf8');
    const imports = example.split('\n').filter((line) => line.startsWith('import '));
    const renamed = imports.join('\n').replace("'./src/index.ts'", "'@mneme/client'");
    await writeFile(join(project, 'example.js'), `${renamed}\nconsole.log(typeof connect, typeof where);`);

    const { stdout } = await run(process.execPath, ['example.js'], { cwd: project });

    expect(renamed).toContain('@mneme/client');
    expect(stdout).toBe('function object\n');
  });

  it('TypeScript at its strictest › finds the types, with every library checked', async () => {
    const example = await readFile(join(ROOT, 'clients/typescript/example.ts'), 'utf8');
    await writeFile(join(project, 'example.ts'), example.replace("'./src/index.ts'", "'@mneme/client'"));
    await writeFile(
      join(project, 'wrong.ts'),
      `import { connect } from '@mneme/client';\nawait connect().store({ txt: 'x' });\n`,
    );
    const flags = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
    const modules = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node', '--skipLibCheck', 'false'];

    await run(TSC, [...flags, ...modules, 'example.ts'], { cwd: project });

    await expect(run(TSC, [...flags, ...modules, 'wrong.ts'], { cwd: project })).rejects.toMatchObject({
      stdout: expect.stringContaining("'txt' does not exist in type 'Memory | NewMemory'"),
    });
  });

  it('the server for tests › is there under its own name', async () => {
    await writeFile(
      join(project, 'testing.js'),
      `import { startServer } from '@mneme/client/testing'; console.log(typeof startServer);`,
    );

    const { stdout } = await run(process.execPath, ['testing.js'], { cwd: project });

    expect(stdout).toBe('function\n');
  });

  it('the adapter of LangGraph and its suite › are there under their own names', async () => {
    await symlink(join(MODULES, '@langchain'), join(project, 'node_modules/@langchain'));
    await writeFile(
      join(project, 'langgraph.js'),
      `import { MnemeSaver, MnemeStore } from '@mneme/client/langgraph';
       import { storeCases } from '@mneme/client/langgraph/conformance';
       console.log(typeof MnemeSaver, typeof MnemeStore, typeof storeCases);`,
    );

    const { stdout } = await run(process.execPath, ['langgraph.js'], { cwd: project });

    expect(stdout).toBe('function function function\n');
  });

  it('the Agent Memory API › is there under its own name', async () => {
    await writeFile(
      join(project, 'agentmemory.js'),
      `import { AgentMemoryAPI, withMemory } from '@mneme/client/agentmemory';
       console.log(typeof AgentMemoryAPI, typeof withMemory);`,
    );
    await writeFile(
      join(project, 'agentmemory.ts'),
      `import { AgentMemoryAPI, AgentState, BaseAgent, installMemoryHooks } from '@mneme/client/agentmemory';
       @installMemoryHooks
       class Agent extends BaseAgent {
         override getState(): AgentState { return new AgentState({ agent_id: this.agentId, mood: 'calm' }); }
       }
       const health: number | undefined = new Agent().getState().health;
       export const entries = new AgentMemoryAPI({ stmConfig: { ttl: 60 } }).retrieveRecentStates('a', health);`,
    );
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];

    const { stdout } = await run(process.execPath, ['agentmemory.js'], { cwd: project });
    await run(TSC, [...flags, '--skipLibCheck', 'false', 'agentmemory.ts'], { cwd: project });

    expect(stdout).toBe('function function\n');
  });

  it('the session of the OpenAI Agents SDK › is there under its own name', async () => {
    await writeFile(
      join(project, 'openai-agents.js'),
      `import { MnemeSession } from '@mneme/client/openai-agents'; console.log(typeof MnemeSession);`,
    );

    const { stdout } = await run(process.execPath, ['openai-agents.js'], { cwd: project });

    expect(stdout).toBe('function\n');
  });

  it('CommonJS › can require it', async () => {
    await writeFile(
      join(project, 'required.cjs'),
      `const { connect, where } = require('@mneme/client'); console.log(typeof connect, typeof where);`,
    );

    const { stdout } = await run(process.execPath, ['required.cjs'], { cwd: project });

    expect(stdout).toBe('function object\n');
  });

  it('the README › imports only exports of the package', async () => {
    const readme = await readFile(join(ROOT, 'clients/typescript/README.md'), 'utf8');
    const names = [...readme.matchAll(/import \{ ([^}]+) \} from '@mneme\/client'/g)].flatMap(([, list = '']) =>
      list.split(',').map((name) => name.trim()),
    );
    await writeFile(
      join(project, 'names.js'),
      `import * as client from '@mneme/client'; console.log(${JSON.stringify(names)}.filter((name) => !(name in client)));`,
    );

    const { stdout } = await run(process.execPath, ['names.js'], { cwd: project });

    expect(names).toContain('where');
    expect(stdout).toBe('[]\n');
  });
});

/** What esbuild's ESM output needs for a CommonJS dependency (grpc-js) that requires modules of Node; the README has it too. */
const ESBUILD_BANNER = `--banner:js=import{createRequire}from'node:module';const require=createRequire(import.meta.url);`;
const ROLLUP_PLUGINS = ['-p', 'node-resolve={exportConditions:["node"]}', '-p', 'commonjs', '-p', 'json', '--silent'];
const VITE_CONFIG = `export default {
  configFile: false, logLevel: 'error', ssr: { noExternal: true },
  build: { ssr: 'bundled.js', outDir: 'vite', emptyOutDir: false, minify: true, rollupOptions: { output: {
    format: process.env.FORMAT, entryFileNames: process.env.FORMAT === 'cjs' ? '[name].cjs' : '[name].mjs' } } },
};`;

describe('client package › bundled with a program', () => {
  const programs: [bundler: string, format: string, file: string, args: string[]][] = [
    ['esbuild', 'esm', 'esbuild.mjs', ['--format=esm', ESBUILD_BANNER]],
    ['esbuild', 'cjs', 'esbuild.cjs', ['--format=cjs', '--minify']],
    ['rollup', 'esm', 'rollup.mjs', ['--format', 'es']],
    ['rollup', 'cjs', 'rollup.cjs', ['--format', 'cjs']],
    ['vite', 'esm', 'vite/bundled.mjs', []],
    ['vite', 'cjs', 'vite/bundled.cjs', []],
  ];

  it.each(ALL_TESTS ? programs : programs.filter(([bundler]) => bundler === 'esbuild'))(
    '%s, %s › stores, and has typed errors',
    async (bundler, format, file, args) => {
      const receipt = { name: 'namespaces/default/memories/m1', version: 0n, checksum: '', embeddingPending: false };
      const service = await startService({
        memory: { storeMemory: unary(() => ({ memory: receipt, revision: 3n, degraded: [] })) },
      });
      await writeFile(
        join(project, 'bundled.js'),
        `import { connect, InvalidArgumentError } from '@mneme/client';
       (async () => {
         const mneme = connect(process.argv[2]);
         const { id } = await mneme.store('tea at five');
         const error = await mneme.store({ txt: 'tea' }).catch((thrown) => thrown);
         console.log(id, error instanceof InvalidArgumentError, error.name);
         await mneme.close();
       })();`,
      );
      await writeFile(join(project, 'vite.config.mjs'), VITE_CONFIG);
      const bundle = {
        esbuild: ['bundled.js', '--bundle', '--platform=node', `--outfile=${file}`, '--log-level=error', ...args],
        rollup: ['bundled.js', '--file', file, ...ROLLUP_PLUGINS, ...args],
        vite: ['build'],
      }[bundler];
      const env = { ...process.env, FORMAT: format === 'cjs' ? 'cjs' : 'es', NODE_PATH: MODULES };
      if (bundler === 'rollup') await linkPlugins();
      await run(join(MODULES, '.bin', bundler), bundle, { cwd: project, env });

      const { stdout, stderr } = await run(process.execPath, [file, service.address], { cwd: project });
      await service.stop();

      expect([stdout, stderr]).toEqual(['m1 true InvalidArgumentError\n', '']);
    },
  );
});

/** Rollup looks for its plugins in the project. */
async function linkPlugins(): Promise<void> {
  await rm(join(project, 'node_modules/@rollup'), { force: true });
  await symlink(join(MODULES, '@rollup'), join(project, 'node_modules/@rollup'));
}
