import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { TestRandom } from '../support/random.ts';
import { NUMBERS, REALS, strangeText } from './boundary-values.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Fields that let a call wait until its deadline: seldom set. */
const WAITING = /^(min_revision|wait)/;
/** Fields that most requests have. */
const USUAL =
  /^(parent|names?|sessions?|conversation|memory|memories|requests|text|query|key|value|namespace|subscription|fact|scope|messages|role|items|first_sequence|stream_id)$/;
const DEPTH_MAX = 8;
/** Levels of a nested message that is deeper than what is read. */
const DEEP = 130;

/** Makes requests in wire format: mostly such as callers send, with boundary values in some fields. */
export class MessageSource {
  private readonly random: TestRandom;
  private readonly vocabulary: Vocabulary;
  /** Probability of a boundary value in a field. */
  private strangeness = 0;
  /** Probability that a field is set which most requests leave out. */
  private density = 0;

  constructor(random: TestRandom, vocabulary: Vocabulary) {
    this.random = random;
    this.vocabulary = vocabulary;
  }

  /** `isFirst`: of a stream, where the first alternative mostly begins it. */
  request(type: DescMessage, isFirst: boolean): Uint8Array {
    const { random } = this;
    this.strangeness = random.pick([0, 0, 0, 0, 0.03, 0.2, 0.7]);
    this.density = random.pick([0, 0.02, 0.1, 0.5]);
    if (random.chance(0.01)) return this.deep(type);
    return this.message(type, 0, isFirst);
  }

  private message(type: DescMessage, depth: number, isFirst = true): Uint8Array {
    const writer = new BinaryWriter();
    const chosen = new Map(
      type.oneofs.map(({ name, fields }) => [name, this.alternative(fields, isFirst && depth === 0)]),
    );
    for (const field of type.fields) {
      const isAlternative = field.oneof !== undefined;
      if (isAlternative && chosen.get(field.oneof.name) !== field && !this.random.chance(this.strangeness / 20))
        continue;
      if (!isAlternative && !this.random.chance(this.likelihood(field, depth))) continue;
      if (depth >= DEPTH_MAX && field.message) continue;
      this.field(writer, type, field, depth);
    }
    return writer.finish();
  }

  private alternative(fields: readonly DescField[], isFirst: boolean): DescField | undefined {
    if (this.random.chance(0.05)) return undefined;
    return isFirst && this.random.chance(0.5) ? fields[0] : this.random.pick(fields);
  }

  private likelihood(field: DescField, depth: number): number {
    if (WAITING.test(field.name)) return 0.02;
    if (USUAL.test(field.name)) return 0.93;
    const isWhole = field.fieldKind === 'message' || field.fieldKind === 'list' || field.fieldKind === 'map';
    const usual = isWhole ? [0.2, 0.02] : [0.1, 0.3];
    return Math.max(this.density / (isWhole ? 1 + depth : 1), usual[Math.min(1, depth)] ?? 0);
  }

  private field(writer: BinaryWriter, owner: DescMessage, field: DescField, depth: number): void {
    if (field.fieldKind === 'list') {
      for (let left = this.listLength(field); left > 0; left--) this.value(writer, owner, field, depth);
    } else if (field.fieldKind === 'map') {
      for (let left = this.random.int(4); left > 0; left--) this.entry(writer, owner, field, depth);
    } else this.value(writer, owner, field, depth);
  }

  /** Many for some fields of small values. */
  private listLength({ message }: DescField): number {
    const { random } = this;
    if (!random.chance(this.strangeness / 10)) return random.int(4);
    return random.pick(message ? [0, 64, 300] : [0, 65, 1001, 5000]);
  }

  private entry(
    writer: BinaryWriter,
    owner: DescMessage,
    field: DescField & { fieldKind: 'map' },
    depth: number,
  ): void {
    writer.tag(field.number, WireType.LengthDelimited).fork();
    this.scalar(writer, 1, field.mapKey, field.name, owner.name);
    if (field.message) writer.tag(2, WireType.LengthDelimited).bytes(this.message(field.message, depth + 1));
    else this.scalar(writer, 2, field.scalar ?? ScalarType.INT32, field.name, owner.name);
    writer.join();
  }

  private value(writer: BinaryWriter, owner: DescMessage, field: DescField, depth: number): void {
    if (field.message) {
      writer.tag(field.number, WireType.LengthDelimited).bytes(this.message(field.message, depth + 1));
    } else if (field.enum) {
      const known = BigInt(this.random.pick(field.enum.values).number);
      this.varint(writer, field.number, this.isStrange() ? this.random.pick(NUMBERS) : known);
    } else if (field.scalar) this.scalar(writer, field.number, field.scalar, field.name, owner.name);
  }

  private scalar(writer: BinaryWriter, number: number, kind: ScalarType, name: string, owner: string): void {
    const { random } = this;
    switch (kind) {
      case ScalarType.STRING:
      case ScalarType.BYTES: {
        const text = this.isStrange() ? strangeText(random) : Buffer.from(this.vocabulary.text(name, owner, random));
        const bytes = kind === ScalarType.BYTES && random.chance(0.5) ? this.known(name) : undefined;
        writer.tag(number, WireType.LengthDelimited).bytes(bytes ?? text);
        break;
      }
      case ScalarType.DOUBLE:
        writer.tag(number, WireType.Bit64).double(this.isStrange() ? random.pick(REALS) : random.next());
        break;
      case ScalarType.FLOAT:
        writer.tag(number, WireType.Bit32).float(this.isStrange() ? Math.fround(random.pick(REALS)) : random.next());
        break;
      case ScalarType.FIXED32:
      case ScalarType.SFIXED32:
        writer.tag(number, WireType.Bit32).sfixed32(random.int(2 ** 31));
        break;
      case ScalarType.FIXED64:
      case ScalarType.SFIXED64:
        writer.tag(number, WireType.Bit64).sfixed64(random.pick(NUMBERS));
        break;
      default:
        this.varint(writer, number, this.number(name, kind));
    }
  }

  private number(name: string, kind: ScalarType): bigint {
    if (this.isStrange()) return this.random.pick(NUMBERS);
    const known = this.random.chance(0.5) ? this.vocabulary.known(name, kind, this.random) : undefined;
    return typeof known === 'bigint' ? BigInt.asIntN(64, known) : BigInt(this.random.int(12));
  }

  /** Bytes of a token of an earlier answer. */
  private known(name: string): Uint8Array | undefined {
    const value = this.vocabulary.known(name, ScalarType.BYTES, this.random);
    return value instanceof Uint8Array ? value : undefined;
  }

  private varint(writer: BinaryWriter, number: number, value: bigint): void {
    writer.tag(number, WireType.Varint).int64(value);
  }

  private isStrange(): boolean {
    return this.random.chance(this.strangeness);
  }

  /** A message within itself, deeper than is read, where the type has a field that allows it. */
  private deep(type: DescMessage): Uint8Array {
    let bytes: Uint8Array = new Uint8Array();
    const path: DescField[] = [];
    let at = type;
    for (let level = 0; level < DEEP; level++) {
      const inner = at.fields.filter(({ message }) => message !== undefined);
      if (inner.length === 0) break;
      const self = inner.find(({ message }) => message === at);
      const field = self ?? this.random.pick(inner);
      path.push(field);
      if (field.message) at = field.message;
    }
    for (const { number } of path.toReversed()) {
      bytes = new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(bytes).finish();
    }
    return bytes;
  }
}
