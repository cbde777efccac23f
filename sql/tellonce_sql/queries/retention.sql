-- name: old_receipts
-- across owners: the server's own background work.
-- $1 a time, $2 maximum number: deletes receipts made before $1 and returns their number
select drop_old_receipts($1, $2)

-- name: surplus_receipts
-- across owners: the server's own background work.
-- $1 how many receipts a chat keeps, $2 maximum number: deletes the older receipts of each chat and returns their
-- number
select drop_surplus_receipts($1, $2)

-- name: finished_jobs
-- across owners: the server's own background work.
-- $1 a time, $2 maximum number: deletes jobs that were finished before $1 and returns their number
select drop_finished_jobs($1, $2)

-- name: model_calls
-- across owners: the server's own background work.
-- $1 a time, $2 maximum number: adds the model calls made before $1 to the sums of their months, deletes these calls
-- and returns their number
select fold_model_calls($1, $2)
