import { ListScopesRequest, ListScopesResponse } from '../../gen/ts/mneme/v1/namespace_service.ts';
import { ListScopePoliciesRequest, ListScopePoliciesResponse } from '../../gen/ts/mneme/v1/scope_service.ts';
import { unary } from './connect.ts';

export const listScopes = unary('mneme.v1.NamespaceService/ListScopes', ListScopesRequest, ListScopesResponse);
export const listScopePolicies = unary(
  'mneme.v1.ScopeService/ListScopePolicies',
  ListScopePoliciesRequest,
  ListScopePoliciesResponse,
);
