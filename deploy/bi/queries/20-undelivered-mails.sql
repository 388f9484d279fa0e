-- Which mails of the last thirty days did somebody never get, and why? "unknown" may have arrived.
select digest, period, last_day, corrects, recipient, state, changed_at, attempts, reply
from warehouse.deliveries
where last_day >= current_date - 30 and state not in ('sent', 'written')
order by last_day desc, digest, period, corrects, recipient;
