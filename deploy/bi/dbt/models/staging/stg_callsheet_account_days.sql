{{ config(materialized='table') }}

-- Names can change without any day changing, so they are read anew by each build. No view: Postgres doesn't drop a view
-- that another one reads, so an upgrade of Callsheet couldn't replace its own.
select d.*, a.time_zone, c.name as client
from {{ source('callsheet', 'account_days') }} d
join {{ source('callsheet', 'accounts') }} a using (account_id)
left join {{ source('callsheet', 'clients') }} c on c.account_id = a.listed_by_account_id and c.client_id = a.listed_client_id
