/** The server that runs a job, and a number that rises with each taking of the lease: writes of a former holder fail. */
export const jobLeases = `
CREATE TABLE job_lease(
  job text COLLATE "C" PRIMARY KEY,
  owner text NOT NULL,
  fence bigint NOT NULL,
  ends_at timestamptz NOT NULL);
`;
