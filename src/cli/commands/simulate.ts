import { type Command, Option } from 'commander';
import { wholeNumber } from '../../config/formats.ts';
import { addDays, type Day, today } from '../../model/day.ts';
import { usageFailure } from '../../model/errors.ts';
import { THREE_ACCOUNTS } from '../../simulator/accounts.ts';
import { generateDataset } from '../../simulator/dataset.ts';
import type { Middleware } from '../../simulator/middleware.ts';
import { startSimulator } from '../../simulator/server.ts';
import { stories } from '../../simulator/stories.ts';
import { playStory } from '../../simulator/story.ts';
import { aborted, systemClock } from '../../support/clock.ts';
import { asTyped } from '../../support/commands.ts';
import { createLogger, type Logger } from '../../support/logger.ts';
import type { Context } from '../context.ts';
import { dayOption, daysHelp, exampleOf, optionOf } from '../options.ts';
import { describeEvents } from '../print-story.ts';

type Options = { readonly port: number; readonly day?: Day; readonly story?: string };

/** `simulate`: runs only the simulator. */
export function add(program: Command, context: Context): void {
  const width = Object.keys(stories).reduce((widest, { length }) => Math.max(widest, length), 0);
  const storyLines = Object.entries(stories).map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`);
  program
    .command('simulate')
    .description('Run a simulated service to rehearse with')
    .option('--port <N>', 'port to listen on; 0 is any free one', optionOf(wholeNumber(0, 65_535)), 8090)
    .option('--day <DAY>', 'the date that the service treats as today (default: today)', dayOption({}))
    .addOption(
      new Option('--story <NAME>', 'play this story; its last night is today').choices(Object.keys(stories)),
    )
    .addHelpText('after', `\nStories:\n${storyLines.join('\n')}`)
    .addHelpText('after', daysHelp)
    .addHelpText('after', exampleOf('simulate', '--story', 'half-a-day'))
    .action(async ({ port, ...options }: Options) => {
      const { dataset, intercept } = serviceOf(options, context.print);
      const log = createLogger(
        'info',
        process.stderr.isTTY ? 'pretty' : 'json',
        context.redactor,
        context.live.clear,
      );
      const simulator = await startSimulator({ port, dataset, intercept: logged(intercept, log) });
      // A token alone in its line is pasted into the question of `init`.
      for (const { name, token } of dataset.accounts) context.print(`Session token of ${name}:\n${token}`);
      context.print('\nIn another terminal, paste one of these tokens when it is asked for:');
      context.print(`\n  ${asTyped('init', '--url', simulator.url)}\n`);
      log.info('listening until Ctrl-C');
      try {
        await aborted(context.signal);
        throw context.signal.reason;
      } finally {
        await simulator.close();
      }
    });
}

/** Logs each request with its status, without the token. */
function logged(intercept: Middleware | undefined, log: Logger): Middleware {
  return async (request, next) => {
    const response = (await intercept?.(request, next)) ?? (await next());
    const { account = 'no account', path, params, accepted } = request;
    const query = [...params].filter(([name]) => name !== 'sidtoken').map((each) => each.join('='));
    const line = [`${account}:`, path.slice(path.lastIndexOf('/') + 1), ...query].join(' ');
    const { status = 200 } = response;
    log.info({ account, path, status, accepted }, `${line}: ${status}`);
    return response;
  };
}

/** The data set of a day and, with a story, the faults of that night. */
function serviceOf({ day, story: name }: Omit<Options, 'port'>, print: (text: string) => void) {
  const now = systemClock();
  const date = day ?? today(now, 'UTC');
  const story = name === undefined ? null : stories[name]!;
  const atDate = () => {
    const time = systemClock().toZonedDateTimeISO('UTC').toPlainTime();
    return Temporal.PlainDate.from(date).toZonedDateTime({ timeZone: 'UTC', plainTime: time }).toInstant();
  };
  const dataset = generateDataset(1, atDate, story?.accounts ?? THREE_ACCOUNTS);
  if (story === null) return { dataset, intercept: undefined };
  const firstNight = addDays(today(now, 'UTC'), 1 - story.nights.length);
  const night = Temporal.PlainDate.from(firstNight).until(date).days;
  if (night < 0 || night >= story.nights.length)
    throw usageFailure(`--day ${date} is not a night of ${name}: its nights are ${firstNight} to today`);
  const played = playStory(story, firstNight, dataset);
  played.startNight(night, { clock: systemClock, kill: () => {} });
  for (const [number, events] of story.nights.entries()) {
    const dateOf = addDays(firstNight, number);
    if (events.length === 0 && number !== night) continue;
    print(`#${number === night ? '>' : ' '}${dateOf}  ${describeEvents(events, dateOf)}`);
  }
  return { dataset: played.dataset, intercept: played.intercept };
}
