import { type AnyRecord, changingRecords, type VariantEntry, without } from '../variant.ts';

/** The balance on a record that was asked for with it: neither its field nor its type is shown (service.md 2.1). */
export const balanceVariants = {
  'balance-number': entry('the balance is a number', (amount) => ({ balance: Number(amount) })),
  'balance-grouped': entry('the balance is text with groups, as in "1,234.50"', (amount) => ({
    balance: amount.replace(/\B(?=(\d{3})+\.)/g, ','),
  })),
  'balance-dollar': entry(
    'the balance is text with a dollar sign, as in "$1234.50", "-$3.20" and "$12"',
    (amount) => ({
      balance: amount.replace(/^-?/, '$&$$').replace(/\.00$/, ''),
    }),
  ),
  'balance-other-name': entry('the balance is a field named accountBalance', (amount) => ({
    accountBalance: amount,
  })),
  'balance-ambiguous': entry(
    'two fields name a balance: balance, and creditBalance which is always "5.00"',
    (amount) => ({
      balance: amount,
      creditBalance: '5.00',
    }),
  ),
  'balance-unreadable': entry('the balance is always "n/a"', () => ({ balance: 'n/a' })),
  'balance-missing': entry('no record has a balance', () => ({})),
};

/** Replaces the balance of the records that have one. */
function entry(does: string, fields: (amount: string) => AnyRecord): VariantEntry {
  const change = (record: AnyRecord): AnyRecord =>
    typeof record.balance === 'string'
      ? { ...without(record, 'balance'), ...fields(record.balance) }
      : record;
  return { does, make: () => ({ clients: changingRecords((records) => records.map(change)) }) };
}
