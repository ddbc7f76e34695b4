import {
  IngestMemoriesRequest,
  IngestMemoriesResponse,
  IngestServiceService as Service,
} from '../../../gen/ts/mneme/v1/ingest_service.ts';
import { bidi, type Route } from '../edge/handler.ts';
import { type IngestDeps, type IngestLimits, IngestRun } from './ingest-run.ts';

/** `proto/mneme/v1/ingest_service.proto`. */
export function ingestService(deps: IngestDeps, limits: IngestLimits): Route[] {
  return [
    bidi(Service.ingestMemories, IngestMemoriesRequest, IngestMemoriesResponse, (messages, call) =>
      new IngestRun(deps, limits, call).serve(messages),
    ),
  ];
}
