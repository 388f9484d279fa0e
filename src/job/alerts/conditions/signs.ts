import { type ObservedSign, signId, starred } from '../../../model/accepted.ts';
import type { AlertStep } from '../../../model/alert.ts';
import { accountOptions, type Items, namesOf, typed, unique } from '../items.ts';
import type { WarehouseState } from '../state.ts';

/** The signs as the part of an alert's key: all that have the same are one cause. */
export function partOfSigns(signs: readonly ObservedSign[]): string {
  const ids = unique(signs.map(signId)).sort();
  return ids.join('+');
}

/** Accepts each sign for good: as it is or, if only its numbers differ, whatever these are. */
export function acceptAlways(text: string, items: Items, { accounts }: WarehouseState): AlertStep[] {
  const whose = namesOf(items).length === accounts.length ? [] : accountOptions(items);
  const byId = Map.groupBy(
    items.flatMap(({ signs = [] }) => signs),
    signId,
  );
  return [...byId].map(([id, signs]) => {
    const all = unique(signs.map(({ sign }) => sign));
    const sign = all.length === 1 ? all[0]! : starred(signs[0]!);
    return typed(byId.size === 1 ? text : `${text}: ${sign}`, 'accept', '--always', id, ...whose);
  });
}
