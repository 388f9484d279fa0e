import { Refusal } from './refusal.ts';

/** What `getClients.wr` was asked (service.md 4.1). */
export type ClientListQuestion = {
  readonly limit: number;
  readonly page: number;
  readonly search: string;
  readonly balance: boolean;
};

/** What `campaignSummary.wr` was asked (service.md 4.2); both days are included. */
export type CampaignSummaryQuestion = {
  readonly from: Temporal.PlainDate;
  readonly to: Temporal.PlainDate;
  readonly callsetid: number | undefined;
};

/** The document leaves the default page size open (service.md 8). */
const DEFAULT_LIMIT = 100;

/** Reads the query of `getClients.wr`, or refuses it with a 400 (service.md 4.1). */
export function readClientListQuestion(params: URLSearchParams): ClientListQuestion {
  if (params.has('page') && !params.has('limit')) {
    throw new Refusal(400, 'The parameter page requires limit to be given as well.');
  }
  return {
    limit: readPositiveInteger(params, 'limit') ?? DEFAULT_LIMIT,
    page: readPositiveInteger(params, 'page') ?? 1,
    search: params.get('search') ?? '',
    balance: readBoolean(params, 'balance'),
  };
}

/** Reads the query of `campaignSummary.wr`, or refuses it with a 400 (service.md 4.2). */
export function readCampaignSummaryQuestion(params: URLSearchParams): CampaignSummaryQuestion {
  const from = readDate(params, 'startdate');
  const to = readDate(params, 'enddate');
  if (Temporal.PlainDate.compare(from, to) > 0) {
    throw new Refusal(400, 'The startdate must not be after the enddate.');
  }
  return { from, to, callsetid: readPositiveInteger(params, 'callsetid') };
}

function readPositiveInteger(params: URLSearchParams, name: string): number | undefined {
  const text = params.get(name);
  if (text === null) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1 || !Number.isSafeInteger(value)) {
    throw new Refusal(400, `The parameter ${name} must be a positive integer.`);
  }
  return value;
}

function readBoolean(params: URLSearchParams, name: string): boolean {
  const text = params.get(name) ?? 'false';
  if (text !== 'true' && text !== 'false') {
    throw new Refusal(400, `The parameter ${name} must be true or false.`);
  }
  return text === 'true';
}

function readDate(params: URLSearchParams, name: string): Temporal.PlainDate {
  const text = params.get(name);
  if (!text) throw new Refusal(400, `The parameter ${name} is mandatory.`);
  const [, month, day, year] = /^(\d{2})-(\d{2})-(\d{4})$/.exec(text) ?? [];
  try {
    // `reject`, or 02-30 would become the month's last day.
    return Temporal.PlainDate.from(
      { year: Number(year), month: Number(month), day: Number(day) },
      { overflow: 'reject' },
    );
  } catch {
    throw new Refusal(400, `The parameter ${name} must be a date of the calendar, as MM-DD-YYYY.`);
  }
}
