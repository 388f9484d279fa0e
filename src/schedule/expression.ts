import { createTask, parse, type ScheduledTask, validateDetailed } from 'node-cron';

/** What is wrong with a cron expression of five fields, or of six that begin with seconds; nothing, if it is valid. */
export function expressionErrors(expression: string): string[] {
  const { errors } = validateDetailed(expression);
  if (errors.length > 0) return errors.map(({ message }) => message);
  try {
    calendarTask(expression).getNextRuns(1);
    return [];
  } catch {
    return ['no date matches it'];
  }
}

/** Whether the expression restricts both the day of the month and the day of the week: node-cron wants both to match. */
export function restrictsBothDays(expression: string): boolean {
  const { dayOfMonth, dayOfWeek } = parse(expression);
  return dayOfMonth.length < 31 && dayOfWeek.length < 7;
}

/**
 * node-cron's own answers to which dates and times match, in UTC, where no clock changes: about the calendar alone.
 * Throws an Error if the expression is invalid.
 */
export function calendarTask(expression: string): Pick<ScheduledTask, 'match' | 'getNextRuns'> {
  const task = createTask(expression, () => {}, { timezone: 'UTC' });
  // It never starts, and node-cron would keep it in its registry for ever.
  void task.destroy();
  return task;
}
