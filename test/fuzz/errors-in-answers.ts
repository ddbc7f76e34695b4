import { type DescMessage, fromBinary, type Message } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';

interface StatusMessage {
  readonly code: number;
  readonly message: string;
}

const STATUS = 'google.rpc.Status';
const DEPTH_MAX = 4;

/** Errors that an answer has in its results. */
export function errorsIn(type: DescMessage, bytes: Uint8Array): StatusMessage[] {
  return found(type, fromBinary(type, bytes), 0);
}

function found(type: DescMessage, message: Message, depth: number): StatusMessage[] {
  if (type.typeName === STATUS) return [message as unknown as StatusMessage];
  if (depth === DEPTH_MAX) return [];
  const reflected = reflect(type, message);
  return type.fields.flatMap((field) => {
    if (!reflected.isSet(field)) return [];
    if (field.fieldKind === 'message') return found(field.message, reflected.get(field).message, depth + 1);
    if (field.fieldKind !== 'list' || field.listKind !== 'message') return [];
    return [...reflected.get(field)].flatMap((each) =>
      typeof each === 'object' && each !== null && 'message' in each
        ? found(field.message, each.message as Message, depth + 1)
        : [],
    );
  });
}
