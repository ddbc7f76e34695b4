/**
 * Finishes what ts-proto generates. Every key of a map field becomes an ordinary one: the generated code assigns to plain objects,
 * where `__proto__` is no key and would be lost without a word. Code that nothing uses and no option of ts-proto omits goes: the
 * interfaces of servers, and `create`, which is `fromPartial`. Usage: node tools/finish-stubs.ts FOLDER
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a message is read, and made of a part of one. */
const ASSIGNMENT = /^( *)(message\.\w+|acc)\[(\w+(?:\.key)?)\] = (.+);$/gm;
const SERVER = /^export interface \w+Server extends UntypedServiceImplementation \{\n[\s\S]*?^\}\n\n?/gm;
const SERVER_TYPES = /^import (?:type )?\{[^}]*\bUntypedServiceImplementation\b[^}]*\} from "@grpc\/grpc-js";\n/m;
const CREATE = /^ {2}create\(base\?: DeepPartial<\w+>\): \w+(?:;\n| \{\n.*\n {2}\},\n)/gm;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node tools/finish-stubs.ts FOLDER');

for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.ts')) continue;
  const path = join(folder, name);
  const finished = readFileSync(path, 'utf8')
    .replace(
      ASSIGNMENT,
      (_, indent: string, map: string, key: string, value: string) =>
        `${indent}globalThis.Object.defineProperty(${map}, ${key}, {\n${indent}  value: ${value},\n` +
        `${indent}  configurable: true,\n${indent}  enumerable: true,\n${indent}  writable: true,\n${indent}});`,
    )
    .replace(SERVER, '')
    .replace(SERVER_TYPES, '')
    .replace(CREATE, '');
  writeFileSync(path, finished);
}
