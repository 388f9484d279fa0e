import { readFileSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';

type Column = {
  readonly table: string;
  readonly about: string;
  readonly kind: 'r' | 'v';
  readonly column: string;
  readonly type: string;
  readonly key: boolean;
  readonly nullable: boolean;
  readonly comment: string;
};

/** Queries that read `etl`, too: only the job's role may run them. */
export const jobQueries = ['as-reported-on', 'trace'] as const;

export function readQuery(name: (typeof jobQueries)[number]): string {
  return readFileSync(path.resolve(import.meta.dirname, `../../docs/queries/examples/${name}.sql`), 'utf8');
}

/** Generates `docs/data-dictionary.md` from the comments in the database. */
export async function dataDictionary(client: pg.Client): Promise<string> {
  const { rows } = await client.query<Column>(`
    select c.relname as table, obj_description(c.oid) as about, c.relkind as kind, a.attname as column,
      format_type(a.atttypid, a.atttypmod) as type, coalesce(a.attnum = any(k.conkey), false) as key,
      not a.attnotnull as nullable, col_description(c.oid, a.attnum) as comment
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
    where c.relnamespace = 'warehouse'::regnamespace and c.relkind in ('r', 'v')
    order by c.relkind desc, c.relname collate "C", a.attnum`);
  const tables = [...Map.groupBy(rows, (row) => row.table).values()].map(describeTable);
  return `${[introduction, ...tables, asReported(), trace()].join('\n\n')}\n`;
}

const introduction = `# The data dictionary

Schema \`warehouse\`, for BI tools. Made from the comments in the database: \`npm run dictionary\` regenerates it.
Counts mean what the service means by them; days are calendar days in the zone of the account. A key column is marked
\`*\`, and one that may be null \`?\`. Grant the role that reads it all, and nothing else: \`grant callsheet_reader to
your_bi_user\`. [Twelve questions](warehouse.md#twelve-questions) are queries to start from.`;

function describeTable(columns: readonly Column[]): string {
  const { table, about, kind } = columns[0]!;
  const mark = ({ key, nullable }: Column) => (key ? '*' : nullable && kind === 'r' ? '?' : '');
  const lines = columns.map(
    (each) => `| \`${each.column}\`${mark(each)} | ${short(each.type)} | ${each.comment} |`,
  );
  const head = `## ${kind === 'v' ? 'View' : 'Table'} \`${table}\`\n\n${about}`;
  return `${head}\n\n| column | type | means |\n|---|---|---|\n${lines.join('\n')}`;
}

const short = (type: string) => type.replace('timestamp with time zone', 'timestamptz');

const asReported = () => `## Figures as they were reported\n\n${fenced(readQuery('as-reported-on'))}`;

function trace(): string {
  const how =
    'The body is compressed with zstd: `psql -At -c "select encode(zstd, \'base64\') from etl.response_bodies where …" | base64 -d | zstd -d`.';
  return `## The source of a row\n\n${fenced(readQuery('trace'))}\n\n${how}`;
}

const fenced = (sql: string) => `\`\`\`sql\n${sql.trim()}\n\`\`\``;
