// biome-ignore-all lint/suspicious/noTemplateCurlyInString: conditions are parts of the source

/** A condition that every test passes without, and why that is no gap in the tests. */
export type Unnoticed = {
  readonly file: string;
  /** The break's name: the function that contains the condition, and its text. */
  readonly condition: string;
  readonly because: string;
};

export const unnoticed: readonly Unnoticed[] = [
  {
    file: 'src/warehouse/queries/figures-restated.ts',
    condition: 'readRestated: w.loaded_at > p.since',
    because: 'a day that was loaded before has no row that differs: this only keeps it from being read',
  },
  {
    file: 'src/warehouse/queries/figures-restated.ts',
    condition: 'readRestated: w.day in (select day from reported)',
    because: 'a backfill loads days without a row that was known: this only keeps them from being read',
  },
  {
    file: 'src/warehouse/queries/figures-rows.ts',
    condition: 'digestRowPages: s.day between ${from}::date and ${to}::date',
    because: 'other days are joined to no row: this only keeps them from being read for each',
  },
  {
    file: 'src/warehouse/queries/figures-rows.ts',
    condition: 'digestRowPages: d.day between ${from}::date and ${to}::date',
    because: 'rows of other days are joined to no day: this only keeps them from being read',
  },
  {
    file: 'src/warehouse/outbox/corrections.ts',
    condition: "incompleteDigests: .where('g.kind', '=', 'first')",
    because: 'a corrected digest has a correction already: itself',
  },
  {
    file: 'src/warehouse/queries/figures.ts',
    condition: 'readDigestCoverage: a.since is not null',
    because: 'an account of which no day is expected lacks none',
  },
  {
    file: 'src/warehouse/archive/archive.ts',
    condition: 'keepFetches: for no key update',
    because: 'without an order of locks two loads may end in a deadlock, after which one is repeated',
  },
  {
    file: 'src/warehouse/archive/read-archive.ts',
    condition: 'archivedWindows: day >= ${from}',
    because: 'rows of other days are joined to no window: this only keeps them from being read',
  },
  {
    file: 'src/warehouse/archive/read-archive.ts',
    condition: 'archivedWindows: day <= ${to}',
    because: 'rows of other days are joined to no window: this only keeps them from being read',
  },
  {
    file: 'src/warehouse/archive/read-archive.ts',
    condition: "walkedAccounts: .whereRef('w.account_id', '=', 'a.account_id')",
    because: 'an account that was never walked has no clients to rebuild',
  },
  {
    file: 'src/warehouse/retention/forget-account.ts',
    condition: 'erase: f.account_id = ${id}',
    because: 'a body that some response has, and none of another account, is one of this account',
  },
  {
    file: 'src/warehouse/outbox/corrections.ts',
    condition: "incompleteDigests: .where('g.state', '=', 'built')",
    because: 'a digest that was skipped has no delivery that is still wanted',
  },
];
