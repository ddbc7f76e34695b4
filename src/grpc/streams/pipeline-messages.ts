import { type BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { PipelineOperation, PipelineResult } from '../../../gen/ts/mneme/v1/pipeline_service.ts';
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

/** The operation, or its error: an undecodable operation fails alone, if its correlation id is readable. */
export function operationOf(
  bytes: Uint8Array,
): { readonly operation: PipelineOperation } | { readonly correlationId: number; readonly error: unknown } {
  try {
    return { operation: decode(PipelineOperation, bytes) };
  } catch (error) {
    return { correlationId: decode(CorrelationId, bytes), error };
  }
}

/** Decodes only this field of an operation. */
const CorrelationId: Codec<number> = {
  encode: (_, writer) => writer,
  decode(reader) {
    let id = 0;
    while (reader.pos < reader.len) {
      const [field, wireType] = reader.tag();
      if (field === CORRELATION_ID && wireType === VARINT) id = Number(reader.int64());
      else reader.skip(wireType);
    }
    return id;
  },
};

export function correlationIdOf(read: ReturnType<typeof operationOf>): number {
  return 'operation' in read ? read.operation.correlationId : read.correlationId;
}

export function resultOf(correlationId: number, result: PipelineResult['result']): Buffer {
  return Buffer.from(PipelineResult.encode({ correlationId, result }).finish());
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
