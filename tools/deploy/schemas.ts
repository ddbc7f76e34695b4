/**
 * Writes schemas for kubeconform. Usage: schemas.ts kubernetes FROM TO | schemas.ts crds FILE TO
 *
 * kubernetes: those of the package kubernetes-validate, with references that kubeconform can follow.
 * crds: one of each version of each CustomResourceDefinition in a YAML file; unknown fields are refused.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

type Schema = Readonly<Record<string, unknown>>;

interface Definition {
  readonly kind?: string;
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema?: { readonly openAPIV3Schema?: Schema } }[];
  };
}

function writeKubernetes(source: string, target: string): void {
  for (const file of readdirSync(source)) {
    const { $id: _, ...schema } = JSON.parse(readFileSync(join(source, file), 'utf8')) as Schema;
    const text = JSON.stringify(schema).replaceAll('"/api/_definitions.json#/', '"_definitions.json#/');
    writeFileSync(join(target, file), text);
  }
}

function writeCustom(file: string, target: string): void {
  for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
    const definition = document.toJS() as Definition | null;
    if (definition?.kind !== 'CustomResourceDefinition') continue;
    const { group, names, versions } = definition.spec;
    for (const { name, schema } of versions) {
      const body = closed(schema?.openAPIV3Schema ?? {}) as { readonly properties?: Schema };
      const common = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } };
      const whole = { ...body, properties: { ...body.properties, ...common } };
      writeFileSync(join(target, `${names.kind.toLowerCase()}-${group}-${name}.json`), JSON.stringify(whole));
    }
  }
}

/** The schema with unknown fields refused, wherever it lists fields and does not say that it keeps others. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const made = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const lists = made['type'] === 'object' && typeof made['properties'] === 'object';
  const keeps = made['x-kubernetes-preserve-unknown-fields'] === true || 'additionalProperties' in made;
  return lists && !keeps ? { ...made, additionalProperties: false } : made;
}

const [command, from, to] = process.argv.slice(2);
if (from === undefined || to === undefined) throw new Error('usage: schemas.ts kubernetes|crds FROM TO');
mkdirSync(to, { recursive: true });
if (command === 'kubernetes') writeKubernetes(from, to);
else writeCustom(from, to);
