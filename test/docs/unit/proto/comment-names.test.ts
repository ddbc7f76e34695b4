/** Names in the comments of the protos: each must be declared in the API or be a setting of the server. */
import { readdirSync, readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { type DescriptorProto, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { expect, test } from '@jest/globals';
import { EXTRACTION_SETTINGS } from '../../../../src/memory/extraction-settings.ts';
import { RECALL_SETTINGS } from '../../../../src/memory/recall-settings.ts';
import { CACHE_SETTINGS } from '../../../../src/memory/setting-kinds.ts';
import { TIER_SETTINGS } from '../../../../src/memory/tier-settings.ts';
import { settings } from '../../../../src/server/config/settings.ts';

const PROTOS = 'proto/mneme/v1';
const image = fromBinary(FileDescriptorSetSchema, readFileSync('gen/image.binpb'));

/** Names outside of the API, such as products, keys of JSON content and values of settings and metadata. */
const OTHERS = new Set(
  (
    'PostgreSQL GitHub WordPieces position_x position_y position_z last_hours short_term long_term ' +
    'circuit_open cluster_down persistence_failed rolled_back other_records Caroline UTC ' +
    'o200k_base cl100k_base home_city working_memory fact_key extraction_failure'
  ).split(' '),
);
const STATUSES =
  'INVALID_ARGUMENT NOT_FOUND ALREADY_EXISTS FAILED_PRECONDITION RESOURCE_EXHAUSTED DEADLINE_EXCEEDED DATA_LOSS ' +
  'OUT_OF_RANGE PERMISSION_DENIED';

function* namesOf(message: DescriptorProto): Generator<string> {
  const { name, field, oneofDecl, nestedType, enumType } = message;
  yield name;
  for (const each of [...field, ...oneofDecl]) yield* [each.name, `${name}.${each.name}`];
  for (const each of nestedType) yield* namesOf(each);
  for (const each of enumType) yield* [each.name, ...each.value.map((value) => value.name)];
}

const declared = new Set([
  ...image.file.flatMap(({ messageType, enumType, service }) => [
    ...messageType.flatMap((message) => [...namesOf(message)]),
    ...enumType.flatMap(({ name, value }) => [name, ...value.map((each) => each.name)]),
    ...service.flatMap(({ name, method }) => [name, ...method.flatMap((rpc) => [rpc.name, `${name}.${rpc.name}`])]),
  ]),
  ...Object.keys(settings.shape).map((key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  ...Object.keys(CACHE_SETTINGS),
  ...Object.keys(EXTRACTION_SETTINGS),
  ...Object.keys(RECALL_SETTINGS),
  ...Object.keys(TIER_SETTINGS),
  ...STATUSES.split(' '),
]);
const isDeclared = (name: string) =>
  declared.has(name) ||
  declared.has(`ERROR_REASON_${name}`) ||
  (/^[a-z]/.test(name) && name.split('.').every((part) => declared.has(part)));

const comments = readdirSync(PROTOS).flatMap((file) =>
  [...readFileSync(`${PROTOS}/${file}`, 'utf8').matchAll(/^\s*\/\/ ?(.*)$/gm)].map(
    ([, text]) => [file, `${text}`] as const,
  ),
);

test('comments name only existing parts', () => {
  const names = comments.flatMap(([file, text]) => {
    const prose = text.replaceAll(/`[^`]*`/g, ' ');
    const unquoted = prose.match(/\b(?:[A-Z][a-z0-9]+){2,}\b|\b[A-Z]+(?:_[A-Z0-9]+)+\b/g) ?? [];
    const quoted = [...text.matchAll(/`([A-Za-z]\w*[A-Za-z0-9](?:\.\w+)?)`/g)].map(([, name]) => `${name}`);
    const identifiers = quoted.filter((name) => /_|[a-z][A-Z]|^[A-Z]/.test(name));
    return [...unquoted, ...identifiers].map((name) => [file, name] as const);
  });
  expect(names.length).toBeGreaterThan(500);
  expect(names.filter(([, name]) => !isDeclared(name) && !OTHERS.has(name))).toEqual([]);
});
