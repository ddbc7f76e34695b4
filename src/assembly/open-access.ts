import { type Access, tokensIn } from '../config/access.ts';
import type { Config } from '../config/config.ts';
import { BearerTokens, callerWith } from '../grpc/edge/credentials.ts';
import { Edge } from '../grpc/edge/edge.ts';
import { tokenJob, WatchedTokens } from '../jobs/token-job.ts';
import type { Logger } from '../logger.ts';

/** The edge of the server with the tokens that it admits. The file of tokens is followed until the server closes. */
export function openEdge(config: Config, { tokens }: Access, logger: Logger, closers: (() => Promise<void>)[]): Edge {
  const credentials = tokens.length > 0 ? new BearerTokens(tokens) : undefined;
  const edge = new Edge({
    limits: config,
    logger: logger.child({ part: 'grpc' }),
    ...(credentials ? { credentials } : {}),
  });
  const { authTokensFile: path, authTokens, authTokensIntervalMs } = config;
  if (!credentials || path === '') return edge;
  const file = {
    path,
    tokens: new WatchedTokens(tokens, (text) => tokensIn(authTokens, text)),
    replace: (changed: readonly string[]) => {
      credentials.replace(changed);
      edge.endUnauthorized();
    },
  };
  const job = tokenJob(file, authTokensIntervalMs, logger.child({ part: 'access' }));
  job.start(authTokensIntervalMs);
  closers.push(() => job.stop());
  return edge;
}

/** Whether a caller may register required hooks. */
export function requiredHookRule({ requiredHookTokens }: Access): (caller: string) => boolean {
  if (!requiredHookTokens) return () => true;
  const callers = new Set(requiredHookTokens.map(callerWith));
  return (caller) => callers.has(caller);
}
