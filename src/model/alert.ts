/** Something that doesn't heal by itself, or that somebody should know of before it does. */
export type ActiveAlert = {
  /** What and where: the same as long as the trouble lasts. */
  readonly key: string;
  /** What happened, in a line. */
  readonly what: string;
  /** Why, and what happens without anybody doing anything. */
  readonly cause: string;
  /** What to type. */
  readonly command: string;
};

/** A trouble as it is told: `sinceRunDate` where it was met on an earlier night already. */
export type AlertSince = ActiveAlert & { readonly sinceRunDate: string | null };

/** An alert in the words of mail, before MIME. */
export type AlertMessage = { readonly subject: string; readonly text: string; readonly html: string };
