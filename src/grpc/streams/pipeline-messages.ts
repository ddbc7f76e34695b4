import { type BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { PipelineOperation, PipelineResult } from '../../../gen/ts/mneme/v1/pipeline_service.ts';
import { invalidFields } from '../../memory/errors.ts';
import { type Codec, decode } from '../edge/codec.ts';

const LENGTH_DELIMITED = 2;
const VARINT = 0;
/** Results are put together into messages of about this size. */
const MESSAGE_BYTES = 65_536;
/** Field 1 of SessionRequest and of SessionResponse. */
const ITEMS = 1;
/** Field 1 of SessionOperation. */
const CORRELATION_ID = 1;

/**
 * SessionRequest or SessionResponse with encoded operations or results, so that each is decoded and encoded separately.
 */
export interface PipelineMessage {
  readonly items: readonly Uint8Array[];
}

export const PipelineMessage: Codec<PipelineMessage> = {
  encode({ items }: PipelineMessage, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    for (const item of items) writer.uint32((ITEMS << 3) | LENGTH_DELIMITED).bytes(item);
    return writer;
  },
  decode(reader: BinaryReader): PipelineMessage {
    const items: Uint8Array[] = [];
    while (reader.pos < reader.len) {
      const [field, wireType] = reader.tag();
      if (field === ITEMS && wireType === LENGTH_DELIMITED) items.push(reader.bytes());
      else reader.skip(wireType);
    }
    return { items };
  },
};

/** Any 64-bit integer for a refusal, so that it is returned exactly; at most 2^53 - 1 for an operation that is run. */
type CorrelationId = number | bigint;

/** The operation, or its error: an undecodable operation fails alone, if its correlation id is readable. */
export function operationOf(
  bytes: Uint8Array,
): { readonly operation: PipelineOperation } | { readonly correlationId: CorrelationId; readonly error: unknown } {
  try {
    return { operation: decode(PipelineOperation, bytes) };
  } catch (error) {
    const correlationId = decode(CorrelationIdField, bytes);
    return { correlationId, error: Number.isSafeInteger(Number(correlationId)) ? error : unsafe(correlationId) };
  }
}

function unsafe(correlationId: bigint): Error {
  return invalidFields([{ field: 'correlation_id', description: `must be from 1 to 2^53 - 1, got ${correlationId}` }]);
}

/** Decodes only this field of an operation. */
const CorrelationIdField: Codec<bigint> = {
  encode: (_, writer) => writer,
  decode(reader) {
    let id = 0n;
    while (reader.pos < reader.len) {
      const [field, wireType] = reader.tag();
      if (field === CORRELATION_ID && wireType === VARINT) id = BigInt(reader.int64());
      else reader.skip(wireType);
    }
    return id;
  },
};

export function correlationIdOf(read: ReturnType<typeof operationOf>): CorrelationId {
  return 'operation' in read ? read.operation.correlationId : read.correlationId;
}

export function resultOf(correlationId: CorrelationId, result: PipelineResult['result']): Buffer {
  // The generated codec has no integers above 2^53 - 1; a field that is 0 is not written.
  const writer = new BinaryWriter().uint32((CORRELATION_ID << 3) | VARINT).int64(correlationId.toString());
  return Buffer.from(PipelineResult.encode({ correlationId: 0, result }, writer).finish());
}

export function* packed(results: readonly Buffer[]): Generator<Buffer[]> {
  let items: Buffer[] = [];
  let bytes = 0;
  for (const result of results) {
    if (items.length > 0 && bytes + result.length > MESSAGE_BYTES) {
      yield items;
      items = [];
      bytes = 0;
    }
    items.push(result);
    bytes += result.length;
  }
  yield items;
}
