-- name: old_receipts
-- across owners: the server's own background work
-- $1 delete those made before, $2 maximum number: the number deleted
select drop_old_receipts($1, $2)

-- name: surplus_receipts
-- across owners: the server's own background work
-- $1 how many a chat keeps, $2 maximum number to delete: the number deleted
select drop_surplus_receipts($1, $2)

-- name: finished_jobs
-- across owners: the server's own background work
-- $1 delete those done before, $2 maximum number: the number deleted
select drop_finished_jobs($1, $2)

-- name: model_calls
-- across owners: the server's own background work
-- $1 a time, $2 maximum number: adds model calls made before $1 to their month's sums and deletes them; the number
-- deleted
select fold_model_calls($1, $2)
