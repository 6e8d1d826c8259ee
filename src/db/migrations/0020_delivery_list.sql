-- The list of deliveries by endpoint, by state, or both, newest first. One index serves all of them: the list reads the
-- newest of each endpoint and state, and merges them. Without those that are being sent, so that a claim adds nothing to
-- it, and so that the statements that claim deliveries or count what is being sent can never choose it.
create index webhook_delivery_list on webhook_delivery (store_id, endpoint_id, state, id) where not is_sending;

-- What has ended is in that index.
alter table webhook_delivery add check (state = 'waiting' or not is_sending);
