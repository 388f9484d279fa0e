import { hash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { parseAst } from 'vitest/node';
import type { Break } from './breaks.ts';

// `npm run mutate drawn [COUNT] [SEED]` draws one-line breaks from all of src. Each break is drawn by a hash of its own text:
// a change of one file leaves the breaks of the others drawn.

type Change = { readonly start: number; readonly end: number; readonly replace: string };
type Node = { readonly type: string; readonly start: number; readonly end: number } & Record<string, unknown>;

export function drawnBreaks(count: number, seed: number): Break[] {
  return globSync('src/**/*.ts')
    .flatMap((file) => candidatesOf(file, seed))
    .sort((one, other) => one.rank - other.rank)
    .slice(0, count)
    .map(({ broken }) => broken);
}

/** Every break of a file. A file is drawn in proportion to its lines of code, whatever the number of its breaks. */
function candidatesOf(file: string, seed: number): { readonly broken: Break; readonly rank: number }[] {
  const source = readFileSync(file, 'utf8');
  const lines = source.split('\n').filter((line) => /^\s*[^\s/*]/.test(line)).length;
  const changes = allNodes(parseAst(source, { lang: 'ts' }))
    .flatMap((node) => changesOf(source, node))
    .filter((change) => canBeParsed(applied(source, change)));
  return changes.map((change, index) => {
    const changed = applied(source, change);
    const first = change.start + source.slice(change.start).search(/\S/);
    const line = source.slice(0, first).split('\n').length;
    const [before, after] = [source, changed].map((text) => text.split('\n')[line - 1]!.trim());
    const digest = hash('sha256', `${seed} ${file} ${index} ${before} ${after}`, 'buffer');
    const drawn = (digest.readUIntBE(0, 6) + 1) / 2 ** 48;
    return {
      broken: { name: `line ${line}: ${before} → ${after}`, file, apply: () => changed },
      rank: (-Math.log(drawn) * changes.length) / lines,
    };
  });
}

const applied = (source: string, { start, end, replace }: Change) =>
  `${source.slice(0, start)}${replace}${source.slice(end)}`;

function canBeParsed(source: string): boolean {
  try {
    parseAst(source, { lang: 'ts' });
    return true;
  } catch {
    return false;
  }
}

function allNodes(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(allNodes);
  if (value === null || typeof value !== 'object') return [];
  const below = Object.values(value).flatMap(allNodes);
  return 'type' in value ? [value as Node, ...below] : below;
}

const operators: Record<string, readonly string[]> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
  '+': ['-'],
  '-': ['+'],
};

function changesOf(source: string, node: Node): Change[] {
  const textOf = (each: Node) => source.slice(each.start, each.end);
  const child = (key: string) => node[key] as Node;
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const isText = [child('left'), child('right')].some((side) => /^[`'"]/.test(textOf(side)));
      const start = source.indexOf(node.operator as string, child('left').end);
      const end = start + (node.operator as string).length;
      return (isText ? [] : (operators[node.operator as string] ?? [])).map((replace) => ({
        start,
        end,
        replace,
      }));
    }
    case 'IfStatement':
      return [{ start: child('test').start, end: child('test').end, replace: `!(${textOf(child('test'))})` }];
    case 'ConditionalExpression': {
      const { start } = child('consequent');
      const { end } = child('alternate');
      return [{ start, end, replace: `${textOf(child('alternate'))} : ${textOf(child('consequent'))}` }];
    }
    case 'ExpressionStatement':
      return /^(await )?[\w.?!]+\(/.test(textOf(node))
        ? [{ start: node.start, end: node.end, replace: ';' }]
        : [];
    case 'CallExpression': {
      const { object, property } = child('callee') as unknown as {
        object?: Node;
        property?: { name?: string };
      };
      const removable = ['filter', 'where', 'whereRef'].includes(property?.name ?? '');
      return object && removable ? [{ start: object.end, end: node.end, replace: '' }] : [];
    }
    case 'ReturnStatement':
      return node.argument ? literal(child('argument')) : [];
    case 'ArrowFunctionExpression':
      return literal(child('body'));
    case 'TaggedTemplateExpression':
      return textOf(child('tag')) === 'sql' ? conditions(source, child('quasi')) : [];
    default:
      return [];
  }
}

function literal({ type, value, start, end }: Node): Change[] {
  if (type !== 'Literal') return [];
  if (typeof value === 'boolean') return [{ start, end, replace: String(!value) }];
  if (typeof value === 'number') return [{ start, end, replace: String(value + 1) }];
  return typeof value === 'string' ? [{ start, end, replace: "''" }] : [];
}

/** Conditions of a statement: each is replaced by `true`. */
function conditions(source: string, text: Node): Change[] {
  let sql = source.slice(text.start, text.end);
  for (const hole of text.expressions as readonly Node[]) {
    const [start, end] = [hole.start - text.start - 2, hole.end - text.start + 1];
    sql = `${sql.slice(0, start)}${'_'.repeat(end - start)}${sql.slice(end)}`;
  }
  return [...sql.matchAll(/\b(?:where|and|on|having) +(?!conflict)/g)].flatMap(({ 0: word, index }) => {
    const start = index + word.length;
    const end = start + lengthOfCondition(sql.slice(start));
    // The `and` of a `between` connects nothing.
    if (/\bbetween\s+\S+\s+$/.test(sql.slice(0, index)) || end === start) return [];
    return [{ start: text.start + start, end: text.start + end, replace: 'true' }];
  });
}

const next =
  /^\s*(?:\b(?:and|or|group|order|limit|returning|union|where|join|left|inner|for|window|then|on)\b|[;`])/;

function lengthOfCondition(sql: string): number {
  let depth = 0;
  for (let at = 0; at < sql.length; at++) {
    if (sql[at] === '(') depth++;
    if (sql[at] === ')') depth--;
    const isBetween = /\bbetween\s+\S+\s*$/.test(sql.slice(0, at));
    if (depth < 0 || (depth === 0 && !isBetween && next.test(sql.slice(at)) && !/\w/.test(sql[at - 1] ?? '')))
      return sql.slice(0, at).trimEnd().length;
  }
  return 0;
}
