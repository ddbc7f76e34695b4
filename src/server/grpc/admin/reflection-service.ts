import { status as Code } from '@grpc/grpc-js';
import {
  ServerReflectionRequest,
  ServerReflectionResponse,
  ServerReflectionService as Service,
} from '../../../../gen/ts/grpc/reflection/v1/reflection.ts';
import { bidi, type Route } from '../edge/handler.ts';
import { loadDescriptors } from '../edge/load-descriptors.ts';
import type { ReflectionIndex } from '../edge/reflection-index.ts';

/** The method of v1alpha, whose messages are those of v1. */
const ALPHA = { path: '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo' };

type Answer = ServerReflectionResponse['messageResponse'];

/** Server reflection, v1 and v1alpha, for every caller: it tells the API only. Descriptors are read at the first request. */
export function reflectionService(): Route[] {
  async function* serve(requests: AsyncIterable<ServerReflectionRequest>): AsyncGenerator<ServerReflectionResponse> {
    const index = await loadDescriptors();
    for await (const request of requests) {
      const messageResponse = answerTo(request.messageRequest, index);
      yield { validHost: request.host, originalRequest: request, messageResponse };
    }
  }
  const treatment = { isPublic: true };
  return [Service.serverReflectionInfo, ALPHA].map((method) =>
    bidi(method, ServerReflectionRequest, ServerReflectionResponse, serve, treatment),
  );
}

function answerTo(request: ServerReflectionRequest['messageRequest'], index: ReflectionIndex): Answer {
  switch (request?.$case) {
    case 'listServices':
      return { $case: 'listServicesResponse', value: { service: index.services.map((name) => ({ name })) } };
    case 'fileByFilename':
      return files(index, request.value, request.value);
    case 'fileContainingSymbol':
      return files(index, index.fileOf(request.value), request.value);
    case 'allExtensionNumbersOfType':
      if (!index.hasMessage(request.value)) return notFound(request.value);
      return {
        $case: 'allExtensionNumbersResponse',
        value: { baseTypeName: request.value, extensionNumber: [] },
      };
    case 'fileContainingExtension':
      return notFound(`extension ${request.value.extensionNumber} of ${request.value.containingType}`);
    default:
      return {
        $case: 'errorResponse',
        value: { errorCode: Code.INVALID_ARGUMENT, errorMessage: 'nothing is asked for' },
      };
  }
}

function files(index: ReflectionIndex, name: string | undefined, asked: string): Answer {
  const descriptors = name === undefined ? undefined : index.closure(name);
  if (!descriptors) return notFound(asked);
  return {
    $case: 'fileDescriptorResponse',
    value: { fileDescriptorProto: descriptors.map((bytes) => Buffer.from(bytes)) },
  };
}

function notFound(what: string): Answer {
  return { $case: 'errorResponse', value: { errorCode: Code.NOT_FOUND, errorMessage: `${what} is not known` } };
}
