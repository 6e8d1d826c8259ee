-- Files of jobs in parts of gzipped text: what is imported, and what was exported. They are in the database, because every
-- instance may do the next part of a job.
create table job_file (
  store_id integer not null references store,
  job_id text collate "C" not null,
  part integer not null,
  data bytea not null,
  kept_until timestamptz not null,
  primary key (store_id, job_id, part)
);
-- It is compressed already.
alter table job_file alter column data set storage external;
create index job_file_old on job_file (kept_until);

alter table merchant_job
  -- What a job needs to go on where it was interrupted.
  add column state jsonb,
  -- Counts how often an instance has taken the job, so that one whose time has run out writes nothing more.
  add column turn integer not null default 0;
