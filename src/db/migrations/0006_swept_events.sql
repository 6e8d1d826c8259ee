-- Events that others told us are swept away by their age, of all stores at once.
create index payment_event_by_age on payment_event (received_at);
create index delivery_event_by_age on delivery_event (received_at);
