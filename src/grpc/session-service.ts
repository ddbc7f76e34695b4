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

/** `BatchStore` is `batchStore` in SessionOperation; of other services, `workingMemorySet`, with the service in front. */
function fieldOf({ path }: Operation): string {
  const [, service = '', method = ''] = /\.(\w+)Service\/(\w+)$/.exec(path) ?? [];
  const name = service === 'Memory' || service === 'Recall' ? method : `${service}${method}`;
  return name.charAt(0).toLowerCase() + name.slice(1);
}
