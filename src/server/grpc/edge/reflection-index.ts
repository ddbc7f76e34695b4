import { readFileSync } from 'node:fs';
import {
  createFileRegistry,
  type DescMessage,
  type DescService,
  type FileRegistry,
  fromBinary,
  toBinary,
} from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

/** Descriptors of all services of the server, from the image that `make gen` commits. */
export class ReflectionIndex {
  readonly registry: FileRegistry;
  private readonly files;

  constructor(image: URL) {
    const set = fromBinary(FileDescriptorSetSchema, readFileSync(image));
    this.registry = createFileRegistry(set);
    this.files = new Map(
      set.file.map((file) => [
        file.name,
        { bytes: toBinary(FileDescriptorProtoSchema, file), imports: file.dependency },
      ]),
    );
  }

  /** Full names of the services. */
  get services(): string[] {
    return [...this.registry].flatMap((type) => (type.kind === 'service' ? [type.typeName] : []));
  }

  /** File that declares a message, enum or service, or a field, value or method of one. */
  fileOf(symbol: string): string | undefined {
    const type = this.registry.get(symbol) ?? this.registry.get(symbol.replace(/\.[^.]+$/, ''));
    return type?.file.proto.name;
  }

  serviceOf(name: string): DescService | undefined {
    return this.registry.getService(name);
  }

  hasMessage(name: string): boolean {
    return this.registry.getMessage(name) !== undefined;
  }

  /** The request message of a method, `package.Service/Method`. */
  requestOf(path: string): DescMessage | undefined {
    const [service = '', method] = path.split('/');
    return this.registry.getService(service)?.methods.find(({ name }) => name === method)?.input;
  }

  /** A file with all that it imports, each once, itself first; `undefined` when there is no such file. */
  closure(name: string): Uint8Array[] | undefined {
    if (!this.files.has(name)) return undefined;
    const names = new Set([name]);
    const descriptors: Uint8Array[] = [];
    for (const next of names) {
      const file = this.files.get(next);
      if (!file) continue;
      descriptors.push(file.bytes);
      for (const imported of file.imports) names.add(imported);
    }
    return descriptors;
  }
}
