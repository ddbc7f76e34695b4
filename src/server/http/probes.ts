import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Mount, sendError, sendJson } from './mount.ts';

/** What probes ask of the server. */
export interface Probes {
  readonly isServing: boolean;
  /** `undefined` of an unknown service. */
  isServiceServing(service: string): boolean | undefined;
}

/** `/healthz`: the process answers; `/readyz`: calls are accepted, of one service by `?service=`; `/`: what is here. */
export class ProbeMount implements Mount {
  private readonly probes: Probes;
  private readonly index: object;

  constructor(probes: Probes, index: object) {
    this.probes = probes;
    this.index = index;
  }

  handle(request: IncomingMessage, response: ServerResponse, { pathname, searchParams }: URL): boolean {
    if (!['/', '/healthz', '/readyz'].includes(pathname)) return false;
    request.resume();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      sendError(response, 405, 'unimplemented', `${pathname} is read by GET`, { allow: 'GET, HEAD' });
    } else if (pathname === '/') {
      sendJson(response, 200, this.index);
    } else if (pathname === '/healthz') {
      sendJson(response, 200, { status: 'alive' });
    } else {
      this.answerReady(response, searchParams.get('service'));
    }
    return true;
  }

  private answerReady(response: ServerResponse, service: string | null): void {
    const isReady = service === null ? this.probes.isServing : this.probes.isServiceServing(service);
    if (isReady === undefined) sendError(response, 404, 'not_found', 'the server has no such service');
    else sendJson(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready' });
  }
}
