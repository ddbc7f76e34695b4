/**
 * Values of contents as terms of a full-text index in place of rows that lay in a table and in an index; see
 * `docs/decisions/0034-values-as-terms.md`. `value_term` is the function of `migrate.ts` that makes the terms.
 */
export const valueWords = `
CREATE VIRTUAL TABLE memory_value_words USING fts5(
  terms, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_'");
-- Which memories have a term.
CREATE VIRTUAL TABLE memory_value_terms USING fts5vocab(memory_value_words, instance);
INSERT INTO memory_value_words(rowid, terms)
  SELECT pk, group_concat(value_term(namespace_key, path_key, value), ' ') FROM memory_value GROUP BY pk;

-- What importance needs to know of a content.
ALTER TABLE memory ADD COLUMN reward REAL NOT NULL DEFAULT 0;
ALTER TABLE memory ADD COLUMN surprise REAL NOT NULL DEFAULT 0;
CREATE TEMP TABLE trait AS
  SELECT v.pk, p.path IN ('["reward"]', '["metadata","reward"]') AS is_reward, v.value,
    row_number() OVER (PARTITION BY v.pk, p.path IN ('["reward"]', '["metadata","reward"]') ORDER BY CASE p.path
      WHEN '["reward"]' THEN 1 WHEN '["metadata","reward"]' THEN 2 WHEN '["surprise"]' THEN 3
      WHEN '["surprise_factor"]' THEN 4 WHEN '["metadata","surprise"]' THEN 5 ELSE 6 END) AS place
  FROM value_path p JOIN memory_value v ON v.namespace_key = p.namespace_key AND v.path_key = p.key
  WHERE p.path IN ('["reward"]', '["metadata","reward"]', '["surprise"]', '["surprise_factor"]',
    '["metadata","surprise"]', '["metadata","surprise_factor"]') AND typeof(v.value) IN ('integer', 'real');
UPDATE memory SET reward = t.value FROM temp.trait t WHERE t.pk = memory.pk AND t.is_reward AND t.place = 1;
UPDATE memory SET surprise = max(0, min(1, t.value)) FROM temp.trait t
  WHERE t.pk = memory.pk AND NOT t.is_reward AND t.place = 1;
DROP TABLE temp.trait;

DROP TABLE memory_value;
DELETE FROM sqlite_stat1 WHERE tbl = 'memory_value';
`;
