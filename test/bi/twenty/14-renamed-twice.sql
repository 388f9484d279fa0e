-- Which clients were renamed more than once, and what were their names?
select a.name as account, v.client_id, string_agg(v.name, ' > ' order by v.valid_from) as names
from warehouse.client_versions v
join warehouse.accounts a using (account_id)
group by a.name, v.client_id
having count(*) > 2
order by a.name, v.client_id;
