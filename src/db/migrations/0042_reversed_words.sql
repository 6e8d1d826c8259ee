-- oldest version beside: 0.2.0
-- runs: concurrently
--
-- Finds words by their end: of a word with one typo, the first or the second half is right (decision 0057).
create index concurrently search_word_by_end on search_word (store_id, reverse(word));
