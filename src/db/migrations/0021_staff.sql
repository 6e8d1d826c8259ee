-- The people and programs that run stores: staff with roles, their sessions and links, tokens, and the audit log
-- (decision 0038).

-- A person, who may work for several stores.
create table staff (
  id text collate "C" primary key,
  email text collate "C" not null unique,
  name text not null,
  -- Null until the link of the invitation was used.
  password_hash text,
  -- The secret of the second factor, encrypted. It counts from `second_factor_at` on.
  second_factor text,
  second_factor_at timestamptz,
  -- The time step of the last code, so that no code works twice.
  second_factor_step bigint,
  created_at timestamptz not null
);

create table staff_recovery_code (
  staff_id text collate "C" not null references staff,
  code_hash text collate "C" not null,
  primary key (staff_id, code_hash)
);

create table staff_role (
  store_id integer not null references store,
  staff_id text collate "C" not null references staff,
  role text not null check (role in ('owner', 'manager', 'fulfilment', 'support', 'viewer')),
  created_at timestamptz not null,
  primary key (store_id, staff_id)
);
create index staff_role_of_staff on staff_role (staff_id);

create table staff_session (
  token_hash text collate "C" primary key,
  -- Names the session in lists, and grants nothing.
  id text collate "C" not null unique,
  staff_id text collate "C" not null references staff,
  created_at timestamptz not null,
  used_at timestamptz not null,
  expires_at timestamptz not null,
  client_address text not null,
  user_agent text not null
);
create index staff_session_of_staff on staff_session (staff_id);
create index staff_session_by_age on staff_session (expires_at);

-- Links that set a password, for an invitation or after one was forgotten.
create table staff_link (
  token_hash text collate "C" primary key,
  staff_id text collate "C" not null references staff,
  expires_at timestamptz not null
);
create index staff_link_of_staff on staff_link (staff_id);
create index staff_link_by_age on staff_link (expires_at);

create table staff_sign_in_failure (
  -- The email, or the id of a person who is signed in and enters the password again.
  who text collate "C" primary key,
  failed_at timestamptz[] not null,
  forget_at timestamptz not null
);
create index staff_sign_in_failure_by_age on staff_sign_in_failure (forget_at);

-- For programs.
create table admin_token (
  store_id integer not null references store,
  id text collate "C" not null,
  name text not null,
  token_hash text collate "C" not null unique,
  permissions text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  used_at timestamptz,
  revoked_at timestamptz,
  primary key (store_id, id)
);

-- What staff, programs and the command line have changed. Rows are only added.
create table audit (
  store_id integer not null references store,
  id text collate "C" not null,
  at timestamptz not null,
  actor_kind text not null check (actor_kind in ('staff', 'token', 'command')),
  actor_id text collate "C" not null,
  actor_name text not null,
  client_address text not null,
  request_id text not null,
  -- What happened, such as product.updated.
  action text collate "C" not null,
  resource text collate "C" not null,
  resource_id text collate "C" not null,
  -- Changed fields with their values before and after.
  changes json not null,
  primary key (store_id, id)
);
create index audit_by_time on audit (store_id, at, id);
create index audit_of_resource on audit (store_id, resource, resource_id, at, id);
create index audit_of_actor on audit (store_id, actor_id, at, id);
