import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type ModuleItem, parseSync, type TsInterfaceDeclaration, type TsTypeAliasDeclaration } from '@swc/core';

export type TypeDeclaration = TsInterfaceDeclaration | TsTypeAliasDeclaration;

/** A type with the file in which its names have their meaning. */
export interface Declared {
  readonly file: string;
  readonly declaration: TypeDeclaration;
}

const files = new Map<string, readonly ModuleItem[]>();

function itemsOf(file: string): readonly ModuleItem[] {
  let items = files.get(file);
  if (items === undefined) {
    items = parseSync(readFileSync(file, 'utf8'), { syntax: 'typescript', decorators: true }).body;
    files.set(file, items);
  }
  return items;
}

/** The interface or alias that a name means in a file, whichever file declares it; undefined for classes and unknown names. */
export function declarationOf(file: string, name: string): Declared | undefined {
  for (const item of itemsOf(file)) {
    const declaration = item.type === 'ExportDeclaration' ? item.declaration : item;
    const isType = declaration.type === 'TsInterfaceDeclaration' || declaration.type === 'TsTypeAliasDeclaration';
    if (isType && declaration.id.value === name) return { file, declaration };
  }
  for (const item of itemsOf(file)) {
    const found = elsewhere(file, item, name);
    if (found) return found;
  }
  return undefined;
}

function elsewhere(file: string, item: ModuleItem, name: string): Declared | undefined {
  if (item.type === 'ImportDeclaration') {
    for (const part of item.specifiers) {
      if (part.local.value !== name || part.type !== 'ImportSpecifier') continue;
      return declaredIn(file, item.source.value, part.imported?.value ?? name);
    }
  }
  if (item.type === 'ExportNamedDeclaration' && item.source) {
    for (const part of item.specifiers) {
      if (part.type !== 'ExportSpecifier' || (part.exported ?? part.orig).value !== name) continue;
      return declaredIn(file, item.source.value, part.orig.value);
    }
  }
  if (item.type === 'ExportAllDeclaration') return declaredIn(file, item.source.value, name);
  return undefined;
}

function declaredIn(importer: string, specifier: string, name: string): Declared | undefined {
  const file = fileOf(importer, specifier);
  return file === undefined ? undefined : declarationOf(file, name);
}

/** The file of a module: of this client, or the declarations of a package; undefined where there is none. */
function fileOf(importer: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) {
    const path = resolve(dirname(importer), specifier);
    return [path, path.replace(/\.js$/, '.d.ts')].find((each) => each.endsWith('.ts') && existsSync(each));
  }
  const types = join('node_modules', specifier, 'dist/src/index.d.ts');
  return existsSync(types) ? resolve(types) : undefined;
}
