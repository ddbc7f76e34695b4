import { globSync, readFileSync } from 'node:fs';
import { createFileRegistry, type DescMessage, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { COMMANDS, programWith } from '../../../src/cli/program.ts';
import { settingsBySubject } from '../../../src/server/config/config.ts';

/**
 * The names on pages for users exist: methods, messages, fields and values of the API, commands, flags and variables.
 */
const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'clients/typescript/README.md',
  ...globSync(['docs/*.md', 'docs/guides/*.md']),
];

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync('gen/image.binpb')));
/** Services, methods, messages and enums, with the names within each. */
const members = new Map<string, Set<string>>();
const values = new Set<string>();
for (const type of registry) {
  if (type.kind === 'service') {
    add(type.name, ...type.methods.map(({ name }) => name));
    for (const { name, input, output } of type.methods) add(name, ...reachOf(input), ...reachOf(output));
  }
  if (type.kind === 'message') add(type.name, ...fieldsOf(type), ...type.oneofs.map(({ name }) => name));
  if (type.kind !== 'enum') continue;
  add(type.name, ...type.values.map(({ name }) => name));
  for (const { name } of type.values) values.add(name);
}

function add(name: string, ...inside: readonly string[]): void {
  members.set(name, new Set([...(members.get(name) ?? []), ...inside]));
}

function fieldsOf(message: DescMessage): string[] {
  return message.fields.map(({ name }) => name);
}

/** Pages write `GetServerInfo.degraded` for a field of its response. */
function reachOf(message: DescMessage): string[] {
  return [...fieldsOf(message), ...message.fields.flatMap((field) => (field.message ? fieldsOf(field.message) : []))];
}

/** Types of the sources and of JavaScript that pages may name. A single word, such as `Store`, counts as a method. */
const SOURCES = ['src/**/*.ts', 'clients/typescript/src/**/*.ts', 'clients/python/src/mneme/**/*.py'];
const declared = new Set(
  globSync(SOURCES).flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\b(?:class|interface|type) ([A-Z]\w+)/g)].map(([, name = '']) => name),
  ),
);
/** Names in the API that parity.md compares with, names of Strands, and words in quotations. */
const FOREIGN = new Set([
  'AgentMemoryAPI',
  'SearchModel',
  'AttributeQueryBuilder',
  'Katze',
  'Katzen',
  'At',
  'Date',
  'Float32Array',
  'Flow.Publisher',
  'Agent',
  'InvocationTrigger',
  'Stream',
]);
/** The table of calls in all languages, which `make check` compares with the sources of the clients. */
const CALLS = /<!-- calls -->\n.*<!-- end of calls -->\n/s;

function isName(name: string): boolean {
  return FOREIGN.has(name) || (/[a-z][A-Z]/.test(name) && (declared.has(name) || name in globalThis));
}

/** Codes of gRPC with more than one word. */
const STATUSES = new Set(Object.values(status).filter((code) => typeof code === 'string'));
/** Variables that Node, npm packages and terminals read, and names of other protocols. */
const VARIABLES = new Set([
  'NO_COLOR',
  'HTTPS_PROXY',
  'NODE_USE_ENV_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'ONNXRUNTIME_NODE_INSTALL_CUDA',
  // An error of HTTP/2.
  'ENHANCE_YOUR_CALM',
]);
/** Pages leave out the prefix of an enum where it is clear. */
const endings = new Set(
  [...values].flatMap((name) => [...name.matchAll(/_/g)].map(({ index }) => name.slice(index + 1))),
);

function* unknownNamesOf(line: string): Generator<string> {
  for (const [, code = ''] of line.matchAll(/`([^`]+)`/g)) {
    const [named, name = '', member] = /^([A-Z][a-z][A-Za-z0-9]*)(?:\.(\w+))?/.exec(code) ?? [];
    if (named === undefined || isName(name) || FOREIGN.has(named)) continue;
    const inside = members.get(name);
    if (inside === undefined || (member !== undefined && !inside.has(member))) yield code;
  }
  for (const [name] of line.matchAll(/\b[A-Z]{2,}(?:_[A-Z0-9]+)+\b/g)) {
    if (name.startsWith('MNEME_')) continue;
    if (!values.has(name) && !endings.has(name) && !STATUSES.has(name) && !VARIABLES.has(name)) yield name;
  }
}

/** Every flag and command of the program. */
async function typedNames(): Promise<{ flags: Set<string>; commands: Set<string> }> {
  const flags = new Set(['--help', '--version']);
  const commands = new Set<string>(['help']);
  const walk = (command: Command) => {
    commands.add(command.name());
    for (const { long } of command.options) if (long) flags.add(long);
    command.commands.forEach(walk);
  };
  walk(await programWith(COMMANDS));
  return { flags, commands };
}

const variables = new Set([
  ...settingsBySubject().flatMap(({ settings }) => settings.map(({ variable }) => variable)),
  ...['MNEME_SERVER', 'MNEME_NAMESPACE', 'MNEME_TOKEN', 'MNEME_AS', 'MNEME_TIMEOUT'],
  ...['MNEME_TEST_SEED', 'MNEME_ALL_TESTS', 'MNEME_BIN'],
]);
/** Lines of shell that call another program, whose flags are its own. */
const FOREIGN_COMMAND =
  /^\s*(?:\$ )?(?:pip|python3?|uv|go|mvn|cargo|npm|npx|esbuild|protoc|grpcurl|curl|docker|kubectl|helm|openssl) /;
/** A command of shell that continues on the next line. */
const CONTINUED = /\\\n\s*/g;
/** Flags of Node, redis-cli, protoc and the tools of this repository. */
const FOREIGN_FLAGS = new Set([
  ...[
    '--go_out',
    '--go-grpc_out',
    '--grpc_python_out',
    '--python_out',
    '--no-save',
    '--scan',
    '--pattern',
    '--python',
    '--changed',
    '--fixture',
    '--list',
    '--sizes',
    '--mode',
    '--minutes',
    '--rounds',
    '--seed',
    '--damage',
  ],
  ...['--v8-pool-size', '--concurrent-marking-max-worker-num', '--no-concurrent-marking', '--heap-growing-percent'],
  ...['--no-incremental-marking-task', '--no-parallel-scavenge', '--trace-gc-nvp', '--trace-incremental-marking'],
]);

describe.each(PAGES)('%s', (path) => {
  const lines = readFileSync(path, 'utf8').replace(CALLS, '').replaceAll(CONTINUED, ' ').split('\n');

  it('names methods, fields and values that the API has', () => {
    expect(lines.flatMap((line, at) => [...unknownNamesOf(line)].map((name) => `${at + 1}: ${name}`))).toEqual([]);
  });

  it('names commands, flags and variables that the program has', async () => {
    const { flags, commands } = await typedNames();
    const unknown = lines.flatMap((line, at) => {
      const named = FOREIGN_COMMAND.test(line)
        ? []
        : [...line.matchAll(/(?<![\w-])--[a-z][a-z0-9_-]+/g)].map(([flag]) => flag);
      const read = [...line.matchAll(/\bMNEME_[A-Z0-9_]+\b/g)].map(([variable]) => variable);
      const called = [...line.matchAll(/`(?:bin\/)?mneme ([a-z][a-z-]+)/g)].map(([, command = '']) => command);
      return [
        ...named.filter((flag) => !flags.has(flag) && !FOREIGN_FLAGS.has(flag)),
        ...read.filter((variable) => !variables.has(variable)),
        ...called.filter((command) => !commands.has(command)),
      ].map((name) => `${at + 1}: ${name}`);
    });
    expect(unknown).toEqual([]);
  });
});
