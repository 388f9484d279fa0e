/**
 * Waits for `work`; once the signal is aborted, for so many milliseconds more. Work that hasn't ended then is left
 * behind, and the signal's reason is thrown.
 */
export async function withinGrace<T>(work: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  const overdue = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const hurry = () => {
    timer = setTimeout(() => overdue.reject(signal.reason), graceMs);
  };
  if (signal.aborted) hurry();
  else signal.addEventListener('abort', hurry, { once: true });
  try {
    return await Promise.race([work, overdue.promise]);
  } finally {
    signal.removeEventListener('abort', hurry);
    clearTimeout(timer);
  }
}

/** Aborted so long after `signal`, for the same reason. */
export function abortedLater(signal: AbortSignal, ms: number): AbortSignal {
  const later = new AbortController();
  signal.addEventListener('abort', () => setTimeout(() => later.abort(signal.reason), ms).unref(), {
    once: true,
  });
  return later.signal;
}
