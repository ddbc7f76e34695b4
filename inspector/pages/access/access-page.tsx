import type { Scope } from '../../../gen/ts/mneme/v1/memory.ts';
import { listScopePolicies, listScopes } from '../../api/access-calls.ts';
import { listNamespaces } from '../../api/calls.ts';
import { idOf, namespaceName } from '../../api/names.ts';
import { credentials } from '../../api/token.ts';
import { namespaceNow } from '../../app/namespace.ts';
import { useStore } from '../../app/store.ts';
import { countText } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import { listAddress } from '../memories/address.ts';

const PAGE_SIZE = 200;

/** What this identity sees: its namespaces, the scopes of the chosen one, and the policies that hide parts of it. */
export function AccessPage() {
  const namespace = useStore(namespaceNow);
  const token = useStore(credentials);
  return (
    <Page title="Access">
      <p>
        {token === ''
          ? 'You are here without a token.'
          : 'You are here with a bearer token, which this window keeps until it is closed.'}{' '}
        The pages show what the server lets this identity see, and no more.
      </p>
      <div class="panels">
        <NamespacesPanel />
        <ScopesPanel key={`${namespace} scopes`} namespace={namespace} />
        <PoliciesPanel key={`${namespace} policies`} namespace={namespace} />
      </div>
    </Page>
  );
}

function NamespacesPanel() {
  const asked = useAsked((signal) => listNamespaces({ pageSize: PAGE_SIZE }, signal), []);
  return (
    <section class="panel">
      <h2>Namespaces of this identity</h2>
      {asked.failure && <Failure failure={asked.failure} again={asked.again} />}
      {!asked.value && asked.isAsking && <Loading />}
      {asked.value?.namespaces.length === 0 && <Empty>None is there, or none may be seen.</Empty>}
      <ul>
        {asked.value?.namespaces.map(({ name }) => (
          <li key={name}>
            <a href={listAddress(idOf(name), '')}>{idOf(name)}</a>
          </li>
        ))}
      </ul>
      {asked.value?.nextPageToken && <p class="quiet">The first {PAGE_SIZE} are shown.</p>}
    </section>
  );
}

function ScopesPanel({ namespace }: { readonly namespace: string }) {
  const parent = namespaceName(namespace);
  const asked = useAsked((signal) => listScopes({ parent, pageSize: PAGE_SIZE }, signal), [namespace]);
  return (
    <section class="panel">
      <h2>Scopes of {namespace}</h2>
      {asked.failure && <Failure failure={asked.failure} again={asked.again} />}
      {!asked.value && asked.isAsking && <Loading />}
      {asked.value?.scopes.length === 0 && <Empty>No memory is there, or none may be seen.</Empty>}
      {asked.value && asked.value.scopes.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">Scope</th>
              <th scope="col" class="number">
                Memories
              </th>
            </tr>
          </thead>
          <tbody>
            {asked.value.scopes.map(({ scope, memoryCount }) => (
              <tr key={partsOf(scope)}>
                <th scope="row">
                  <PlainText text={partsOf(scope)} max={160} />
                </th>
                <td class="number">{countText(memoryCount)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {asked.value?.nextPageToken && <p class="quiet">The first {PAGE_SIZE} are shown.</p>}
    </section>
  );
}

function PoliciesPanel({ namespace }: { readonly namespace: string }) {
  const parent = namespaceName(namespace);
  const asked = useAsked((signal) => listScopePolicies({ parent }, signal), [namespace]);
  return (
    <section class="panel">
      <h2>Policies of {namespace}</h2>
      {asked.failure && <Failure failure={asked.failure} again={asked.again} />}
      {!asked.value && asked.isAsking && <Loading />}
      {asked.value?.policies.length === 0 && <Empty>No scope is private, isolated or read-only.</Empty>}
      <ul class="stack">
        {asked.value?.policies.map(({ scope, isPrivate, readOnly, isolated }) => (
          <li key={partsOf(scope)} class="row">
            <PlainText text={partsOf(scope)} max={160} />
            {isPrivate && <span class="badge warn">private</span>}
            {isolated && <span class="badge warn">isolated</span>}
            {readOnly && <span class="badge warn">read-only</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function partsOf(scope: Scope | undefined): string {
  const parts = [scope?.project, scope?.agentType, scope?.agent, scope?.session].filter(Boolean);
  return parts.length === 0 ? 'the namespace as a whole' : parts.join(' / ');
}
