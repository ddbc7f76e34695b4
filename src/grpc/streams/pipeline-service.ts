import { PipelineServiceService as Service } from '../../../gen/ts/mneme/v1/pipeline_service.ts';
import type { OpenStreams } from '../../operations/streams/open-streams.ts';
import { bidi, type Operation, type Route } from '../edge/handler.ts';
import { PipelineMessage } from './pipeline-messages.ts';
import { type PipelineLimits, PipelineRun } from './pipeline-run.ts';

/** PipelineService.Pipeline over the unary methods of these routes. */
export function pipelineMethods(routes: readonly Route[], limits: PipelineLimits, streams: OpenStreams): Route[] {
  const operations = new Map(routes.flatMap(({ operation }) => (operation ? [[fieldOf(operation), operation]] : [])));
  const mount: Route = (server, edge) => {
    bidi(Service.pipeline, PipelineMessage, PipelineMessage, (messages, call) =>
      new PipelineRun(edge, operations, limits, streams).serve(messages, call),
    )(server, edge);
  };
  return [mount];
}

/** `BatchStoreMemories` is `batchStoreMemories` in PipelineOperation. */
function fieldOf({ path }: Operation): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.charAt(0).toLowerCase() + name.slice(1);
}
