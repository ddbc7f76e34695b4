/**
 * Makes every key of a map field an ordinary one in generated code, which assigns to plain objects: there `__proto__` is no key
 * and would be lost without a word. Usage: node tools/map-keys.ts FOLDER
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a message is read, and made of a part of one. */
const ASSIGNMENT = /^( *)(message\.\w+|acc)\[(\w+(?:\.key)?)\] = (.+);$/gm;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node tools/map-keys.ts FOLDER');

for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.ts')) continue;
  const path = join(folder, name);
  const generated = readFileSync(path, 'utf8');
  const kept = generated.replace(
    ASSIGNMENT,
    (_, indent: string, map: string, key: string, value: string) =>
      `${indent}globalThis.Object.defineProperty(${map}, ${key}, {\n${indent}  value: ${value},\n` +
      `${indent}  configurable: true,\n${indent}  enumerable: true,\n${indent}  writable: true,\n${indent}});`,
  );
  if (kept !== generated) writeFileSync(path, kept);
}
