import type { Kysely } from 'kysely';
import { createTable, createView, execute } from './support/commented.ts';

/** Creates the runs, their lock and the starts of requests. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(
    db,
    'etl.runs',
    'Every run of the job.',
    {
      run_id: ['bigint generated always as identity primary key', 'Key of the run.'],
      kind: [
        `text not null check (kind in ('nightly', 'dated', 'backfill', 'accept', 'digest', 'replay', 'forget'))`,
        'nightly: brings whatever is due; dated: certain days or accounts; digest: sends one by hand; backfill, accept, replay, forget: the command of that name.',
      ],
      command: ['text not null', 'Command and dates that started it.'],
      service: ['text', 'SERVICE_BASE_URL; null if none was set.'],
      run_date: ['date not null', 'Its own date in TIME_ZONE; that of the first run, if it retries one.'],
      scheduled_at: ['timestamptz', 'Scheduled time that it served; null for a run by hand.'],
      number: [
        'integer not null default 1',
        'Its number among the runs of its scheduled time: 1 is the first, each later one retries or restarts it.',
      ],
      retry_until: [
        'timestamptz',
        'Until when it is retried: RETRY_FOR after the first run started, and the next scheduled time at the latest. Null if it is not.',
      ],
      started_at: [
        'timestamptz not null default clock_timestamp()',
        'When it began; if it is exclusive, just after it took the run lock.',
      ],
      retry_at: [
        'timestamptz',
        'When the next run retries what it left; null if nothing retryable is left, or its time is over.',
      ],
      finished_at: ['timestamptz', 'When it ended; null while it works, or if it was killed.'],
      host: ['text not null', 'Name of the machine.'],
      process_id: ['integer not null', 'Process on that machine.'],
      outcome: [
        `text check (outcome in ('done', 'partial', 'failed', 'interrupted'))`,
        'How it ended; null while it works, or if it was killed.',
      ],
      exit_code: ['integer', 'Exit code of the process, as docs/commands.md lists them.'],
      summary: ['jsonb', 'What it did, in numbers, and its errors; null once it is older than 400 days.'],
      exclusive: [
        'boolean not null default true',
        'Whether it holds the run lock while it works. A backfill does not.',
      ],
    },
    ['unique (scheduled_at, number)'],
  );
  await execute(
    db,
    // Of years of runs, page and scrape read the few that they show.
    'create index runs_unfinished on etl.runs (run_id) where finished_at is null',
    `create index runs_by_hand on etl.runs (run_id) where kind <> 'nightly'`,
    'create index runs_kept on etl.runs (finished_at) where summary is not null',
  );
  // A view, because VACUUM of the database would wait for a locked table.
  await createView(
    db,
    'etl.run_lock',
    'Always empty. A run holds an exclusive lock on it, in an open transaction; to take one needs a right that only the owner has.',
    { unused: 'Never filled.' },
    'select null::boolean as unused where false',
  );
  await createTable(
    db,
    'etl.request_starts',
    'When the next request may start, where several processes share RATE_PER_SECOND: run and backfill with --distribute, and their workers.',
    {
      service: ['text primary key', 'SERVICE_BASE_URL.'],
      next_at: ['timestamptz not null', 'All starts before it are reserved by some process.'],
    },
  );
}
