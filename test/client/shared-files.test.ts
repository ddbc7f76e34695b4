import { readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from '@jest/globals';
import families from '../../clients/error-families.json' with { type: 'json' };
import serviceConfig from '../../clients/service-config.json' with { type: 'json' };

const image = fromBinary(FileDescriptorSetSchema, readFileSync('gen/image.binpb'));
const methods = image.file
  .filter(({ package: name }) => name === 'mneme.v1')
  .flatMap(({ service }) => service)
  .flatMap(({ name: service, method }) =>
    method.map(({ name, clientStreaming, serverStreaming }) => ({
      name: `mneme.v1.${service}/${name}`,
      isUnary: !clientStreaming && !serverStreaming,
    })),
  );
const configured = serviceConfig.methodConfig.flatMap(({ name }) =>
  name.map(({ service, method }) => `${service}/${method}`),
);

describe('files that the clients of all languages read', () => {
  it('error families › name every method of the API, and no other', () => {
    expect(Object.keys(families).sort()).toEqual(methods.map(({ name }) => name).sort());
    expect([...new Set(Object.values(families))].sort()).toEqual([
      'base',
      'configuration',
      'maintenance',
      'retrieval',
      'store',
    ]);
  });

  it('service config › decides for every unary method whether it is retried, once', () => {
    const unary = methods.filter(({ isUnary }) => isUnary).map(({ name }) => name);
    expect(unary.filter((name) => !configured.includes(name))).toEqual([]);
    expect(configured.length).toBe(new Set(configured).size);
  });

  it('service config › retries no stream except an export, which only reads and has not yielded anything yet', () => {
    const known = new Map(methods.map(({ name, isUnary }) => [name, isUnary]));
    expect(configured.filter((name) => known.get(name) !== true)).toEqual(['mneme.v1.MemoryService/ExportMemories']);
  });
});
