-- A link of this kind signs in, once, and leaves the password as it is. The start of a demo prints one.
alter table staff_link add column kind text not null default 'password' check (kind in ('password', 'sign_in'));
