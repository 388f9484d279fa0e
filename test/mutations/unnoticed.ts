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
    file: 'src/warehouse/retention/forget-account.ts',
    condition: 'eraseBodies: account_id = ${id}',
    because: 'a body that some response has, and none of another account, is one of this account',
  },
  {
    file: 'src/warehouse/outbox/corrections.ts',
    condition: "incompleteDigests: .where('g.state', '=', 'built')",
    because: 'a digest that was skipped has no delivery that is still wanted',
  },
];
