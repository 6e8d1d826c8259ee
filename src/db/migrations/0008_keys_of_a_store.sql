-- Finds the oldest keys of a store that has used more Idempotency-Keys in a day than are remembered (decision 0022).
create index kept_answer_by_store_age on kept_answer (store_id, created_at);
