/**
 * Bodies of memories may be in another store, under keys that their rows have; text and content are empty then. A key that
 * no row has any more waits in body_erasure until the body is erased.
 */
export const externalBodies = `
ALTER TABLE memory_body ADD COLUMN body_key text COLLATE "C", ADD COLUMN body_bytes bigint;
CREATE UNIQUE INDEX memory_body_external ON memory_body(body_key) WHERE body_key IS NOT NULL;

CREATE TABLE body_erasure(body_key text COLLATE "C" PRIMARY KEY);

CREATE FUNCTION note_body_erasure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('INSERT INTO %I.body_erasure VALUES ($1) ON CONFLICT DO NOTHING', TG_TABLE_SCHEMA) USING OLD.body_key;
  RETURN NULL;
END $$;
-- A server of the former version writes a text into the row and leaves the key.
CREATE FUNCTION forget_body_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.body_key := NULL;
  NEW.body_bytes := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER body_in_row BEFORE UPDATE ON memory_body FOR EACH ROW
  WHEN (NEW.body_key IS NOT NULL AND NEW.text <> '') EXECUTE FUNCTION forget_body_key();
CREATE TRIGGER body_erased AFTER DELETE ON memory_body FOR EACH ROW
  WHEN (OLD.body_key IS NOT NULL) EXECUTE FUNCTION note_body_erasure();
CREATE TRIGGER body_replaced AFTER UPDATE ON memory_body FOR EACH ROW
  WHEN (OLD.body_key IS NOT NULL AND OLD.body_key IS DISTINCT FROM NEW.body_key) EXECUTE FUNCTION note_body_erasure();
`;
