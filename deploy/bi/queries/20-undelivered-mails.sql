-- Which mails of the last thirty days did somebody never get, and why? "unknown" may have arrived.
select m.digest, m.period, m.built_at, m.subject, d.recipient, d.delivery_state, d.updated_at, d.delivery_attempts, d.reply
from warehouse.deliveries d
join warehouse.mails m using (mail_id)
where m.built_at >= current_date - 30 and d.delivery_state not in ('sent', 'written')
order by m.built_at desc, m.digest, m.period, d.recipient;
