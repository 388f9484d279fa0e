import type { JsonObject } from '../../../../src/simulator/middleware.ts';
import { without } from '../middleware.ts';

/** Makes malformed records from a good record of the response and an unused id. */
type HostileKind = (good: JsonObject, id: number) => readonly unknown[];

/** JSON gets exactly these digits: a double would round them. */
const TOO_BIG = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('9007199254740993');

const DEEP = Array.from({ length: 5_000 }).reduce((inner) => [inner], 'the bottom');

/** Records that contradict the document. */
export function hostileKinds(idField: 'clientid' | 'callsetid'): readonly HostileKind[] {
  const changed = (fields: JsonObject): HostileKind => {
    return (good, id) => [{ ...good, [idField]: id, ...fields }];
  };
  const ids = [null, 'abc', -7, TOO_BIG].map((id) => changed({ [idField]: id }));
  const counts = [{ attempts: -1 }, { busies: 1.5 }, { connects: TOO_BIG }, { liveanswers: 'many' }];
  return [
    (good) => [without(good, idField)],
    ...ids,
    () => ['a text'],
    () => [null],
    () => [[1, 2, 3]],
    (good) => [good],
    (good, id) =>
      ['One name', 'Another name'].map((name) => ({
        ...good,
        [idField]: id,
        clientname: name,
        campaign: name,
      })),
    changed({ ['__proto__']: { polluted: true } }),
    changed({ deep: DEEP }),
    ...(idField === 'callsetid' ? counts.map(changed) : []),
  ];
}
