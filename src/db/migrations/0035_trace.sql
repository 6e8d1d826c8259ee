-- oldest version beside: 0.2.0
-- The trace of the request that recorded an event, in the form of the header traceparent, for its webhooks. Null while
-- nothing is traced, which takes no space.
alter table event add column trace text check (length(trace) <= 100);
