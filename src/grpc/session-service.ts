import { RecallServiceService as Service } from '../../gen/ts/mneme/v1/recall_service.ts';
import type { OpenStreams } from '../operations/open-streams.ts';
import { bidi, type Operation, type Route } from './handler.ts';
import { SessionMessage } from './session-messages.ts';
import { type SessionLimits, SessionRun } from './session-run.ts';

/** RecallService.Session over the unary methods of these routes. */
export function sessionMethods(routes: readonly Route[], limits: SessionLimits, streams: OpenStreams): Route[] {
  const operations = new Map(routes.flatMap(({ operation }) => (operation ? [[fieldOf(operation), operation]] : [])));
  const mount: Route = (server, edge) => {
    bidi(Service.session, SessionMessage, SessionMessage, (messages, call) =>
      new SessionRun(edge, operations, limits, streams).serve(messages, call),
    )(server, edge);
  };
  return [mount];
}

/** `BatchStore` is `batchStore` in SessionOperation. */
function fieldOf({ path }: Operation): string {
  const method = path.slice(path.lastIndexOf('/') + 1);
  return method.charAt(0).toLowerCase() + method.slice(1);
}
