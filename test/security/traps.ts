import type { World } from '../support/world.ts';

/**
 * Makes what another role may make in `public`: a function for each of Postgres's own, of the same name and arguments,
 * that says it was called, and an operator for each, that calls one. They are found first by whoever leaves it to the
 * search path of the database, which has `public` before `pg_catalog`.
 */
export async function setTraps({ query, databaseUrl }: Pick<World, 'query' | 'databaseUrl'>): Promise<void> {
  await query(`
    do $$
    declare f record;
    begin
      for f in
        select distinct p.proname, pg_get_function_identity_arguments(p.oid) as arguments, p.prokind,
          oidvectortypes(p.proargtypes) as types, p.prorettype::regtype as result, p.pronargs
        from pg_proc p where p.pronamespace = 'pg_catalog'::regnamespace and p.prokind in ('f', 'a', 'w') and p.provariadic = 0
      loop
        begin
          execute format('create function public.%I(%s) returns %s language plpgsql as %L',
            f.proname, f.types, f.result, 'begin raise exception ''trap: ' || f.proname || '''; end');
        exception when others then null; -- Types that only Postgres itself may use.
        end;
      end loop;
      for f in
        select o.oprname, p.proname, o.oprleft::regtype as l, o.oprright::regtype as r
        from pg_operator o join pg_proc p on p.oid = o.oprcode
        where o.oprnamespace = 'pg_catalog'::regnamespace and o.oprleft <> 0
      loop
        begin
          execute format('create operator public.%s (leftarg = %s, rightarg = %s, function = public.%I)', f.oprname, f.l, f.r, f.proname);
        exception when others then null;
        end;
      end loop;
    end $$`);
  const name = new URL(databaseUrl).pathname.slice(1);
  await query(`alter database ${name} set search_path to public, pg_catalog`);
}
