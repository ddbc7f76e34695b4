import { fromBinary, type Registry, toJson } from '@bufbuild/protobuf';
import { status as Code } from '@grpc/grpc-js';
import { type Failure, statusOf } from '../../grpc/edge/status.ts';

/** Statuses of gRPC as the Connect protocol names them, and their statuses of HTTP. */
const CODES: Readonly<Record<Code, readonly [name: string, httpStatus: number]>> = {
  [Code.OK]: ['ok', 200],
  [Code.CANCELLED]: ['canceled', 499],
  [Code.UNKNOWN]: ['unknown', 500],
  [Code.INVALID_ARGUMENT]: ['invalid_argument', 400],
  [Code.DEADLINE_EXCEEDED]: ['deadline_exceeded', 504],
  [Code.NOT_FOUND]: ['not_found', 404],
  [Code.ALREADY_EXISTS]: ['already_exists', 409],
  [Code.PERMISSION_DENIED]: ['permission_denied', 403],
  [Code.RESOURCE_EXHAUSTED]: ['resource_exhausted', 429],
  [Code.FAILED_PRECONDITION]: ['failed_precondition', 400],
  [Code.ABORTED]: ['aborted', 409],
  [Code.OUT_OF_RANGE]: ['out_of_range', 400],
  [Code.UNIMPLEMENTED]: ['unimplemented', 501],
  [Code.INTERNAL]: ['internal', 500],
  [Code.UNAVAILABLE]: ['unavailable', 503],
  [Code.DATA_LOSS]: ['data_loss', 500],
  [Code.UNAUTHENTICATED]: ['unauthenticated', 401],
};

export function httpStatusOf({ code }: Failure): number {
  return CODES[code][1];
}

/** The error as an object of the Connect protocol; `debug` has each detail as people read it. */
export function errorBody(failure: Failure, registry: Registry): object {
  const { code, details: message } = failure;
  const details = statusOf(failure).details.map(({ typeUrl, value }) => {
    const type = typeUrl.slice(typeUrl.lastIndexOf('/') + 1);
    const known = registry.getMessage(type);
    return {
      type,
      value: Buffer.from(value).toString('base64').replace(/=+$/, ''),
      ...(known && { debug: toJson(known, fromBinary(known, value), { registry }) }),
    };
  });
  return { code: CODES[code][0], message, ...(details.length > 0 && { details }) };
}
