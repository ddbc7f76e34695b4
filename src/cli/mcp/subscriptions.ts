import type { McpServer } from '@modelcontextprotocol/server';
import type { OnChange } from './recall-watches.ts';
import { ResourceUriError } from './resource-uris.ts';
import { answered } from './resources.ts';
import type { McpDeps } from './tool.ts';

/** Maximum subscriptions of one connection, or of one `subscriptions/listen`. */
const SUBSCRIPTIONS_MAX = 50;

/** `resources/subscribe` of revision 2025-11-25: a connection's subscriptions end with it. */
export function registerSubscriptions({ server }: McpServer, deps: McpDeps): void {
  const held = new Listens(deps, (uri) => void server.sendResourceUpdated({ uri }).catch(deps.onError));
  const subscribed = new Set<string>();
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) =>
    answered(deps, async () => {
      if (subscribed.has(uri)) return {};
      if (subscribed.size >= SUBSCRIPTIONS_MAX) throw tooMany();
      subscribed.add(uri);
      try {
        await held.open(uri, [uri]);
      } catch (error) {
        subscribed.delete(uri);
        throw error;
      }
      return {};
    }),
  );
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscribed.delete(uri);
    held.close(uri);
    return {};
  });
  server.onclose = () => held.closeAll();
}

type ListenId = string | number;

/** Recalls that subscriptions hold open, each once however many subscriptions name it. */
export class Listens {
  private readonly deps: McpDeps;
  private readonly publish: OnChange;
  private readonly urisOf = new Map<ListenId, readonly string[]>();
  private readonly holds = new Map<string, { count: number; readonly adding: Promise<() => void> }>();

  constructor(deps: McpDeps, publish: OnChange) {
    this.deps = deps;
    this.publish = publish;
  }

  /** Holds all of them or none; resolves when each is asked and its changes are reported. */
  async open(id: ListenId, uris: readonly string[]): Promise<void> {
    const unique = [...new Set(uris)];
    if (unique.length > SUBSCRIPTIONS_MAX) throw tooMany();
    this.close(id);
    this.urisOf.set(id, unique);
    try {
      await Promise.all(unique.map((uri) => this.hold(uri)));
    } catch (error) {
      this.close(id);
      throw error;
    }
  }

  close(id: ListenId): void {
    for (const uri of this.urisOf.get(id) ?? []) this.release(uri);
    this.urisOf.delete(id);
  }

  closeAll(): void {
    for (const id of [...this.urisOf.keys()]) this.close(id);
  }

  private async hold(uri: string): Promise<void> {
    const hold = this.holds.get(uri) ?? { count: 0, adding: this.deps.watches.add(uri, this.publish) };
    hold.count += 1;
    this.holds.set(uri, hold);
    await hold.adding;
  }

  private release(uri: string): void {
    const hold = this.holds.get(uri);
    if (hold === undefined || --hold.count > 0) return;
    this.holds.delete(uri);
    // A subscription that could not be added needs no removal: its caller got the error.
    hold.adding.then(
      (remove) => remove(),
      () => {},
    );
  }
}

/** The URIs of a `subscriptions/listen`; the SDK refuses a value that is not a list of URIs. */
export function urisOfListen(message: unknown): readonly string[] {
  const { params } = (message ?? {}) as { params?: { notifications?: { resourceSubscriptions?: unknown } } };
  const uris = params?.notifications?.resourceSubscriptions;
  return Array.isArray(uris) && uris.every((uri) => typeof uri === 'string') ? uris : [];
}

function tooMany(): ResourceUriError {
  return new ResourceUriError(`at most ${SUBSCRIPTIONS_MAX} recalls can be subscribed to on one connection`);
}
