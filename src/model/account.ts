/** Whom a session token identifies: statistics belong to an account (service.md 5). */
export type Account = {
  /** Its identity in the settings and in the warehouse. */
  readonly name: string;
  /** What people read; the name where the settings give none. */
  readonly label: string;
  /** IANA zone in which its days begin and end. */
  readonly timeZone: string;
  /** Which listed client this account is, as the accounts file says. */
  readonly client?: { readonly account: string; readonly id: number };
};
