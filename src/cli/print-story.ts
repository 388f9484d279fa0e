import { addDays, type Day } from '../model/day.ts';
import type { StoryEvent } from '../simulator/story.ts';
import { formatCountOf, formatDay } from '../support/english.ts';

/** Describes what happens on a night of a story. */
export function describeEvents(events: readonly StoryEvent[], night: Day): string {
  return events.map((event) => describeEvent(event, night)).join('; ') || 'nothing unusual';
}

function describeEvent(event: StoryEvent, night: Day): string {
  const day = 'daysAgo' in event ? formatDay(addDays(night, -event.daysAgo)) : '';
  switch (event.event) {
    case 'late correction':
      return `${event.account} corrects ${day} by ${event.percent}%`;
    case 'campaign added later':
      return `${event.account} adds a campaign to ${day}`;
    case 'campaign withdrawn':
      return `${event.account} withdraws a campaign of ${day}`;
    case 'same campaigns':
      return `${event.account} has ${event.as}'s campaigns`;
    case 'clients added':
      return `${event.account} has ${formatCountOf(event.clients, 'new client')}`;
    case 'clients removed':
      return `${event.account} loses ${formatCountOf(event.clients, 'client')}`;
    case 'balances spent':
      return `${formatCountOf(event.clients, 'client')} of ${event.account} spent their balance`;
    case 'half listed':
      return `${event.account} lists half of ${day}`;
    case 'campaigns missing':
      return `${event.account} has a third of ${day}`;
    case 'unreadable records':
      return `${event.account} has unreadable records on ${day}`;
    case 'empty day':
      return `${event.account} has nothing for ${day}`;
    case 'outage':
      return `down for ${event.hours} h`;
    case 'token refused':
      return `${event.account}'s token is refused`;
    case 'client list refused':
      return `${event.account}'s client list is refused`;
    case 'list changes during walk':
      return `${event.account}'s clients change during the walk`;
    case 'no run':
      return 'the machine is off';
    case 'killed':
      return `killed at request ${event.atRequest}`;
    case 'mail server down':
      return 'the mail server is down';
    case 'recipient refused':
      return `mail to ${event.recipient} is refused`;
    case 'setting changed':
      return `somebody sets ${event.name}=${event.value}`;
  }
}
