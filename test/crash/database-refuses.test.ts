import { describe, onTestFinished } from 'vitest';
import { openOutage } from '../schedule/outage.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { itIsARun, type Refusing } from './refusing.ts';

describe('a database that is read-only', () =>
  itIsARun(async (): Promise<Refusing> => {
    const outage = await openOutage({});
    const { query, databaseUrl } = outage.world;
    const name = new URL(databaseUrl).pathname.slice(1);
    const proxy = await startPostgresProxy(databaseUrl);
    onTestFinished(proxy.close);
    // It is so from the next connection on.
    async function turn(statement: string): Promise<void> {
      proxy.refuse(true);
      await proxy.cut();
      await query(`alter database ${name} ${statement}`);
      proxy.refuse(false);
    }
    return {
      outage,
      url: proxy.url,
      refuse: () => turn('set default_transaction_read_only = on'),
      accept: () => turn('reset default_transaction_read_only'),
      refusal: 'the database is read-only: default_transaction_read_only is on',
    };
  }));

describe('a database whose disk is full', () =>
  itIsARun(async (): Promise<Refusing> => {
    const outage = await openOutage({});
    const { query, databaseUrl } = outage.world;
    await query(`
      create table public.disk as select false as is_full;
      create function public.write() returns trigger language plpgsql as $$ begin
        if (select is_full from public.disk) then
          raise 'could not extend file: No space left on device' using errcode = '53100';
        end if;
        return new; end $$;
      do $$ declare name regclass; begin
        for name in select oid from pg_class where relkind = 'r' and relnamespace in ('etl'::regnamespace, 'warehouse'::regnamespace) loop
          execute format('create trigger disk before insert or update on %s for each row execute function public.write()', name);
        end loop; end $$`);
    return {
      outage,
      url: databaseUrl,
      refuse: async () => void (await query('update public.disk set is_full = true')),
      accept: async () => void (await query('update public.disk set is_full = false')),
      refusal: null,
    };
  }));
