/** Something that doesn't heal by itself, or that somebody should know of before it does. */
export type ActiveAlert = {
  /** What and where: the same as long as it lasts. */
  readonly key: string;
  /** What happened, in a line. */
  readonly what: string;
  /** Why, and what happens without anybody doing anything. */
  readonly cause: string;
  /** What to type. */
  readonly command: string;
};

/** An active alert as it is sent: `sinceRunDate` where it was active on an earlier run date already. */
export type AlertSince = ActiveAlert & { readonly sinceRunDate: string | null };

/** An alert in the words of mail, before MIME. */
export type AlertMessage = { readonly subject: string; readonly text: string; readonly html: string };
