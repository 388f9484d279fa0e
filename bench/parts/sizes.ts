import { pageLimit } from '../bodies.ts';

/** The days up to yesterday, so many. */
export function daysBack(count: number): string[] {
  const yesterday = Temporal.Now.plainDateISO('UTC').subtract({ days: 1 });
  return Array.from({ length: count }, (_, back) => yesterday.subtract({ days: back }).toString()).reverse();
}

/** So many clients at that scale, in whole pages. */
export function clientsAt(scale: number, clients: number): number {
  return Math.max(pageLimit, Math.round((clients * scale) / pageLimit) * pageLimit);
}

/** So many campaigns a day at that scale. */
export function campaignsAt(scale: number, campaigns: number): number {
  return Math.max(1, Math.round(campaigns * scale));
}

export const inWords = (count: number) => count.toLocaleString('en');
