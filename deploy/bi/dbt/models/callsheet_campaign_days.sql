{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key=['account_id', 'day'],
    post_hook="delete from {{ this }} where callset_id is null"
) }}

-- Reloads whole days: those that changed since the newest change that is here. Rows can't tell: a withdrawn campaign has
-- none, and a provisional day that is confirmed with equal counts changes none.
--
-- dbt deletes the days that this query returns. A day whose campaigns all disappeared would have no rows here, and keep its
-- old ones. So the left join returns one row without a campaign for it, which the hook deletes.
--
-- updated_at is when a transaction began. The day of overlap finds those that committed after a later one; a transaction
-- that takes longer than that is missed until its day changes again.
--
-- The name of the client isn't here, because it changes without any day changing: join stg_callsheet_account_days.
-- What `callsheet forget` erased, or a restored backup lacks, only disappears by `dbt build --full-refresh`.
select d.account_id, d.account, d.day, c.callset_id, c.campaign, c.attempts, c.busies, c.connects, c.live_answers,
  c.connect_rate, c.live_answer_rate, c.busy_rate, d.provisional, c.restated_at, c.extra, d.updated_at
from {{ source('callsheet', 'account_days') }} d
left join {{ source('callsheet', 'campaign_days') }} c using (account_id, day)
{% if is_incremental() %}
-- A table without rows has no newest change.
where d.updated_at > (select coalesce(max(updated_at) - interval '1 day', '-infinity') from {{ this }})
{% endif %}
