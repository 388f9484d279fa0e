import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { zones } from './zoned-instants.ts';

test('no day depends on the zone of the process', () => {
  const module = path.resolve('src/model/day.ts');
  const script = `
    import { daysBetween, isOver, today, yesterday } from ${JSON.stringify(module)};
    const days = [];
    for (const text of ['2026-03-29T00:30:00Z', '2026-10-31T23:30:00Z', '2011-12-30T09:59:59Z']) {
      const now = Temporal.Instant.from(text);
      for (const zone of ${JSON.stringify(zones)}) {
        const day = yesterday(now, zone);
        days.push([today(now, zone), day, isOver(day, zone, now)]);
      }
    }
    days.push(daysBetween('2011-12-28', '2012-01-02'));
    console.log(JSON.stringify(days));
  `;
  const daysIn = (zone: string) =>
    execFileSync('node_modules/.bin/node', ['--input-type=module', '-e', script], {
      env: { TZ: zone },
      encoding: 'utf8',
    });
  const days = daysIn('UTC');
  expect(JSON.parse(days)).toHaveLength(3 * zones.length + 1);
  for (const zone of ['Pacific/Apia', 'America/New_York', 'Etc/GMT+12']) expect(daysIn(zone)).toBe(days);
});
