import { type AnyRecord, changing, type Envelope, onBoth, type VariantEntry, without } from '../variant.ts';

/** The numbers of an envelope: what each counts isn't shown (service.md 2.2, 2.3). */
export const countVariants = {
  'numbers-as-text': {
    does: 'every number of envelopes and records is sent as text',
    make: () => onBoth(changing(inText)),
  },
  'counts-missing': {
    does: 'no clients, results, count, campaigns and reports in the answers',
    make: () =>
      onBoth(
        changing((envelope) => without(envelope, 'clients', 'results', 'count', 'campaigns', 'reports')),
      ),
  },
  'counts-other': {
    does: 'clients are those of the page, results all, count the pages; reports is 1, campaigns those of a month',
    make: () => ({
      clients: changing((envelope) => ({
        ...envelope,
        clients: envelope.count,
        results: envelope.clients,
        count: envelope.pages,
      })),
      campaigns: (params, next) => {
        const month = next(fromMonthBefore(params));
        return { ...next(params), campaigns: month.campaigns, reports: 1 };
      },
    }),
  },
} satisfies Record<string, VariantEntry>;

function inText(envelope: Envelope): Envelope {
  return textOf(
    Object.fromEntries(
      Object.entries(envelope).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map(textOfRecord) : value,
      ]),
    ),
  );
}

function textOfRecord(record: unknown): unknown {
  const isRecord = typeof record === 'object' && record !== null && !Array.isArray(record);
  return isRecord ? textOf(record as AnyRecord) : record;
}

/** Of the numbers of the object itself; what is nested in a field stays. */
function textOf(object: AnyRecord): AnyRecord {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
  );
}

/** The same question with its startdate 30 days earlier; one that makes no sense stays, and is refused. */
function fromMonthBefore(params: URLSearchParams): URLSearchParams {
  const [, month, day, year] = /^(\d\d)-(\d\d)-(\d{4})$/.exec(params.get('startdate') ?? '') ?? [];
  if (year === undefined) return params;
  try {
    const [y, m, d] = Temporal.PlainDate.from(`${year}-${month}-${day}`)
      .subtract({ days: 30 })
      .toString()
      .split('-');
    const copy = new URLSearchParams(params);
    copy.set('startdate', `${m}-${d}-${y}`);
    return copy;
  } catch {
    return params;
  }
}
