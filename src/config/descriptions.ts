import type { SettingName } from './schema.ts';

/** What a setting means, in Markdown of docs/; and what holds where it isn't set and has no default. */
type Description = string | { readonly means: string; readonly unset: string };

/**
 * Each setting by its subject, for docs/settings.md (`npm run settings`). Default and example are the schema's;
 * a `_FILE` setting needs no words of its own.
 */
export const settingDescriptions = {
  'Service and accounts': {
    SERVICE_BASE_URL: {
      means:
        "Address of the service, up to the names of its operations. Redirects aren't followed: they would take the token along.",
      unset: 'none; required',
    },
    SIDTOKEN: {
      means:
        'Session token of the one account. A token under 12 characters gets a warning: in logs every word that contains it is redacted, and values of the warehouse that contain it stay as they are.',
      unset: 'none; required unless there is an `ACCOUNTS_FILE`',
    },
    ACCOUNT_NAME:
      'Name of the account of `SIDTOKEN`. It is its identity in the warehouse: another name is another account.',
    ACCOUNTS_FILE: {
      means:
        'Several accounts, instead of `SIDTOKEN`: a YAML or JSON list, [shown below](#an-accounts-file).',
      unset: 'one account, that of `SIDTOKEN`',
    },
    ALLOW_INSECURE_HTTP:
      '`true` allows a `SERVICE_BASE_URL` with `http://` on another machine than this one (`localhost`, `127.0.0.0/8`, `::1`). Everybody on the way can then read the session token.',
    NODE_EXTRA_CA_CERTS: {
      means:
        "PEM file with the certificates of your own authorities, trusted beside the default ones for service, database, mail server and watchdog. Unlike Node's own variable it works in `.env`, too. [More](operations.md#a-certificate-of-your-own-authority).",
      unset: "Node's authorities alone",
    },
  },
  Requests: {
    PAGE_LIMIT: 'Clients per page.',
    CONCURRENCY: 'Concurrent requests of a process, over all accounts. `worker --concurrency` overrides it.',
    RATE_PER_SECOND: {
      means:
        'Requests per second, over all accounts, and over all workers of a distributed run. `0.5` is one in two seconds.',
      unset: 'no limit',
    },
    REQUEST_TIMEOUT: 'Timeout of each attempt: `500ms`, `30s`, `2m`.',
    RETRIES:
      'Further attempts after a retryable error, each after a back-off, or the delay in `Retry-After`.',
    MAX_RESPONSE_MB:
      'How large a response may be, decompressed. A larger one is an error that names this setting. All responses in memory together may take as much again; a response beyond its share waits until earlier requests are done.',
    WINDOW_END:
      '`next-day` if the service leaves out the end of a date range; `doctor` reports whether it does.',
    CLIENT_BALANCE: 'Whether to request the balances of clients.',
    BALANCE_FIELD: {
      means: 'Name of the field that carries the balance.',
      unset: 'the one field whose name mentions a balance',
    },
  },
  Warehouse: {
    DATABASE_URL: {
      means:
        'The warehouse: Postgres 15 or newer. `sslmode=disable`, `require` (encrypted, not verified), `verify-ca` and `verify-full` mean what they mean to libpq, and so do `sslrootcert`, `sslcert`, `sslkey`, `channel_binding`, `application_name` and `options`. A misspelt parameter is an error, an unknown one gets a warning. Without TLS the password is sent as SCRAM alone, except to this machine or with `sslmode=disable`.',
      unset: 'a private Postgres under `.callsheet/`, to try it out',
    },
    MIGRATE_DATABASE_URL: {
      means:
        'The database for `migrate`, where `DATABASE_URL` is a pooler. PgBouncer works in transaction mode, with a pool of at least 2: the run lock takes one connection.',
      unset: '`DATABASE_URL`',
    },
    ARCHIVE_DAYS: {
      means:
        'Days that response bodies are kept [for `replay`](warehouse.md#the-archive), from 2 on; older ones are deleted at the end of each run.',
      unset: 'for ever',
    },
    HISTORY_DAYS: {
      means:
        'Days that messages of digests, summaries of runs and records in quarantine are kept, from 32 on; older ones are deleted at the end of each run. Their rows stay ([growth](operations.md#growth)).',
      unset: 'for ever',
    },
  },
  Runs: {
    TIME_ZONE:
      'Zone of the schedule, of run dates, and of accounts without a `time_zone`. Postgres must know the zones of all accounts: machines without `tzdata-legacy` lack old names like `US/Eastern`. The clock of the database decides whether a day is over.',
    SCHEDULE:
      'Cron expression of the nightly run: five fields, or six that begin with seconds. If both day of month and day of week are given, both must match: `30 6 1 * 1` is a first of the month that is a Monday.',
    RETRY_FOR:
      'How long `schedule` [retries after an outage](scheduling.md#when-something-is-down), from the first start of the run, and until the next scheduled time at most. For `run` it is `--retry-for`.',
    LOOKBACK_DAYS: 'The last days, which every run syncs again. At most `CATCH_UP_DAYS`.',
    CATCH_UP_DAYS: 'How many days back a run looks for what is missing, failed or not yet settled.',
  },
  'Mail and digests': {
    SMTP_URL: {
      means:
        'The mail server: `smtp://user:password@host:587` uses STARTTLS, which is required unless the host is this machine or the address ends in `?tls=optional`; `smtps://` uses TLS from the first byte.',
      unset: 'messages are files in `OUTBOX_DIR`',
    },
    OUTBOX_DIR: 'Folder for messages without `SMTP_URL`, readable by its owner alone (0700, files 0600).',
    DIGEST_FROM: {
      means: 'From address. Required with `SMTP_URL`.',
      unset: '`Callsheet <callsheet@localhost>` in files of messages',
    },
    DIGEST_REPLY_TO: {
      means:
        'Reply-To address. With it, mail programs offer to unsubscribe: a mail to this address, for a person to handle.',
      unset: 'none',
    },
    DIGEST_TO: {
      means: 'Recipients of one digest a day about all accounts: addresses, separated by commas.',
      unset:
        'nobody is mailed; without `SMTP_URL`, one digest to `manager@localhost` is written to `OUTBOX_DIR`',
    },
    DIGESTS_FILE: {
      means: 'Several digests, instead of `DIGEST_TO`: a YAML or JSON list, [shown below](#a-digests-file).',
      unset: 'one digest, that of `DIGEST_TO`',
    },
    DIGEST_CATCH_UP:
      'If a run completes several days, weeks or months at once, how many get a digest of their own; the newest names the earlier ones.',
    DIGEST_MAX_MB:
      'How large the CSV of a digest may be. A larger one is sent as a ZIP file; if that is larger, too, the mail says how to get it.',
    DIGEST_LINK: {
      means:
        "Address of a dashboard, opened by a button of the digest. `{day}`, `{from}`, `{to}` and `{account}` stand for the digest's day, the first and last day of its period, and the names of its accounts, separated by commas.",
      unset: 'no button',
    },
    ALERT_TO: {
      means:
        'Recipients of active alerts, once a run date and again when another one arises: what happened, since when, why, what to type, and what is resolved. Addresses, separated by commas.',
      unset: 'nobody is alerted by mail',
    },
  },
  'Page, metrics and watchdog': {
    HTTP_HOST:
      'Address on which `schedule` serves its page, metrics and health. `0.0.0.0` is every IPv4 address.',
    HTTP_PORT: 'Its port; `0` turns the server off.',
    HTTP_NAMES: {
      means: 'Further host names of the server, such as that of a proxy, separated by commas.',
      unset: '`localhost` and IP addresses alone are accepted',
    },
    HTTP_TOKEN: {
      means:
        'Password of the page, with any user name, and bearer token of `/metrics`. At least 16 characters.',
      unset: 'no password',
    },
    HEALTHCHECK_URL: {
      means:
        'Address of a watchdog such as healthchecks.io. Each full run pings `/start` behind it, then the address itself, or `/CODE` with the exit code; runs of single days or accounts ping nothing. A ping that fails never fails the run.',
      unset: 'no ping',
    },
  },
  Logs: {
    LOG_LEVEL:
      'The least severe lines that are logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
    LOG_FORMAT: {
      means: '`json`, or `pretty` for people.',
      unset: '`pretty` on a terminal, else `json`',
    },
  },
} as const satisfies Record<string, Partial<Record<SettingName, Description>>>;
