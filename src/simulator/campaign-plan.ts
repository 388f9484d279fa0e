import { type CampaignKind, PASSING_KINDS, type Rhythm, YEAR_ROUND_KINDS } from './campaign-kinds.ts';
import { draw, drawBetween, pick } from './random.ts';
import { fill, MONTHS, TOWNS } from './words.ts';

/** A campaign and the days (counted from 2000-01-01 as 0, both ends included) on which it may call. */
export type PlannedCampaign = {
  readonly callsetid: number;
  readonly name: string;
  readonly category: string;
  readonly rhythm: Rhythm;
  readonly firstDay: number;
  readonly lastDay: number;
};

/**
 * A row of a wall planner: the campaigns of one slot follow one another, one in each cycle of days. So
 * what runs on a day follows from that day alone, without walking there from the beginning.
 */
export type Slot = {
  /** Below 100, unique over all accounts: the last two digits of its campaigns' ids. */
  readonly number: number;
  /** Set for a slot whose one campaign never ends. */
  readonly yearRound?: CampaignKind;
};

const BEGINNING = Temporal.PlainDate.from('2000-01-01');
const NEVER_ENDS = Number.MAX_SAFE_INTEGER;

/** Days from 2000-01-01 to the date; negative before it. */
export function dayNumber(date: Temporal.PlainDate): number {
  return BEGINNING.until(date, { largestUnit: 'days' }).days;
}

/** The slots of an account: its year-round campaigns, then `passing` slots with campaigns that end. */
export function slotsOf(accountName: string, firstNumber: number, passing: number): Slot[] {
  const yearRound = YEAR_ROUND_KINDS[accountName] ?? [];
  return [
    ...yearRound.map((kind, index) => ({ number: firstNumber + index, yearRound: kind })),
    ...Array.from({ length: passing }, (_, index) => ({ number: firstNumber + yearRound.length + index })),
  ];
}

/** The campaigns whose days touch the range of day numbers, both ends included. */
export function campaignsBetween(
  seed: number,
  slots: readonly Slot[],
  fromDay: number,
  toDay: number,
): PlannedCampaign[] {
  return slots
    .flatMap((slot) => campaignsOfSlot(seed, slot, fromDay, toDay))
    .filter((campaign) => campaign.firstDay <= toDay && campaign.lastDay >= fromDay);
}

function campaignsOfSlot(seed: number, slot: Slot, fromDay: number, toDay: number): PlannedCampaign[] {
  if (slot.yearRound) return [campaign(seed, slot, slot.yearRound, 0, NEVER_ENDS)];
  const cycle = Math.floor(drawBetween(6, 60, seed, 'cycle length', slot.number));
  const offset = Math.floor(drawBetween(0, cycle, seed, 'cycle offset', slot.number));
  const campaigns: PlannedCampaign[] = [];
  for (let turn = Math.floor((fromDay + offset) / cycle); turn * cycle - offset <= toDay; turn += 1) {
    // The slot stays empty for the first days of a cycle, so the number of campaigns varies by day.
    const pause = Math.floor(cycle * drawBetween(0, 0.25, seed, 'pause', slot.number, turn));
    const start = turn * cycle - offset;
    const kind = pick(PASSING_KINDS, seed, 'kind', slot.number, turn);
    campaigns.push(campaign(seed, slot, kind, start + pause, start + cycle - 1));
  }
  return campaigns;
}

function campaign(
  seed: number,
  slot: Slot,
  kind: CampaignKind,
  firstDay: number,
  lastDay: number,
): PlannedCampaign {
  // A slot starts at most one campaign a day: the id is unique, and newer campaigns have higher ids.
  const callsetid = 1_000_000 + firstDay * 100 + slot.number;
  const started = BEGINNING.add({ days: firstDay });
  const name = fill(pick(kind.names, seed, 'name', callsetid), {
    town: pick(TOWNS, seed, 'town', callsetid),
    month: MONTHS[started.month - 1] ?? '',
    year: String(started.year),
    wave: String(1 + Math.floor(draw(seed, 'wave', callsetid) * 4)),
  });
  return { callsetid, name, category: kind.category, rhythm: kind.rhythm, firstDay, lastDay };
}
