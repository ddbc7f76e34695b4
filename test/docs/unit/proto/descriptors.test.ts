import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import {
  type DescriptorProto,
  type FieldDescriptorProto,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from '@jest/globals';

const image = fromBinary(FileDescriptorSetSchema, readFileSync('gen/image.binpb'));
const files = image.file.filter(({ package: name }) => name === 'mneme.v1');

/** Reserved words of languages that name fields as the proto does, or in camel case. */
const KEYWORDS: Readonly<Record<string, string>> = {
  python:
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
    'import in is lambda nonlocal not or pass raise return try while with yield match case',
  java:
    'abstract assert boolean break byte case catch char class const continue default do double else enum extends final ' +
    'finally float for goto if implements import instanceof int interface long native new package private protected ' +
    'public return short static strictfp super switch synchronized this throw throws transient try void volatile while',
  go:
    'break case chan const continue default defer else fallthrough for func go goto if import interface map package ' +
    'range return select struct switch type var',
  rust:
    'as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut ' +
    'pub ref return self static struct super trait true type unsafe use where while abstract become box do final gen ' +
    'macro override priv try typeof unsized virtual yield',
  csharp:
    'abstract as base bool break byte case catch char checked class const continue decimal default delegate do double ' +
    'else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal ' +
    'is lock long namespace new null object operator out override params private protected public readonly ref return ' +
    'sbyte sealed short sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked ' +
    'unsafe ushort using virtual void volatile while',
  typescript:
    'break case catch class const continue debugger default delete do else enum export extends false finally for ' +
    'function if import in instanceof new null return super switch this throw true try typeof var void while with ' +
    'implements interface let package private protected public static yield',
  cpp:
    'alignas alignof and asm auto bool break case catch char class compl concept const consteval constexpr constinit ' +
    'continue decltype default delete do double else enum explicit export extern false float for friend goto if inline ' +
    'int long mutable namespace new noexcept not nullptr operator or private protected public register requires return ' +
    'short signed sizeof static struct switch template this throw true try typedef typeid typename union unsigned using ' +
    'virtual void volatile wchar_t while xor',
};

/**
 * Reserved words that are kept where they are the right name and cost nothing: `type` is a field of a memory (`r#type`
 * in Rust, a capital letter in Go), `namespace` is a field of a scope (`namespace_` in C++, a capital letter in C#),
 * `event` is a oneof (a capital letter in C#).
 */
const KEPT = new Set(['type', 'namespace', 'event']);

function* namesOf(message: DescriptorProto, path: string): Generator<readonly [path: string, name: string]> {
  for (const { name } of [...message.field, ...message.oneofDecl]) yield [`${path}.${name}`, name];
  for (const nested of message.nestedType) yield* namesOf(nested, `${path}.${nested.name}`);
}

/** Names that protoc makes of a field for Java; two fields with one of them in common get numbers instead. */
function accessorsOf({ name, type, label }: FieldDescriptorProto): string[] {
  const base = name.replaceAll(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const isRepeated = label === FieldDescriptorProto_Label.REPEATED;
  const isText = type === FieldDescriptorProto_Type.STRING;
  const isEnum = type === FieldDescriptorProto_Type.ENUM;
  const suffixes = [
    ...(isRepeated ? ['Count', 'List'] : []),
    ...(isText ? ['Bytes'] : []),
    ...(isEnum ? ['Value'] : []),
  ];
  return ['', ...suffixes].map((suffix) => base + suffix);
}

const fields = files.flatMap(({ messageType }) => messageType.flatMap((type) => [...namesOf(type, type.name)]));

describe('mneme.v1', () => {
  it.each(Object.entries(KEYWORDS))('no field is a reserved word of %s', (_, words) => {
    const reserved = new Set(words.split(' '));
    expect(fields.length).toBeGreaterThan(1000);
    expect(fields.filter(([, name]) => reserved.has(name) && !KEPT.has(name)).map(([path]) => path)).toEqual([]);
  });

  it('the values of an enum are no reserved words without the prefix of the enum', () => {
    const reserved = new Set(Object.values(KEYWORDS).join(' ').split(' '));
    const shortNames = files.flatMap(({ enumType }) =>
      enumType.flatMap(({ name, value }) => {
        const prefix = `${name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase()}_`;
        return value.map((each) => each.name.slice(prefix.length));
      }),
    );
    // Generators that leave the prefix out write capital letters: `In`, `IN`.
    expect(shortNames.filter((name) => reserved.has(name))).toEqual([]);
  });

  it('no two fields of a message have the same accessor in Java', () => {
    for (const { name: message, field } of files.flatMap(({ messageType }) => messageType)) {
      const accessors = field.flatMap((each) => accessorsOf(each).map((accessor) => `${message}.${accessor}`));
      expect(accessors.filter((accessor, at) => accessors.indexOf(accessor) !== at)).toEqual([]);
    }
  });

  it('no message or enum is called as a class that Java or Rust knows without an import', () => {
    const names = files.flatMap(({ messageType, enumType }) => [...messageType, ...enumType].map(({ name }) => name));
    const taken = new Set(
      (
        'Boolean Byte Character Class Comparable Double Enum Error Exception Float Integer Iterable Long Math Module ' +
        'Number Object Override Package Process Record Runnable Runtime Short String System Thread Throwable Void ' +
        'Box Clone Copy Default Drop Eq Err From Into Iterator None Ok Option Ord Result Send Some Sync Vec'
      ).split(' '),
    );
    expect(names.filter((name) => taken.has(name))).toEqual([]);
  });

  it('no name of a message or an enum occurs twice, in any case', () => {
    const names = files.flatMap(({ messageType, enumType }) =>
      [...messageType, ...enumType].map(({ name }) => name.toLowerCase()),
    );
    expect(names.length).toBe(new Set(names).size);
  });

  it('each method has request and response messages named after it', () => {
    for (const { name: service, method } of files.flatMap((file) => file.service)) {
      for (const { name, inputType, outputType } of method) {
        expect([service, inputType, outputType]).toEqual([
          service,
          `.mneme.v1.${name}Request`,
          `.mneme.v1.${name}Response`,
        ]);
      }
    }
  });

  it('each file sets its package in Go, Java, C#, PHP and Ruby', () => {
    for (const { name, options } of files) {
      expect({ name, ...options }).toMatchObject({
        name,
        goPackage: 'github.com/mneme-ai/mneme/clients/go/mnemev1;mnemev1',
        javaPackage: 'dev.mneme.v1',
        javaMultipleFiles: true,
        javaOuterClassname: expect.stringMatching(/^[A-Z]\w+Proto$/),
        csharpNamespace: 'Mneme.V1',
        phpNamespace: 'Mneme\\V1',
        rubyPackage: 'Mneme::V1',
      });
    }
  });

  it('proto/ is the only include path needed, in addition to those of the compiler', () => {
    const paths = readdirSync('proto', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.proto'));
    expect(paths.length).toBeGreaterThan(15);
    for (const path of paths) {
      const imports = [...readFileSync(`proto/${path}`, 'utf8').matchAll(/^import "([^"]+)";$/gm)].map(
        ([, of]) => `${of}`,
      );
      const missing = imports.filter((of) => !of.startsWith('google/protobuf/') && !existsSync(`proto/${of}`));
      expect([path, missing]).toEqual([path, []]);
    }
  });
});
