import {
  GetConfigRequest,
  GetConfigResponse,
  GetReembedProgressRequest,
  GetReembedProgressResponse,
  GetServerInfoRequest,
  GetServerInfoResponse,
  GetServerStatisticsRequest,
  GetServerStatisticsResponse,
} from '../../gen/ts/mneme/v1/admin_service.ts';
import * as m from '../../gen/ts/mneme/v1/memory_service.ts';
import {
  GetNamespaceRequest,
  GetNamespaceResponse,
  GetNamespaceStatisticsRequest,
  GetNamespaceStatisticsResponse,
  ListNamespacesRequest,
  ListNamespacesResponse,
} from '../../gen/ts/mneme/v1/namespace_service.ts';
import { WatchMemoriesRequest, WatchMemoriesResponse } from '../../gen/ts/mneme/v1/recall_service.ts';
import { streamed, unary } from './connect.ts';

// Each page adds the methods that it calls. A method names its own messages, so that the bundle has no others.

const admin = 'mneme.v1.AdminService';
export const getServerInfo = unary(`${admin}/GetServerInfo`, GetServerInfoRequest, GetServerInfoResponse);
export const getServerStatistics = unary(
  `${admin}/GetServerStatistics`,
  GetServerStatisticsRequest,
  GetServerStatisticsResponse,
);
export const getConfig = unary(`${admin}/GetConfig`, GetConfigRequest, GetConfigResponse);
export const getReembedProgress = unary(
  `${admin}/GetReembedProgress`,
  GetReembedProgressRequest,
  GetReembedProgressResponse,
);

const namespaces = 'mneme.v1.NamespaceService';
export const listNamespaces = unary(`${namespaces}/ListNamespaces`, ListNamespacesRequest, ListNamespacesResponse);
export const getNamespace = unary(`${namespaces}/GetNamespace`, GetNamespaceRequest, GetNamespaceResponse);
export const getNamespaceStatistics = unary(
  `${namespaces}/GetNamespaceStatistics`,
  GetNamespaceStatisticsRequest,
  GetNamespaceStatisticsResponse,
);

const memories = 'mneme.v1.MemoryService';
export const getMemory = unary(`${memories}/GetMemory`, m.GetMemoryRequest, m.GetMemoryResponse);
export const listMemories = unary(`${memories}/ListMemories`, m.ListMemoriesRequest, m.ListMemoriesResponse);
export const countMemories = unary(`${memories}/CountMemories`, m.CountMemoriesRequest, m.CountMemoriesResponse);
export const listMemoryRevisions = unary(
  `${memories}/ListMemoryRevisions`,
  m.ListMemoryRevisionsRequest,
  m.ListMemoryRevisionsResponse,
);
export const updateMemory = unary(`${memories}/UpdateMemory`, m.UpdateMemoryRequest, m.UpdateMemoryResponse);
export const deleteMemory = unary(`${memories}/DeleteMemory`, m.DeleteMemoryRequest, m.DeleteMemoryResponse);
export const supersedeMemory = unary(
  `${memories}/SupersedeMemory`,
  m.SupersedeMemoryRequest,
  m.SupersedeMemoryResponse,
);
export const forgetMemories = unary(`${memories}/ForgetMemories`, m.ForgetMemoriesRequest, m.ForgetMemoriesResponse);
export const demoteMemories = unary(`${memories}/DemoteMemories`, m.DemoteMemoriesRequest, m.DemoteMemoriesResponse);
export const promoteMemories = unary(
  `${memories}/PromoteMemories`,
  m.PromoteMemoriesRequest,
  m.PromoteMemoriesResponse,
);
export const exportMemories = streamed(`${memories}/ExportMemories`, m.ExportMemoriesRequest, m.ExportMemoriesResponse);

export const watchMemories = streamed(
  'mneme.v1.RecallService/WatchMemories',
  WatchMemoriesRequest,
  WatchMemoriesResponse,
);
