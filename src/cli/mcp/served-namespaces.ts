import type { Mneme } from '../../../clients/typescript/src/index.ts';
import { ResourceUriError } from './resource-uris.ts';

/** Namespaces whose memories can be read as resources. */
export interface ServedNamespaces {
  /** Client of the namespace of the tools. */
  readonly mneme: Mneme;
  /** True: the resources of every namespace are served. False: those of the namespace of the tools only. */
  readonly allNamespaces: boolean;
}

/** The client of a namespace that a resource names; an error where that namespace is not served, whether it exists or not. */
export function clientFor({ mneme, allNamespaces }: ServedNamespaces, namespace: string): Mneme {
  if (namespace === mneme.namespace) return mneme;
  if (allNamespaces) return mneme.withNamespace(namespace);
  throw new ResourceUriError(
    `namespaces/${namespace}: this server has the namespace ${mneme.namespace} only; mneme mcp --all-namespaces has all of them, and ` +
      `/mcp/${namespace} of a server has that one`,
  );
}
