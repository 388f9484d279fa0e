import type { SimulatedClient } from '../names.ts';
import type { ClientListQuestion } from '../questions.ts';
import type { Variant, VariantEntry } from '../variant.ts';

/**
 * A list that changes under the walker's feet: the document doesn't say whether pages are of one moment
 * (service.md 4.1). A walk of an account begins with its first page, once a later one of the walk before was
 * asked for; so the first page may be asked for again within a walk. Searches find the list at rest.
 *
 * The list comes to rest as the data set has it: what is removed is back, and what is inserted is gone.
 */
export const rowVariants = {
  'id-twice': {
    does: 'the first client is on the last page once more, in every walk',
    make: () => ({ rows: (rows) => [...rows, ...rows.slice(0, 1)] }),
  },
  'row-removed-once': {
    does: 'in the first walk of an account a client goes after page 1, so that another is seen nowhere',
    make: () => shifting(removed, (walk) => walk === 1),
  },
  'row-removed-always': {
    does: 'the same in every walk',
    make: () => shifting(removed, () => true),
  },
  'row-inserted-once': {
    does: 'in the first walk of an account a client comes after page 1, so that another is seen twice',
    make: () => shifting(inserted, (walk) => walk === 1),
  },
  'row-inserted-always': {
    does: 'the same in every walk',
    make: () => shifting(inserted, () => true),
  },
} satisfies Record<string, VariantEntry>;

type Rows = readonly SimulatedClient[];

/** The first row, on page 1 already: those behind it move up, and one moves from page 2 to page 1. */
const removed = (rows: Rows): Rows => rows.slice(1);

/** Before the first row, where nobody sees it: those behind it move down, one from page 1 to page 2. */
const inserted = (rows: Rows): Rows => [NEWCOMER, ...rows];

const NEWCOMER: SimulatedClient = {
  clientid: 1,
  clientname: 'Newcomer',
  checksum: '0000000001',
  balance: '0.00',
};

function shifting(change: (rows: Rows) => Rows, concerns: (walk: number) => boolean): Variant {
  const walks = new Map<string, { number: number; beyondFirst: boolean }>();
  return {
    rows: (rows, { page, search }: ClientListQuestion, account) => {
      if (search !== '') return rows;
      const walk = walks.get(account) ?? { number: 1, beyondFirst: false };
      walks.set(account, walk);
      if (page > 1) {
        walk.beyondFirst = true;
        return concerns(walk.number) ? change(rows) : rows;
      }
      if (walk.beyondFirst) {
        walk.number += 1;
        walk.beyondFirst = false;
      }
      return rows;
    },
  };
}
