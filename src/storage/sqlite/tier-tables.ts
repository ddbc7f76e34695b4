/** What is in a tier; see `tier-totals.ts`. */
export interface TierTotalTable {
  namespace_key: number;
  tier: number;
  agent: string;
  type: string;
  count: number;
  content_bytes: number;
}

export interface TierSettingTable {
  /** 0 for all namespaces. */
  namespace_key: number;
  key: string;
  value: string;
}

export interface TierMaintenanceTable {
  namespace_key: number;
  at_us: number;
}
