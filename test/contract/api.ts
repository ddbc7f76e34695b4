import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  createFileRegistry,
  type DescMethod,
  fromBinary,
  fromJson,
  type JsonValue,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

const IMAGE = fileURLToPath(new URL('../../gen/image.binpb', import.meta.url));
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(IMAGE)));

/** Every method of the API by its name, such as `MemoryService.StoreMemory`. */
export const METHODS: ReadonlyMap<string, DescMethod> = new Map(
  [...registry.files]
    .filter(({ proto }) => proto.package === 'mneme.v1')
    .flatMap(({ services }) => services)
    .flatMap((service) => service.methods.map((method) => [`${service.name}.${method.name}`, method] as const)),
);

/** Path of a method as gRPC names it. */
export function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

export function methodOf(name: string): DescMethod {
  const method = METHODS.get(name);
  if (!method) throw new Error(`the API has no ${name}`);
  return method;
}

type Side = 'input' | 'output';

export function bytesOf(method: DescMethod, side: Side, json: JsonValue): Buffer {
  return Buffer.from(toBinary(method[side], fromJson(method[side], json)));
}

export function jsonOf(method: DescMethod, side: Side, bytes: Uint8Array): JsonValue {
  return toJson(method[side], fromBinary(method[side], bytes));
}
