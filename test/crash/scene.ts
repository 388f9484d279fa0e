import { startSmtpServer, type TestSmtpOptions, type TestSmtpServer } from '../support/smtp-server.ts';
import { mailsLongAgo, openWorld, type World } from '../support/world.ts';

/** A past range: the simulator always sends the same figures for it. */
export const command = ['run', '--from', '2026-03-01', '--to', '2026-03-10'];

export type Scene = World & AsyncDisposable & { readonly smtp: TestSmtpServer };

/**
 * Three accounts, two recipients and a real mail server: all that a run of `command` needs.
 *
 * @param by the way to the database, where runs don't go there directly
 */
export async function openScene(
  by: (databaseUrl: string) => string = (url) => url,
  mail: TestSmtpOptions = {},
): Promise<Scene> {
  const [world, smtp] = await Promise.all([openWorld(), startSmtpServer(mail)]);
  return {
    ...world,
    smtp,
    environment: {
      ...world.environment,
      ...(await mailsLongAgo(world)),
      DATABASE_URL: by(world.databaseUrl),
      SMTP_URL: smtp.url,
      DIGEST_FROM: 'Callsheet <callsheet@example.com>',
      DIGEST_TO: 'ana@example.com,ben@example.com',
      ALERT_TO: 'ops@example.com',
      // Six pages instead of thirteen: a run is killed a hundred times over.
      PAGE_LIMIT: '250',
    },
    close,
    [Symbol.asyncDispose]: close,
  };

  async function close() {
    await smtp.close();
    await world.close();
  }
}

/** The same as a new installation, whose first undated run loads yesterday. */
export async function openNewScene(): Promise<Scene> {
  const scene = await openScene();
  await scene.query('delete from warehouse.accounts');
  await scene.query('delete from etl.digest_starts');
  return scene;
}
