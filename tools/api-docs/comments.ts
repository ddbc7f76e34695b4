/**
 * Comments of the proto files, by what they belong to. `@bufbuild/protoplugin` has the same function and brings a second TypeScript of 35 MB with it.
 */
import type { AnyDesc, DescFile } from '@bufbuild/protobuf';

/** Field numbers in google/protobuf/descriptor.proto, which paths of comments are made of. */
const IN_FILE = { message: 4, enum: 5, service: 6, package: 2 } as const;
const IN_MESSAGE = { field: 2, message: 3, enum: 4, oneof: 8 } as const;
const IN_ENUM_VALUE = 2;
const IN_SERVICE_RPC = 2;

const commentsOfFiles = new WeakMap<DescFile, ReadonlyMap<string, string>>();

/** The comment above a declaration, as it was written; empty when there is none. */
export function commentOf(desc: AnyDesc): string {
  return desc.kind === 'file' ? commentAt(desc, [IN_FILE.package]) : commentAt(fileOf(desc), pathOf(desc));
}

function commentAt(file: DescFile, path: readonly number[]): string {
  let comments = commentsOfFiles.get(file);
  if (comments === undefined) {
    const locations = file.proto.sourceCodeInfo?.location ?? [];
    comments = new Map(locations.map((location) => [location.path.join('.'), location.leadingComments]));
    commentsOfFiles.set(file, comments);
  }
  return (comments.get(path.join('.')) ?? '').replace(/^ /gm, '').trim();
}

function fileOf(desc: Exclude<AnyDesc, DescFile>): DescFile {
  return 'file' in desc ? desc.file : desc.parent.file;
}

function pathOf(desc: Exclude<AnyDesc, DescFile>): readonly number[] {
  switch (desc.kind) {
    case 'service':
      return [IN_FILE.service, desc.file.proto.service.indexOf(desc.proto)];
    case 'rpc':
      return [...pathOf(desc.parent), IN_SERVICE_RPC, desc.parent.proto.method.indexOf(desc.proto)];
    case 'message':
      return desc.parent === undefined
        ? [IN_FILE.message, desc.file.proto.messageType.indexOf(desc.proto)]
        : [...pathOf(desc.parent), IN_MESSAGE.message, desc.parent.proto.nestedType.indexOf(desc.proto)];
    case 'enum':
      return desc.parent === undefined
        ? [IN_FILE.enum, desc.file.proto.enumType.indexOf(desc.proto)]
        : [...pathOf(desc.parent), IN_MESSAGE.enum, desc.parent.proto.enumType.indexOf(desc.proto)];
    case 'enum_value':
      return [...pathOf(desc.parent), IN_ENUM_VALUE, desc.parent.proto.value.indexOf(desc.proto)];
    case 'oneof':
      return [...pathOf(desc.parent), IN_MESSAGE.oneof, desc.parent.proto.oneofDecl.indexOf(desc.proto)];
    case 'field':
      return [...pathOf(desc.parent), IN_MESSAGE.field, desc.parent.proto.field.indexOf(desc.proto)];
    case 'extension':
      throw new Error(`${desc.typeName}: the API has no extensions`);
  }
}
