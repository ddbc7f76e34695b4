import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { TestRandom } from '../support/random.ts';

type Mutation = (bytes: Uint8Array, random: TestRandom) => Uint8Array;

const MUTATIONS: readonly Mutation[] = [
  /** Cut. */
  (bytes, random) => bytes.subarray(0, random.int(bytes.length + 1)),
  /** Some bits are others. */
  (bytes, random) => {
    const changed = Uint8Array.from(bytes);
    for (let bits = 1 + random.int(4); bits > 0 && changed.length > 0; bits--) {
      const at = random.int(changed.length);
      changed[at] = (changed[at] ?? 0) ^ (1 << random.int(8));
    }
    return changed;
  },
  /** A part is there twice. */
  (bytes, random) => {
    const [from, length] = [random.int(bytes.length + 1), random.int(64)];
    return joined(bytes.subarray(0, from + length), bytes.subarray(from));
  },
  /** A part is missing. */
  (bytes, random) => {
    const from = random.int(bytes.length + 1);
    return joined(bytes.subarray(0, from), bytes.subarray(from + 1 + random.int(8)));
  },
  /** Random bytes. */
  (bytes, random) => joined(bytes, randomBytes(random, random.int(32))),
  (_, random) => randomBytes(random, random.int(200)),
  /** Twice: fields are merged. */
  (bytes) => joined(bytes, bytes),
  /** A field that is not known. */
  (bytes, random) => {
    const number = random.pick([99, 15_000, 536_870_911]);
    return joined(
      bytes,
      new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(bytes.subarray(0, 100)).finish(),
    );
  },
  /** A known field with another wire type. */
  (bytes, random) => {
    const writer = new BinaryWriter();
    const number = 1 + random.int(20);
    const kind = random.int(4);
    if (kind === 0) writer.tag(number, WireType.Varint).int64(-1n);
    else if (kind === 1) writer.tag(number, WireType.Bit32).sfixed32(-1);
    else if (kind === 2) writer.tag(number, WireType.Bit64).sfixed64(-1n);
    else writer.tag(number, WireType.StartGroup).tag(1, WireType.Varint).int64(1n).tag(number, WireType.EndGroup);
    return joined(bytes, writer.finish());
  },
  /** Groups without an end, and field number 0. */
  (bytes, random) => joined(bytes, new Uint8Array(random.int(200)).fill(random.pick([0x0b, 0x0c, 0x00, 0x07]))),
  /** A length beyond the message, or beyond every message. */
  (bytes, random) => joined(bytes, Uint8Array.of(0x0a, ...random.pick([[0x7f], [0xff, 0xff, 0xff, 0xff, 0x0f], LONG]))),
];

/** A varint of more bytes than one may have. */
const LONG = Array.from({ length: 12 }, () => 0xff);

/** The message with one to three changes. */
export function mutated(bytes: Uint8Array, random: TestRandom): Uint8Array {
  let changed = bytes;
  for (let count = 1 + random.int(3); count > 0; count--) changed = random.pick(MUTATIONS)(changed, random);
  return changed;
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  return Buffer.concat([one, other]);
}

function randomBytes(random: TestRandom, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.int(256));
}
