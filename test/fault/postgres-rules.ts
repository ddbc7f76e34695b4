import { Client } from 'pg';

/** Invariants between the tables after every transaction: each query returns the rows that violate one. */
const HELD = '(SELECT namespace_key, sequence FROM memory UNION ALL SELECT namespace_key, sequence FROM erased_memory)';
const RULES: Readonly<Record<string, string>> = {
  'a memory has a body':
    'SELECT 1 FROM memory m WHERE NOT EXISTS (SELECT 1 FROM memory_body b WHERE (b.namespace_key, b.sequence) = (m.namespace_key, m.sequence))',
  'a body has a memory': `SELECT 1 FROM memory_body b WHERE NOT EXISTS (SELECT 1 FROM ${HELD} m WHERE (b.namespace_key, b.sequence) = (m.namespace_key, m.sequence))`,
  'a body in another store is not in its row':
    "SELECT 1 FROM memory_body WHERE body_key IS NOT NULL AND (text <> '' OR media_type IS NOT NULL OR content IS NOT NULL OR body_bytes IS NULL)",
  'the body of a long-term memory is in its row':
    'SELECT 1 FROM memory m JOIN memory_body b USING (namespace_key, sequence) WHERE m.tier = 2 AND b.body_key IS NOT NULL',
  'a body to be erased has no row': 'SELECT 1 FROM body_erasure JOIN memory_body USING (body_key)',
  'a vector is there exactly where the memory says so':
    'SELECT 1 FROM memory m WHERE (embedding_state = 2) <> EXISTS (SELECT 1 FROM memory_vector v JOIN namespace n ON v.namespace_key = n.key * n.vector_sign WHERE (n.key, v.sequence) = (m.namespace_key, m.sequence))',
  'a vector has a memory':
    'SELECT 1 FROM memory_vector v WHERE NOT EXISTS (SELECT 1 FROM memory m WHERE (abs(v.namespace_key), v.sequence) = (m.namespace_key, m.sequence))',
  'former states belong to a memory': `SELECT 1 FROM memory_revision r WHERE NOT EXISTS (SELECT 1 FROM ${HELD} m WHERE (r.namespace_key, r.sequence) = (m.namespace_key, m.sequence))`,
  'an erased memory is kept for a snapshot before its end':
    'SELECT 1 FROM erased_memory e WHERE NOT EXISTS (SELECT 1 FROM agent_snapshot s WHERE s.namespace_key = e.namespace_key AND s.revision < e.erased_revision)',
  'the number of snapshots is right':
    'SELECT 1 FROM namespace n WHERE snapshot_count <> (SELECT count(*) FROM agent_snapshot WHERE namespace_key = n.key)',
  'a snapshot and a subscription belong to a namespace':
    'SELECT 1 FROM (SELECT namespace_key FROM agent_snapshot UNION ALL SELECT namespace_key FROM subscription) s WHERE NOT EXISTS (SELECT 1 FROM namespace n WHERE n.key = s.namespace_key)',
  'a memory is in the log at its revision':
    'SELECT 1 FROM memory m WHERE NOT EXISTS (SELECT 1 FROM change_log l WHERE (l.namespace_key, l.revision, l.id) = (m.namespace_key, m.revision, m.id) AND l.kind < 2) AND m.revision > (SELECT log_start FROM namespace WHERE key = m.namespace_key)',
  'the log ends at the newest revision':
    'SELECT 1 FROM namespace n WHERE log_revision <> (SELECT coalesce(max(revision), n.log_start) FROM change_log WHERE namespace_key = n.key)',
  'a cut log begins after its cut':
    'SELECT 1 FROM namespace n WHERE log_start > 0 AND log_start + 1 <> (SELECT coalesce(min(revision), n.log_start + 1) FROM change_log WHERE namespace_key = n.key)',
  'the log has no gap':
    'SELECT namespace_key FROM change_log GROUP BY namespace_key HAVING count(*) <> max(revision) - min(revision) + 1',
  'the number of memories is right':
    'SELECT 1 FROM namespace n WHERE memory_count <> (SELECT count(*) FROM memory WHERE namespace_key = n.key)',
  'sequences given out are not given again':
    'SELECT 1 FROM memory m JOIN namespace n ON n.key = m.namespace_key WHERE m.sequence >= n.next_sequence',
  'rows of a session belong to one, or are to be erased': ['entry', 'note', 'checkpoint', 'manifest', 'pack', 'change']
    .map(
      (part) => `SELECT 1 FROM session_${part} p WHERE NOT EXISTS (SELECT 1 FROM session s WHERE s.key = p.session_key)
        AND NOT EXISTS (SELECT 1 FROM session_erasure e WHERE e.session_key = p.session_key)`,
    )
    .join(' UNION ALL '),
  'the counts of a session are right': `SELECT 1 FROM session s
    WHERE (record::json->>'keyCount')::bigint <> (SELECT count(*) FROM session_entry WHERE session_key = s.key)
      OR (record::json->>'noteCount')::bigint <> (SELECT count(*) FROM session_note WHERE session_key = s.key)
      OR (record::json->>'checkpointCount')::bigint <> (SELECT count(*) FROM session_checkpoint WHERE session_key = s.key)`,
  'the last change of a session is at its revision':
    'SELECT 1 FROM session s WHERE revision < (SELECT max(revision) FROM session_change WHERE session_key = s.key)',
  'events have no gap, and end at the newest':
    'SELECT 1 FROM lifecycle_ends e WHERE newest - forgotten <> (SELECT count(*) FROM lifecycle_event v WHERE v.namespace = e.namespace)',
};

/** Names of the rules that the tables of a schema break. */
export async function brokenRules(url: string, schema: string): Promise<string[]> {
  const client = new Client({ connectionString: url, options: `-c search_path=${schema}` });
  await client.connect();
  try {
    const broken: string[] = [];
    for (const [name, sql] of Object.entries(RULES)) if ((await client.query(sql)).rows.length > 0) broken.push(name);
    return broken;
  } finally {
    await client.end();
  }
}
