// biome-ignore-all lint/suspicious/noTemplateCurlyInString: conditions are parts of the source

/** A condition of a statement without which every test passes, and why it is no break of the gate. */
export type Unnoticed = {
  readonly file: string;
  /** As the gate prints it: what has it, and its text. */
  readonly condition: string;
  readonly because: string;
};

export const unnoticed: readonly Unnoticed[] = [
  {
    file: 'src/warehouse/load/campaigns.ts',
    condition: "followCampaigns: 'a.account_id', 'w.account_id'",
    because: 'an account of which nothing is due is looked at, and left as it is',
  },
  {
    file: 'src/warehouse/load/campaigns.ts',
    condition: 'lockDue: account_id: accountId,',
    because: 'with days of another account among them, each span is worked out anew as it is',
  },
  {
    file: 'src/warehouse/load/campaigns.ts',
    condition: "widenSpans: .where('day', '=', anyOf(days))",
    because: 'a span that is widened by all of its days is the same one; to look at them all takes longer',
  },
  {
    file: 'src/warehouse/load/campaigns.ts',
    condition: 'narrowSpans: c.account_id = ${accountId}',
    because: 'a campaign of another account that has no day any more goes a little earlier',
  },
  {
    file: 'src/warehouse/load/campaigns.ts',
    condition: 'narrowed: c.account_id = ${accountId}',
    because: 'a campaign whose other account is narrowed is worked out anew, as it is',
  },
  {
    file: 'src/warehouse/load/campaigns.ts',
    condition: 'widenSpans: excluded.last_day = campaigns.last_day',
    because: 'a campaign whose earlier day has another name is written again as it is',
  },
  {
    file: 'src/warehouse/retention/forget-account.ts',
    condition: 'bodiesOf: account_id = ${id}',
    because: 'a body that some response has, and none of another account, is one of this account',
  },
  {
    file: 'src/warehouse/outbox/corrections.ts',
    condition: "incompleteDigests: .where('g.state', '=', 'built')",
    because: 'a digest that was skipped has no delivery that is still wanted',
  },
];
