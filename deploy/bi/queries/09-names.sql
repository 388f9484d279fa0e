-- Which clients changed their name, what was it before, and when did it change?
select a.name as account, v.client_id, v.name as earlier_name, c.name as name_now, v.valid_from, v.valid_to
from warehouse.client_versions v
join warehouse.clients c using (account_id, client_id)
join warehouse.accounts a using (account_id)
where v.valid_to is not null
order by v.valid_to desc, account, v.client_id;
