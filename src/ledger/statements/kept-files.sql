-- Files of drafts, in pieces. A file is visible when it is complete, and until it expires.

-- name: begin_kept_file
-- params: id uuid, campaign text, name text, type text, kept_at timestamptz, keep_ms float8, now timestamptz
-- row:
insert into relais.kept_file (id, campaign, name, type, kept_at, expires_at)
values ($1, $2, $3, $4, $5, coalesce($7, now()) + $6 * interval '1 ms');

-- name: add_kept_piece
-- params: file uuid, n int4, bytes bytea
-- row:
insert into relais.kept_file_piece (file, n, bytes) values ($1, $2, $3);

-- name: forget_kept_files
-- The files of a campaign, except one that is still being uploaded.
-- params: campaign text
-- row: id uuid
delete from relais.kept_file f where f.campaign = $1 and f.complete returning f.id;

-- name: complete_kept_file
-- No row: it has expired meanwhile.
-- params: id uuid, bytes int8
-- row: id uuid
update relais.kept_file f set complete = true, bytes = $2 where f.id = $1 returning f.id;

-- name: drop_kept_file
-- params: id uuid
-- row:
delete from relais.kept_file f where f.id = $1;

-- name: kept_file
-- params: campaign text, now timestamptz
-- row: id uuid, name text, type text, bytes int8, kept_at timestamptz, expires_at timestamptz, options jsonb, report jsonb
select f.id, f.name, f.type, f.bytes, f.kept_at, f.expires_at, f.options, f.report from relais.kept_file f
where f.campaign = $1 and f.complete and f.expires_at > coalesce($2, now());

-- name: kept_piece
-- params: file uuid, n int4
-- row: bytes bytea
select p.bytes from relais.kept_file_piece p where p.file = $1 and p.n = $2;

-- name: judge_kept_file
-- The result of a check. `report` null: the previous one stays.
-- params: campaign text, kept_at timestamptz, options jsonb, report jsonb
-- row:
update relais.kept_file f set options = $3, report = coalesce($4, f.report)
where f.campaign = $1 and f.complete and f.kept_at = $2;

-- name: outdate_kept_file
-- params: campaign text
-- row:
update relais.kept_file f set report = null where f.campaign = $1 and f.complete;

-- name: kept_files_after
-- params: after uuid, most int4
-- row: id uuid, campaign text, complete bool
select f.id, f.campaign, f.complete from relais.kept_file f where $1::uuid is null or f.id > $1 order by f.id limit $2;

-- name: expire_kept_files
-- params: most int4, now timestamptz
-- row: id uuid
delete from relais.kept_file f where f.id in (
  select x.id from relais.kept_file x where x.expires_at <= coalesce($2, now()) order by x.expires_at limit $1 for update skip locked)
returning f.id;
