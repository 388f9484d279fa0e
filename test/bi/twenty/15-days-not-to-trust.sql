-- Which days can not be trusted now: how many for each state and reason?
select state, held, reason_code, count(*) as days
from warehouse.coverage
where state <> 'loaded' or held
group by state, held, reason_code
order by days desc, state, held, reason_code;
