-- To whom did no digest get through in the last seven days, although one was meant for them?
select d.recipient
from warehouse.deliveries d
join warehouse.mails m using (mail_id)
where m.built_at >= current_date - 7
group by d.recipient
having count(*) filter (where d.delivery_state in ('sent', 'written')) = 0
order by d.recipient;
