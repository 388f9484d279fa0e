import { addDays, type Day } from '../../model/day.ts';
import { Failure } from '../../model/errors.ts';
import type { Finding } from '../../model/finding.ts';
import type { Account } from '../../model/records.ts';
import type { SummarizeCampaigns } from '../operations.ts';
import { ok, warning } from './findings.ts';

/** In days, of the same weekday. */
const ages = [7, 28, 91, 364];

/**
 * Finds out how far back the service lists campaigns, and how a day without any comes: the service's document shows neither.
 *
 * @param last the account's yesterday
 */
export async function examineHistory(
  summarize: SummarizeCampaigns,
  account: Account,
  last: Day,
  catchUpDays: number,
): Promise<Finding[]> {
  const on = (day: Day) => summarize(account, { from: day, to: day });
  const hasCampaigns = async (day: Day) => {
    try {
      return (await on(day)).rows > 0;
    } catch (error) {
      // It may be how the service says that a day has none.
      if (error instanceof Failure && error.code === 'UNKNOWN_ANSWER') return false;
      throw error;
    }
  };
  return [await history(hasCampaigns, last, catchUpDays), await emptyDay(on, addDays(last, 365))];
}

async function history(
  hasCampaigns: (day: Day) => Promise<boolean>,
  last: Day,
  catchUpDays: number,
): Promise<Finding> {
  const subject = 'history';
  let busy: Day | null = null;
  for (let ago = 0; ago < 7 && busy === null; ago++)
    if (await hasCampaigns(addDays(last, -ago))) busy = addDays(last, -ago);
  if (busy === null) {
    const message = "no campaigns in the last week: how far back they are listed can't be determined";
    return warning(subject, message, 'run doctor again when campaigns have run');
  }
  let reached = 0;
  for (const age of ages) {
    if (!(await hasCampaigns(addDays(busy, -age)))) {
      const message = `campaigns are listed for ${reached} days before ${busy}, but not for ${age} days before`;
      if (age > catchUpDays) return ok(subject, message);
      return warning(
        subject,
        message,
        "load older days with backfill while the service still lists them; a longer outage can't be made up",
      );
    }
    reached = age;
  }
  return ok(subject, `campaigns of a year ago are listed`);
}

async function emptyDay(on: (day: Day) => ReturnType<SummarizeCampaigns>, day: Day): Promise<Finding> {
  const subject = 'empty day';
  try {
    const { rows, emptyBy } = await on(day);
    if (emptyBy !== null) return ok(subject, `a day without campaigns is "${emptyBy}", which is accepted`);
    return ok(subject, rows > 0 ? `${day} has campaigns` : 'a day without campaigns is an empty list');
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'SERVICE_UNAVAILABLE') throw error;
    const advice =
      'days without calls, such as Sundays, may fail each week: the alert of the first one asks what it means';
    return warning(subject, `a day without campaigns, ${day}: ${error.detail}`, advice);
  }
}
