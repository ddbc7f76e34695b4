import { packageVersion } from '../server/config/version.ts';
import type { Mount, MountHost } from '../server/server.ts';
import type { McpHttpMount } from './mcp/http-mount.ts';

/** Codes of errors of a caller that has gone, which is no fault. */
const GONE: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

/** MCP over HTTP in the process of a server. Its code is loaded with the first request. */
export function mcpOverHttp({ channelFor, logger }: MountHost): Mount {
  const load = async (): Promise<McpHttpMount> => {
    const { McpHttpMount } = await import('./mcp/http-mount.ts');
    const onError = (error: unknown) => {
      if (GONE.has((error as NodeJS.ErrnoException).code)) return;
      logger.warn({ part: 'mcp', err: error }, 'an MCP request failed');
    };
    return new McpHttpMount({ channelFor, version: packageVersion(), onError });
  };
  let loading: Promise<McpHttpMount> | undefined;
  return {
    links: { mcp: '/mcp' },
    handle(request, response, url) {
      if (url.pathname !== '/mcp' && !url.pathname.startsWith('/mcp/')) return false;
      loading ??= load();
      return loading.then((mount) => mount.handle(request, response, url));
    },
    async close() {
      const mount = await loading;
      await mount?.close();
    },
  };
}
